package frontmatter

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// cause is why a line of YAML cannot be read.
type cause struct {
	// Where the culprit stands, in code points: of the line from 1 on, and while
	// a value is looked at, of the value from 0 on. to 0 is the line's end.
	line, from, to int
	told           int // the line that from and to are of, where that is another one
	message, help  string
	first, last    int    // the lines of the YAML text that the repair changes
	mended         []byte // what stands on them then, as many lines; nil where that needs a person
	repaired       []byte // the whole text mended, nil where mended is nil or does not help
	fix            string // what --fix does with the lines, "" where the repair is but a guess
	sure           bool   // a fault whether or not mending it alone helps

	// How a value is repaired: put in quotes without those that it has, or
	// replaced.
	quotes bool
	peel   peel
	value  string
}

// The usual ways to break a frontmatter. None knows anything of the parser. The
// indentation is looked at first, then the value that stands on a line; a field
// that is indented below a value may as well be a part of it.
var (
	indentCauses = []func(x Lines, n int) (cause, bool){unevenIndent, tabIndent}
	valueCauses  = []func(e entry) (cause, bool){placeholderValue, unclosedFlow, textAfterQuote, unclosedQuote, colonInValue}
)

// Explaining parses again for every line it tries, so it is kept to texts and
// stretches of a size that people write.
const (
	maxExplained = 64 << 10
	maxTried     = 40
)

// findCause tries the lines from the parser's mark upwards: it often notices
// only on a later line.
func findCause(x Lines, mark yaml.Mark, err error) (cause, bool) {
	if len(x.Source) > maxExplained {
		return cause{}, false
	}
	last := min(max(mark.Line, 1)+1, len(x.Starts))
	tried := 0 // where the value starts that was looked at last
	for n := last; n >= max(last-maxTried, 1); n-- {
		for _, c := range causesAt(x, n, &tried) {
			if c.mended != nil {
				c.repaired = replaceLines(x, c.first, c.last, c.mended)
				if !comesFurther(c.repaired, mark, err) {
					if !c.sure || c.line != mark.Line {
						continue
					}
					c.repaired = nil
				}
			} else if n > max(mark.Line, 1) {
				continue
			}
			return c, true
		}
	}
	// Nothing helps by itself, but the line may be seen to be wrong.
	for _, check := range append(slices.Clone(indentCauses), strayIndent) {
		if c, ok := check(x, mark.Line); ok && mark.Line > 0 {
			c.line, c.mended, c.fix = mark.Line, nil, ""
			return c, true
		}
	}
	return cause{}, false
}

// causesAt returns what may be wrong with a line and with the value that it is
// a part of, which is looked at once for all its lines.
func causesAt(x Lines, n int, tried *int) []cause {
	var out []cause
	for _, check := range indentCauses {
		if c, ok := check(x, n); ok {
			c.line = n
			if c.first == 0 {
				c.first, c.last = n, n
			}
			out = append(out, c)
		}
	}
	if s, ok := valueAt(x, n); ok && (s.start+1 != *tried || s.first == s.last) {
		*tried = s.start + 1
		for _, check := range valueCauses {
			if c, ok := check(s.entry); ok {
				out = append(out, s.locate(x, c))
			}
		}
	}
	if c, ok := strayIndent(x, n); ok {
		c.line, c.first, c.last = n, n, n
		out = append(out, c)
	}
	return out
}

// replaceLines puts a text in the place of some lines.
func replaceLines(x Lines, first, last int, text []byte) []byte {
	return slices.Concat(x.Source[:x.Starts[first-1]], text, x.Source[x.Starts[last-1]+len(x.Text(last)):])
}

// comesFurther reports whether the parser now accepts the text or stumbles on
// a later line only. Where it ran to the end in search of a quote or bracket,
// any other complaint is progress.
func comesFurther(text []byte, mark yaml.Mark, before error) bool {
	var node yaml.Node
	err := yaml.Load(text, &node)
	return err == nil || errorMark(err).Line > mark.Line ||
		strings.Contains(errorText(before), "end of stream") && errorText(err) != errorText(before)
}
