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
// there is one. What of it is broken is left out, see [InlineFault].
func InlineMetadata(head []byte) (m Inline, ok bool) {
	blocks, _ := inlineBlocks(head)
	if len(blocks) == 0 {
		return Inline{}, false
	}
	m, _ = inlineTable(blocks[0])
	return m, true
}

// InlineFault says why programs that run a Python file will not take its comment
// block, "" where they will or there is none.
func InlineFault(head []byte) string {
	blocks, open := inlineBlocks(head)
	switch {
	case len(blocks) > 1:
		return "it has two blocks of script metadata, and one is allowed"
	case len(blocks) == 0 && open:
		return "its block of script metadata is never closed: the line # /// is missing"
	case len(blocks) == 0:
		return ""
	}
	if _, fault := inlineTable(blocks[0]); fault != "" {
		return "its script metadata is broken: " + fault
	}
	return ""
}

// inlineBlocks returns the text of each block, without the marks of a comment;
// open says that one was begun and not closed.
func inlineBlocks(head []byte) (blocks []string, open bool) {
	var text *strings.Builder
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case text == nil:
			if line == "# /// script" {
				text = &strings.Builder{}
			}
		case line == "# ///" && text.Len() > 0:
			blocks, text = append(blocks, text.String()), nil
		case line == "#", strings.HasPrefix(line, "# "):
			text.WriteString(strings.TrimPrefix(line[1:], " ") + "\n")
		default:
			text, open = nil, true
		}
	}
	return blocks, open || text != nil
}

// inlineTable reads the two keys from a block, which is TOML: what stands before
// its first table. fault says what is no TOML, or is of the wrong kind.
func inlineTable(text string) (m Inline, fault string) {
	key := regexp.MustCompile(`^[ \t]*(?:"([^"\n]*)"|([A-Za-z0-9_.-]+))[ \t]*=[ \t]*`)
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			text = rest
			continue
		}
		if trimmed[0] == '[' {
			return m, fault
		}
		found := key.FindStringSubmatch(line)
		if found == nil {
			return m, "no key and value: " + trimmed
		}
		name, value := found[1]+found[2], text[len(found[0]):]
		strs, length, wrong := tomlValue(value)
		if wrong != "" {
			return m, name + ": " + wrong
		}
		switch first := value[:min(1, length)]; {
		case first == "":
			return m, name + " has no value"
		case name == "requires-python" && (strings.Trim(first, `"'`) != "" || len(strs) != 1):
			return m, name + " is no text"
		case name == "requires-python":
			m.Python = strs[0]
		case name == "dependencies" && first != "[":
			return m, name + " is no list"
		case name == "dependencies":
			m.Dependencies = strs
		}
		text = strings.TrimPrefix(value[length:], "\n")
	}
	return m, fault
}

// tomlValue reads a value, over several lines where brackets are open: the texts
// in it, and its length up to the end of its last line. Comments are passed over.
func tomlValue(text string) (strs []string, length int, fault string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			if depth == 0 {
				return strs, i, ""
			}
		case '#':
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end - 1
			} else {
				i = len(text)
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return nil, 0, "a bracket is closed that was not opened"
			}
		case '"', '\'':
			value, n := tomlString(text[i:])
			if n == 0 {
				return nil, 0, "a quote is never closed"
			}
			strs = append(strs, value)
			i += n - 1
		}
	}
	if depth > 0 {
		return nil, 0, "a bracket is never closed"
	}
	return strs, len(text), ""
}

// tomlString reads a text in quotes; n is its length with them, 0 where the
// closing ones are missing.
func tomlString(text string) (value string, n int) {
	quote := text[:1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(text, three) {
		if end := strings.Index(text[3:], three); end >= 0 {
			return text[3 : 3+end], end + 6
		}
		return "", 0
	}
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case text[i] == '\\' && quote == `"`:
			i++
		case text[i] == quote[0]:
			return text[1:i], i + 1
		}
	}
	return "", 0
}
