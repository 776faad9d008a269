package terminal

// A streamed text must look like one that arrives at once, and each piece is shown as early
// as possible: everything up to the first character whose form depends on later text.
// Tables are held back, because their columns depend on all rows.

import (
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// Flow prepares one message of the model for output, with the same result whether it is
// streamed or not: it removes blank lines around the text, sanitises and styles it,
// aligns tables and formats it in a column.
type Flow struct {
	column Column
	style  *styler         // or nil
	tables bool            // whether tables are aligned
	begun  bool            // whether any text is visible
	size   int             // bytes of the lines so far
	line   strings.Builder // the current line
	shown  string          // what is shown of it
	next   int             // its size when more of it is shown
	rows   []string        // of the current table
	feeds  int             // blank lines to write before the next text
	held   string          // a carriage return at the end
}

// Limits of the cost of hostile text: bytes of a message that are styled, rows of a table
// that are aligned, and the part by which a line has to grow before more of it is shown.
// A line of more than maxSmooth bytes has to double.
const (
	maxStyled = 1 << 20
	maxRows   = 200
	leastPart = 32
	maxSmooth = 4 << 10
)

// NewFlow returns a flow in a column. Tables are aligned, and text is styled with colour,
// if asked for.
func NewFlow(c Column, tables, colour bool) *Flow {
	f := &Flow{column: c, tables: tables}
	if colour {
		f.style = &styler{}
	}
	return f
}

// Markdown formats a page for a terminal of the given width: paragraphs are filled,
// tables aligned, code blocks indented instead of fenced, and with colour headings,
// code and lists are styled.
func Markdown(page string, width int, colour bool) string {
	f := NewFlow(Column{Width: width}, true, colour)
	var b strings.Builder
	end, fenced := "", false // of the previous line
	for line := range strings.SplitSeq(page, "\n") {
		fence, text := strings.HasPrefix(line, "```"), strings.TrimLeft(line, " ")
		fenced = fenced != fence
		fixed := fenced || fence || text == "" || strings.ContainsAny(text[:1], "|>") || heading().MatchString(line)
		if end == " " && !fixed && !itemMark().MatchString(text) {
			line = text // of the same paragraph
		} else if end != "" {
			end = "\n"
		}
		b.WriteString(f.Write(end))
		if fence {
			f.column.Indent = map[bool]string{true: "    "}[fenced]
		}
		b.WriteString(f.Write(line))
		end = " "
		if fixed {
			end = "\n"
		}
	}
	return fenceLine().ReplaceAllString(b.String()+f.End(), "")
}

// fenceLine matches a line that starts or ends a code block.
var fenceLine = lazyregexp.New("(?m)^ *(?:\x1b\\[[0-9;]*m)*```.*\n")

// Begun reports whether any text is visible.
func (f *Flow) Begun() bool { return f.begun }

// InLine reports whether a part of the current line is shown.
func (f *Flow) InLine() bool { return f.shown != "" }

// Write adds a piece and returns what can be shown now.
func (f *Flow) Write(piece string) string {
	text, cut := strings.CutSuffix(f.held+piece, "\r")
	f.held = ""
	if cut { // a line feed may follow
		f.held = "\r"
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(printable.Text(text), "\n") {
		line, ended := strings.CutSuffix(line, "\n")
		f.line.WriteString(line)
		b.WriteString(f.show(ended))
	}
	return b.String()
}

// show returns more of the current line, up to its end if it is complete.
func (f *Flow) show(end bool) (out string) {
	line := f.line.String()
	if !end && len(line) < f.next {
		return ""
	}
	if room := maxStyled - f.size; f.style != nil && len(line) > room { // the rest starts a line
		for room > 0 && !utf8.RuneStart(line[room]) {
			room--
		}
		f.line.Reset()
		f.line.WriteString(line[:room])
		out = f.show(true)
		f.style = nil
		f.line.WriteString(line[room:])
		return out + f.show(end)
	}
	f.next = len(line) + max(len(line)/leastPart, len(line)-maxSmooth)
	f.begun = f.begun || strings.Trim(line, " \t") != ""
	isRow := f.tables && strings.HasPrefix(line, "|") && (f.style == nil || f.style.fence == "")
	if !end && (!f.begun || isRow) {
		return ""
	}
	if isRow {
		f.rows = append(f.rows, line)
		if len(f.rows) > maxRows {
			out = f.endTable()
		}
	} else if f.begun {
		out = f.more(line, end)
	}
	if end {
		f.size += len(line)
		if f.size >= maxStyled {
			f.style = nil
		}
		f.line.Reset()
		f.shown, f.next = "", 0
	}
	return out
}

// more returns what is not shown yet of a line outside of tables, with what precedes it.
func (f *Flow) more(line string, end bool) string {
	if f.style != nil {
		line = f.style.line(line, end)
	}
	line = f.column.Fold(line, end)
	before := ""
	if line != "" || end {
		before = f.endTable()
	}
	if line != "" && f.shown == "" {
		before += strings.Repeat("\n", f.feeds)
		f.feeds = 0
	}
	out := before + strings.TrimPrefix(line, f.shown)
	f.shown = line
	switch {
	case end && line == "": // a blank line, not shown before text follows
		f.feeds++
	case end:
		out += "\n"
	}
	return out
}

// endTable returns the table before the current line.
func (f *Flow) endTable() string {
	if len(f.rows) == 0 {
		return ""
	}
	out := strings.Repeat("\n", f.feeds)
	f.feeds = 0
	for _, row := range alignTable(f.rows, f.column.Width-len(f.column.Indent)-1) {
		out += f.column.Fold(row, true) + "\n"
	}
	f.rows = nil
	return out
}

// End returns the rest of the text, with a final line feed unless it is empty.
func (f *Flow) End() string {
	if !f.begun {
		return ""
	}
	f.line.WriteString(printable.Text(f.held))
	return f.show(true) + f.endTable()
}
