package rules

import (
	"regexp"
	"sync"

	"skills/internal/printable"
)

const byteOrderMark = "\xEF\xBB\xBF"

// shorten keeps a suggestion within two lines of a terminal.
func shorten(s string) string { return printable.TruncateMiddle(s, 160) }

// quotedPath is printable.Quote for paths: a backslash stays one.
func quotedPath(s string) string { return `"` + printable.Quoted(s) + `"` }

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// compiled returns a regular expression that is compiled on first use: most runs
// need few of them.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
