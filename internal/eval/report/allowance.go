package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
)

// Bounds of what a page shows of texts that models, files and cases have.
const (
	maxPage = 12 << 20 // bytes of all of them but files
	maxText = 24 << 10 // of one
	minText = 1 << 10  // of one, where a page has many
	maxLine = 2 << 10  // of an assertion, a quotation or a message

	maxFileText = 2 << 20 // of all files
)

// allowance bounds the texts of a page, so that its size does not follow that of answers.
type allowance struct {
	each, left int // bytes
	cut        int // texts that were cut or left out
}

// newAllowance returns the allowance of a page with so many long texts.
func newAllowance(texts int) *allowance {
	each := max(minText, min(maxText, maxPage*2/3/max(1, texts)))
	return &allowance{each: each, left: maxPage}
}

// take returns what the page shows of a text, at most most bytes, and a note if that is not
// all of it.
func (a *allowance) take(s string, most int) (shown, note string) { return a.start(s, len(s), most) }

// start is take for the beginning of a text of some size.
func (a *allowance) start(s string, size, most int) (shown, note string) {
	most = min(most, a.left)
	if size <= most {
		a.left -= len(s)
		return s, ""
	}
	a.cut++
	end := min(most, len(s))
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	a.left -= end
	if end == 0 {
		return "", fmt.Sprintf("Left out: %s bytes.", printable.Grouped(int64(size)))
	}
	return s[:end], fmt.Sprintf("Cut: the first %s of %s bytes.", printable.Grouped(int64(end)), printable.Grouped(int64(size)))
}

// line returns what the page shows of a text in one paragraph, without empty lines.
func (a *allowance) line(s string) string {
	shown, note := a.take(strings.TrimSpace(s), maxLine)
	var lines []string
	for line := range strings.SplitSeq(shown, "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n") + " " + note)
}
