package frontmatter

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// wrongColons match a usual field without a colon and a space after its name, which makes
// the line a text: the name, what is written instead, and the value.
var wrongColons = []struct {
	mark string
	what string
}{
	{`[ \t]*：[ \t\x{A0}\x{3000}]*`, "a full-width colon (：) follows %s"},
	{`:[\x{A0}\x{2002}-\x{200B}\x{202F}\x{3000}][ \t]*`, "the space after the colon of %s is not a plain one"},
	{`:`, "no space after the colon of %s"},
}

var wrongColon = lazyregexp.New(`^(` + strings.Join(usualFields, "|") + `)(` + wrongColons[0].mark + `|` + wrongColons[1].mark + `|` + wrongColons[2].mark + `)([^\s:/：].*)$`)

// colonCause finds a field without a colon and a space after its name, with the lines
// around it that have the same mistake.
func colonCause(x Lines, n int) (cause, bool) {
	line := string(x.Text(n))
	m := wrongColon().FindStringSubmatchIndex(line)
	if m == nil {
		return cause{}, false
	}
	key, mark := line[m[2]:m[3]], line[m[4]:m[5]]
	what := wrongColons[2].what
	switch {
	case strings.Contains(mark, "："):
		what = wrongColons[0].what
	case mark != ":":
		what = wrongColons[1].what
	}
	first, last := n, n
	for first > max(n-maxTried, 1) && wrongColon().Match(x.Text(first-1)) {
		first--
	}
	for last < min(n+maxTried, len(x.Starts)) && wrongColon().Match(x.Text(last+1)) {
		last++
	}
	var repaired []string
	for i := first; i <= last; i++ {
		repaired = append(repaired, separated(string(x.Text(i))))
	}
	start := x.Starts[n-1] + m[4]
	ends := "\n"
	if strings.Contains(string(x.Source[x.Starts[first-1]:x.Starts[last-1]]), "\r\n") {
		ends = "\r\n"
	}
	return cause{
		from: start, to: start + len(mark), message: strings.Replace(what, "%s", printable.Quote(key), 1), fix: "write a colon and a space",
		help:   "write " + printable.TruncateMiddle(separated(line), 160),
		repair: Edit{Start: x.Starts[first-1], End: x.Starts[last-1] + len(x.Text(last)), Text: strings.Join(repaired, ends)},
	}, true
}

// separated returns a line with a colon and a space after the name of its field. The value
// is quoted if it breaks the line.
func separated(line string) string {
	m := wrongColon().FindStringSubmatch(line)
	if m == nil {
		return line
	}
	plain := m[1] + ": " + m[3]
	if _, bad := ParseYAML([]byte(plain)); bad != nil && unicode.IsLetter([]rune(m[3])[0]) {
		return m[1] + ": " + Quote(strings.TrimRight(m[3], " \t"))
	}
	return plain
}

// textForFields returns a syntax error if the whole frontmatter is a text because its
// fields have no colon and space, or nil.
func textForFields(root *yaml.Node, text []byte) *SyntaxError {
	if root == nil || root.Kind != yaml.ScalarNode {
		return nil
	}
	x := IndexLines(text)
	first := 0
	var lines []string
	for n := 1; n <= len(x.Starts); n++ {
		line := string(x.Text(n))
		lines = append(lines, separated(line))
		if lines[n-1] != line && first == 0 {
			first = n
		}
	}
	if root, bad := ParseYAML([]byte(strings.Join(lines, "\n"))); first == 0 || bad != nil || root.Kind != yaml.MappingNode {
		return nil
	}
	return &SyntaxError{Line: first}
}
