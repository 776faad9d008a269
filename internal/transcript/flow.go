package transcript

import (
	"strings"

	"skills/internal/printable"
)

// flow prepares one message of the model for output, with the same result
// whether it is streamed or not: it drops blank lines around the text, sanitises
// it, keeps lines from imitating rule lines, and styles them.
type flow struct {
	style *styler // nil for none
	begun bool    // whether any text was visible
	line  bool    // whether the current line has text
	size  int     // bytes so far
	feeds int     // line feeds to write before the next text
	held  string  // white space at the start, or a carriage return at the end
}

// maxStyled is how many bytes of a message are styled, which bounds the cost of
// a hostile text.
const maxStyled = 1 << 20

// write takes the next piece and returns what can be shown now.
func (f *flow) write(piece string) string {
	text := f.held + piece
	f.held = ""
	if rest, cut := strings.CutSuffix(text, "\r"); cut { // a line feed may follow
		text, f.held = rest, "\r"
	}
	text = printable.Text(text)
	if !f.begun {
		first := strings.TrimLeft(text, " \t\n")
		if first == "" {
			f.held = lastLine(text) + f.held
			return ""
		}
		text = lastLine(text[:len(text)-len(first)]) + first
		f.begun = true
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		line, ended := strings.CutSuffix(line, "\n")
		if line != "" {
			b.WriteString(strings.Repeat("\n", f.feeds) + f.show(line))
			f.feeds = 0
		}
		if ended {
			b.WriteString(f.endLine())
			f.feeds++
		}
	}
	return b.String()
}

// show adds text to the current line.
func (f *flow) show(text string) string {
	if f.size += len(text); f.style != nil && f.size <= maxStyled {
		return f.style.add(text, false)
	}
	rest := ""
	if f.style != nil {
		f.line = f.style.shown || f.style.raw != ""
		rest, f.style = f.style.endLine(), nil
	}
	if !f.line && strings.HasPrefix(text, ruleMark) {
		text = " " + text // do not imitate a rule line
	}
	f.line = true
	return rest + text
}

// endLine ends the current line and returns what was held back of it.
func (f *flow) endLine() string {
	f.line = false
	if f.style == nil {
		return ""
	}
	return f.style.endLine()
}

// end returns the rest of the text, without a line feed at its end.
func (f *flow) end() string {
	if !f.begun {
		return ""
	}
	rest := ""
	if f.held != "" {
		rest = strings.Repeat("\n", f.feeds) + f.show(printable.Text(f.held))
	}
	f.held, f.feeds = "", 0
	return rest + f.endLine()
}

// lastLine returns the last maxSpan bytes of the last line of white space: the
// indentation of what follows.
func lastLine(space string) string {
	space = space[strings.LastIndexByte(space, '\n')+1:]
	return space[max(0, len(space)-maxSpan):]
}
