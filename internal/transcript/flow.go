package transcript

import (
	"strings"

	"skills/internal/printable"
)

// flow shows one message of the model, whole or in pieces, to the same end: it
// leaves out blank lines around the text, makes the text harmless, keeps lines
// from looking like ours, and styles them where there is a styler.
type flow struct {
	style *styler // nil shows the text as it is
	begun bool    // whether there was something to see
	line  bool    // whether the current line has text
	size  int     // bytes of all lines
	feeds int     // line feeds that wait for text to follow
	held  string  // white space at the beginning, or a carriage return at the end
}

// maxStyled is how much of a message is styled, in bytes: nobody reads more,
// and a hostile text must not cost much.
const maxStyled = 1 << 20

// write takes a piece and returns what is to be shown of it now.
func (f *flow) write(piece string) string {
	text := f.held + piece
	f.held = ""
	if rest, cut := strings.CutSuffix(text, "\r"); cut { // the line feed may come
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
		text = " " + text // only our own lines begin like that
	}
	f.line = true
	return rest + text
}

// endLine returns what was held back of the current line.
func (f *flow) endLine() string {
	f.line = false
	if f.style == nil {
		return ""
	}
	return f.style.endLine()
}

// end returns what is left to be shown; the last line lacks its line feed.
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

// lastLine is the white space that a text's first line begins with; what is
// more than anybody indents by is left out.
func lastLine(space string) string {
	space = space[strings.LastIndexByte(space, '\n')+1:]
	return space[max(0, len(space)-maxSpan):]
}
