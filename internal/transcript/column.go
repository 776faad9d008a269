package transcript

import (
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// bodyIndent starts the text of a step. No other line starts with it, so that text
// cannot imitate one.
const bodyIndent = "  "

// column formats text in a column of a terminal: every line is indented and broken
// between words, and continued lines of a list item are aligned with its start. Escape
// sequences of styles have no width. It holds back the last word, because more of it
// may follow.
type column struct {
	indent string
	width  int // columns of the terminal; 0 for no limit
	hang   int // additional indentation of continued lines

	at     int             // filled columns of the current line, after the indent
	spaces string          // before the word
	word   strings.Builder // with its escape sequences
	plain  strings.Builder // without them
	lead   string          // the first word of the line, with the spaces before it
	seen   bool            // whether the line has a word
	last   rune            // the last character of the word
}

// Characters that must not start or end a line.
const (
	closers = "，。、；：？！）］｝」』】》〉〕…—"
	openers = "（［｛「『【《〈〔"
)

var listMark = lazyregexp.New(`^ *(?:[-*+•>]|[0-9]{1,9}[.)])$`)

// write adds text without line feeds and returns what can be shown.
func (c *column) write(text string) string {
	if c.width == 0 {
		if !c.seen && text != "" {
			c.seen = true
			return c.indent + text
		}
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == 0x1b { // a complete style of ours
			end := i + strings.IndexByte(text[i:], 'm') + 1
			c.word.WriteString(text[i:end])
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if r == ' ' || r == '\t' {
			b.WriteString(c.flush())
			c.spaces += strings.ReplaceAll(string(r), "\t", "    ")
			continue
		}
		if (printable.IsWide(r) || printable.IsWide(c.last)) && !strings.ContainsRune(closers, r) && !strings.ContainsRune(openers, c.last) {
			b.WriteString(c.flush()) // a line may break before and after a wide character
		}
		c.word.WriteRune(r)
		c.plain.WriteRune(r)
		c.last = r
	}
	return b.String()
}

// flush returns the word, after the spaces before it or on a new line.
func (c *column) flush() string {
	word, plain := c.word.String(), c.plain.String()
	c.word.Reset()
	c.plain.Reset()
	c.last = 0
	if plain == "" {
		return word // only styles
	}
	var b strings.Builder
	size := printable.Columns(plain)
	room := c.width - 1 - printable.Width(c.indent) // the last column may wrap
	switch {
	case !c.seen:
		c.seen = true
		b.WriteString(c.indent + c.spaces)
		c.at = len(c.spaces)
		c.lead = c.spaces + plain
	case c.width > 0 && c.at+len(c.spaces)+size > room:
		c.hanging()
		b.WriteString("\n" + c.indent + strings.Repeat(" ", c.hang))
		c.at = c.hang
	default:
		b.WriteString(c.spaces)
		c.at += len(c.spaces)
	}
	c.spaces = ""
	if c.width > 0 && c.at+size > room && word == plain { // longer than a line
		for i, part := range printable.Wrap(word, max(room-c.at, 2)) {
			if i > 0 {
				b.WriteString("\n" + c.indent + strings.Repeat(" ", c.at))
			}
			b.WriteString(part)
			size = printable.Columns(part)
		}
	} else {
		b.WriteString(word)
	}
	c.at += size
	return b.String()
}

// hanging sets the indentation of continued lines.
func (c *column) hanging() {
	if c.lead == "" {
		return
	}
	if listMark().MatchString(c.lead) {
		c.hang = len(c.lead) + 1
	} else {
		c.hang = max(c.hang, len(c.lead)-len(strings.TrimLeft(c.lead, " ")))
	}
	if c.hang > c.width/2 {
		c.hang = 0
	}
	c.lead = ""
}

// end returns the last word and ends the line without a line feed.
func (c *column) end() string {
	out := c.flush()
	*c = column{indent: c.indent, width: c.width}
	return out
}

func (c *column) newline() string { return c.end() + "\n" }

// minCell is the minimum width of a table column, if its words fit.
const minCell = 6

// alignTable aligns the columns of a Markdown table. In a table wider than width
// columns, cells are broken between words; if it has too many columns for that, each
// row becomes a list of its cells. Rows that are not a table are returned unchanged.
func alignTable(rows []string, width int) []string {
	var cells [][]string
	var widths, words []int // of the cells, and of the longest word in them
	for _, row := range rows {
		row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
		var line []string
		for i, cell := range strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|") {
			cell = strings.ReplaceAll(strings.TrimSpace(cell), "\x00", `\|`)
			line = append(line, cell)
			if i == len(widths) {
				widths, words = append(widths, 3), append(words, minCell)
			}
			if len(cells) != 1 { // not the line below the header
				widths[i] = min(max(widths[i], printable.Columns(cell)), max(width, minCell))
				for _, word := range strings.Fields(cell) {
					words[i] = max(words[i], min(printable.Columns(word), width/3))
				}
			}
		}
		cells = append(cells, line)
	}
	if len(rows) < 2 || strings.Trim(strings.Join(cells[1], ""), "-: ") != "" {
		return rows
	}
	if !narrow(widths, words, width) {
		return cellLists(cells)
	}
	var out []string
	for i, line := range cells {
		if i == 1 {
			line = nil
			for _, w := range widths {
				line = append(line, strings.Repeat("-", w))
			}
		}
		out = append(out, tableRow(line, widths, cells[1])...)
	}
	return out
}

// narrow shrinks the widest cells until a table fits, and reports whether it does.
func narrow(widths, words []int, width int) bool {
	total := 1 + 3*len(widths)
	for _, w := range widths {
		total += w
	}
	for total > width {
		widest := -1
		for i, w := range widths {
			if w > words[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
		total--
	}
	return true
}

// tableRow returns the lines of a row. rule is the row with the alignment of columns.
func tableRow(cells []string, widths []int, rule []string) []string {
	var lines []string
	broken := make([][]string, len(widths))
	height := 1
	for i, w := range widths {
		if i < len(cells) {
			c := column{width: w + 1}
			broken[i] = strings.Split(c.write(cells[i])+c.end(), "\n")
			height = max(height, len(broken[i]))
		}
	}
	for n := range height {
		var b strings.Builder
		for i, w := range widths {
			cell := ""
			if n < len(broken[i]) {
				cell = broken[i][n]
			}
			space := strings.Repeat(" ", max(w-printable.Columns(cell), 0))
			if i < len(rule) && strings.HasSuffix(rule[i], ":") && !strings.HasPrefix(rule[i], ":") {
				cell = space + cell
			} else {
				cell += space
			}
			b.WriteString("| " + cell + " ")
		}
		lines = append(lines, b.String()+"|")
	}
	return lines
}

// cellLists returns each row of a table as a list of cells with the column names.
func cellLists(cells [][]string) []string {
	var out []string
	for _, line := range cells[2:] {
		mark := "- "
		for i, cell := range line {
			if name := ""; cell != "" {
				if i < len(cells[0]) {
					name = cells[0][i] + ": "
				}
				out = append(out, mark+name+cell)
				mark = "  "
			}
		}
	}
	return out
}
