package transcript

// The page is what the text format writes to: steps with indented text below them,
// in the columns of a terminal. It collects the lines of an event for one write, because
// warnings and notes go to another stream that may be the same terminal.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/terminal"
)

type page struct {
	w     io.Writer
	opt   TextOptions
	brief bool           // whether results are excerpts
	flow  *terminal.Flow // the model's text while it is streamed
	out   bytes.Buffer   // the lines of an event
	err   error
}

// Open reports whether other output to the terminal would be appended to the last line.
func (p *page) Open() bool { return p.flow != nil && p.flow.InLine() }

// endText ends the text of the model and reports whether any was visible.
func (p *page) endText() bool {
	if p.flow == nil {
		return false
	}
	f := p.flow
	p.flow = nil
	p.print(f.End())
	return f.Begun()
}

func (p *page) step(title string) {
	p.endText()
	p.print(p.paint(terminal.Strong, printable.Line(title)) + "\n")
}

// numbered starts a step of a message; with Verbose it shows the number of the message in
// the conversation.
func (p *page) numbered(number int, name, rest string) {
	p.endText()
	if p.opt.Resized != nil {
		p.opt.Width = cmp.Or(p.opt.Resized(), p.opt.Width)
	}
	line := p.paint(terminal.Strong+terminal.Blue, printable.Line(name))
	if p.opt.Verbose {
		line = p.paint(terminal.Faint, fmt.Sprint(number)) + " " + line
	}
	rest = printable.Line(rest)
	if rest != "" {
		line += " " + rest
	}
	c := p.column()
	c.Indent, c.Hang = "", 4
	p.print(c.Fold(line, true) + "\n")
}

func (p *page) body(text string) {
	p.lines(strings.Split(strings.TrimRight(printable.Text(text), "\n"), "\n"))
}

func (p *page) lines(lines []string) {
	for _, line := range lines {
		p.print(p.column().Fold(line, true) + "\n")
	}
}

// bodyIndent starts the text of a step. No other line starts with it, so that text
// cannot imitate one.
const bodyIndent = "  "

// column returns a column for text below a step.
func (p *page) column() terminal.Column {
	c := terminal.Column{Indent: bodyIndent}
	if p.opt.Terminal {
		c.Width = p.opt.Width
	}
	return c
}

// shown returns the form of a text for people, if it has one.
func (p *page) shown(text, shown string) string {
	more := strings.HasPrefix(shown, text) // such as the diff of a change
	if shown == "" || p.opt.Verbose && !more {
		return text
	}
	return shown
}

// excerpt returns the lines of a text, or only the first and last if it is brief.
func (p *page) excerpt(body string) []string {
	const head, tail, most = 6, 3, 1000
	lines := strings.Split(strings.TrimRight(printable.Text(body), "\n"), "\n")
	if !p.brief {
		return lines
	}
	for i, line := range lines {
		lines[i] = printable.TruncateMiddle(line, most)
	}
	if n := len(lines) - head - tail; n > 1 {
		lines = slices.Replace(lines, head, head+n, p.paint(terminal.Faint, fmt.Sprintf("… %d lines hidden (-v shows them) …", n)))
	}
	return lines
}

// printFaint prints a faint line in parentheses between the steps.
func (p *page) printFaint(text string) {
	p.endText()
	p.print(p.paint(terminal.Faint, p.column().Fold("("+printable.Line(text)+")", true)) + "\n")
}

// note writes a warning or a similar message to Notes.
func (p *page) note(kind, message string) {
	p.notice(p.paint(terminal.Strong+terminal.Yellow, kind+":") + " " + printable.Line(message))
}

// notice writes a line to Notes.
func (p *page) notice(line string) {
	p.endText()
	if p.opt.Notes != nil {
		p.flush() // both may go to the same terminal
		fmt.Fprintln(p.opt.Notes, line)
	}
}

// paint styles text if the output has colour.
func (p *page) paint(st terminal.Style, s string) string {
	if !p.opt.Colour {
		return s
	}
	return st.Render(s)
}

func (p *page) print(s string) { p.out.WriteString(s) }

func (p *page) flush() {
	if p.err == nil && p.out.Len() > 0 {
		_, p.err = p.w.Write(p.out.Bytes())
	}
	p.out.Reset()
}

// resultLines prints a result, with the facts to the right of the last line if there is
// room.
func (p *page) resultLines(lines []string, facts string, ok bool) {
	st := terminal.Faint
	if !ok {
		st = terminal.Red
	}
	if n := len(lines) - 1; n >= 0 && facts != "" {
		room := min(p.opt.Width-1, 80) - len(bodyIndent) - printable.Columns(lines[n]) - printable.Columns(facts)
		if room >= 2 {
			p.lines(lines[:n])
			p.print(bodyIndent + lines[n] + strings.Repeat(" ", room) + p.paint(st, facts) + "\n")
			return
		}
	}
	p.lines(lines)
	if facts != "" {
		p.print(bodyIndent + p.paint(st, facts) + "\n")
	}
}

// cut shortens the line of a call for a terminal; that of a command also elsewhere, because
// it may be a whole program.
func (p *page) cut(s string, isCommand bool) string {
	switch {
	case p.opt.Verbose:
		return s
	case isCommand:
		return printable.TruncateMiddle(s, maxCommandLine)
	case p.brief:
		return printable.TruncateMiddle(s, 300)
	}
	return s
}

// maxCommandLine is how many characters of a command are shown, in two rows or three.
const maxCommandLine = 160
