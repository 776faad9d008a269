package frontmatter

import (
	"slices"
	"strings"
)

// tabIndent finds a tab where YAML takes only spaces, with the lines around it
// that are indented by tabs as well: they are one block.
func tabIndent(x Lines, n int) (cause, bool) {
	line := string(x.Text(n))
	lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	i := strings.IndexByte(lead, '\t')
	if i < 0 || len(lead) == len(line) {
		return cause{}, false
	}
	c := cause{from: i + 1, to: len(lead) + 1, first: n, last: n, sure: true, message: "a tab is used as indentation",
		help: "indent with spaces", fix: "indent with spaces"}
	for c.first > max(n-maxTried, 1) && tabbed(x, c.first-1) {
		c.first--
	}
	for c.last < min(n+maxTried, len(x.Starts)) && tabbed(x, c.last+1) {
		c.last++
	}
	if c.first < n { // the parser has read on
		line := string(x.Text(c.first))
		c.told, c.from, c.to = c.first, 1, len(line)-len(strings.TrimLeft(line, " \t"))+1
	}
	unit := strings.Repeat(" ", tabWidth(x, c.first))
	start := x.Starts[c.first-1]
	for i := c.first; i <= c.last; i++ {
		text := string(x.Text(i))
		bare := strings.TrimLeft(text, " \t")
		c.mended = slices.Concat(c.mended, x.Source[start:x.Starts[i-1]], []byte(strings.ReplaceAll(text[:len(text)-len(bare)], "\t", unit)+bare))
		start = x.Starts[i-1] + len(text)
	}
	return c, true
}

// tabWidth is how many spaces a tab at the start of line n stands for: as many as
// the lines above it are indented by below their field, or two.
func tabWidth(x Lines, n int) int {
	width := 0
	for n--; n > 0; n-- {
		line := string(x.Text(n))
		switch indent := indentOf(line); {
		case isBlankLine(line):
		case indent == 0:
			return max(width, 2)
		case !tabbed(x, n) && (width == 0 || indent < width):
			width = indent
		}
	}
	return 2
}

// tabbed reports a line with text that starts with a tab.
func tabbed(x Lines, n int) bool {
	line := string(x.Text(n))
	return strings.HasPrefix(line, "\t") && !isBlankLine(line)
}
