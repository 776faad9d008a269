package script

import (
	"regexp"
	"strings"
)

// Inline is what a Python file says it needs, in the comment block of PEP 723.
type Inline struct {
	Dependencies []string // as they are written: "requests<3"
	Python       string   // the versions it takes: ">=3.11"; "" for any
}

// InlineMetadata reads the comment block of a file's beginning; ok says whether
// there is one.
func InlineMetadata(head []byte) (m Inline, ok bool) {
	if !declaresDependencies(head) {
		return Inline{}, false
	}
	_, block, _ := strings.Cut(strings.ReplaceAll(string(head), "\r\n", "\n"), "# /// script\n")
	block, _, _ = strings.Cut(block, "\n# ///")
	var text strings.Builder
	for line := range strings.Lines(block) {
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	if found := regexp.MustCompile(`(?m)^requires-python\s*=\s*["']([^"'\n]*)["']`).FindStringSubmatch(text.String()); found != nil {
		m.Python = found[1]
	}
	if found := regexp.MustCompile(`(?ms)^dependencies\s*=\s*\[(.*?)^?\s*\]\s*$`).FindStringSubmatch(text.String()); found != nil {
		for _, quoted := range regexp.MustCompile(`"([^"\n]+)"|'([^'\n]+)'`).FindAllStringSubmatch(found[1], -1) {
			m.Dependencies = append(m.Dependencies, quoted[1]+quoted[2])
		}
	}
	return m, true
}
