package transcript

import (
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// flow prepares one message of the model for output, with the same result whether it is
// streamed or not: it removes blank lines around the text, sanitises and styles it,
// aligns tables and formats it in a column.
type flow struct {
	column *column
	style  *styler // or nil
	tables bool    // whether tables are aligned
	begun  bool    // whether any text was visible
	size   int     // bytes so far
	line   string  // the current line, while it may be a row of a table
	isRow  bool
	rows   []string // of the current table
	feeds  int      // blank lines to write before the next text
	held   string   // white space at the start, or a carriage return at the end
}

// maxStyled is how many bytes of a message are styled, and maxRows how many rows of a
// table are aligned, which limits the cost of hostile text.
const (
	maxStyled = 1 << 20
	maxRows   = 200
)

func newFlow(c *column, opt TextOptions) *flow {
	f := &flow{column: c, tables: opt.Terminal}
	if opt.Colour {
		f.style = &styler{}
	}
	return f
}

// Markdown formats a page for a terminal of the given width: paragraphs are filled,
// tables aligned, code blocks indented instead of fenced, and with colour headings,
// code and lists are styled.
func Markdown(page string, width int, colour bool) string {
	f := newFlow(&column{width: width}, TextOptions{Terminal: true, Colour: colour})
	var b strings.Builder
	end, fenced := "", false // of the previous line
	for line := range strings.SplitSeq(page, "\n") {
		fence, text := strings.HasPrefix(line, "```"), strings.TrimLeft(line, " ")
		fenced = fenced != fence
		fixed := fenced || fence || text == "" || strings.ContainsAny(text[:1], "|>") || patterns().heading.MatchString(line)
		if end == " " && !fixed && !patterns().item.MatchString(text) {
			line = text // of the same paragraph
		} else if end != "" {
			end = "\n"
		}
		b.WriteString(f.write(end))
		if fence {
			f.column.indent = map[bool]string{true: "    "}[fenced]
		}
		b.WriteString(f.write(line))
		if end = " "; fixed {
			end = "\n"
		}
	}
	return fenceLine().ReplaceAllString(b.String()+f.end(), "")
}

// fenceLine matches a line that starts or ends a code block.
var fenceLine = lazyregexp.New("(?m)^ *(?:\x1b\\[[0-9;]*m)*```.*\n")

// open reports whether the last line lacks its line feed.
func (f *flow) open() bool { return f.begun && f.column.seen }

// write adds a piece and returns what can be shown now.
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
		b.WriteString(f.add(line))
		if ended {
			b.WriteString(f.endLine())
		}
	}
	return b.String()
}

func (f *flow) add(text string) string {
	if f.size += len(text); text == "" {
		return ""
	}
	if f.isRow || f.tables && f.line == "" && !f.column.seen && text[0] == '|' && (f.style == nil || f.style.fence == "") {
		f.isRow = true
		f.line += text
		return ""
	}
	out := f.endTable()
	if !f.column.seen {
		out += strings.Repeat("\n", f.feeds)
		f.feeds = 0
	}
	switch {
	case f.style == nil:
		return out + f.column.write(text)
	case f.size <= maxStyled:
		return out + f.column.write(f.style.add(text, false))
	}
	rest := f.style.endLine()
	f.style = nil
	return out + f.column.write(rest+text)
}

func (f *flow) endLine() string {
	if f.isRow {
		f.rows = append(f.rows, f.line)
		f.line, f.isRow = "", false
		if len(f.rows) > maxRows {
			return f.endTable()
		}
		return ""
	}
	out := f.endTable()
	if f.style != nil {
		out += f.column.write(f.style.endLine())
	}
	out += f.column.flush()
	if !f.column.seen { // a blank line, not shown before text follows
		f.feeds++
		return out
	}
	return out + f.column.newline()
}

// endTable returns the table before the current line.
func (f *flow) endTable() string {
	if len(f.rows) == 0 {
		return ""
	}
	rows := f.rows
	f.rows = nil
	out := strings.Repeat("\n", f.feeds)
	f.feeds = 0
	for _, row := range alignTable(rows, f.column.width-len(f.column.indent)-1) {
		out += f.column.write(row) + f.column.newline()
	}
	return out
}

// end returns the rest of the text, with a final line feed unless it is empty.
func (f *flow) end() string {
	if !f.begun {
		return ""
	}
	out := ""
	if f.held != "" {
		out = f.add(printable.Text(f.held))
	}
	out += f.endLine()
	return out + f.endTable()
}

// lastLine returns the last maxSpan bytes of an indentation.
func lastLine(space string) string {
	space = space[strings.LastIndexByte(space, '\n')+1:]
	return space[max(0, len(space)-maxSpan):]
}
