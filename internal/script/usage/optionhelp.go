package usage

import (
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// helpLine is a line of a help text: -o, --out FILE  where to write.
var helpLine = lazyregexp.New(`^[\s#*]*((?:-{1,2}[A-Za-z0-9][\w-]*(?:[ =](?:<[^>]*>|\[[^\]]*\]|[A-Z][A-Z0-9_]*))?)(?:\s*[,|/]\s*-{1,2}[A-Za-z0-9][\w-]*(?:[ =](?:<[^>]*>|\[[^\]]*\]|[A-Z][A-Z0-9_]*))?)*)(?:\s{2,}|\s+[-–:]\s+|\t)\s*(\S.*)$`)

// optionHelp returns the explanations of options in texts, by the name of the option.
func optionHelp(texts []string) map[string]string {
	out := map[string]string{}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			m := helpLine().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil {
				continue
			}
			for _, name := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" ,|/=\t", r) }) {
				if strings.HasPrefix(name, "-") && out[name] == "" {
					out[name] = printable.Truncate(printable.Line(strings.TrimSpace(m[2])), 200)
				}
			}
		}
	}
	return out
}
