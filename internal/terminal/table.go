package terminal

import (
	"slices"
	"strings"

	"skills/internal/printable"
)

// minCell is the minimum width of a table column, if its words fit.
const minCell = 6

// alignTable aligns the columns of a Markdown table. Rows that are not a table are returned
// unchanged.
func alignTable(rows []string, width int) []string {
	var cells [][]string
	for _, row := range rows {
		row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
		var line []string
		for _, cell := range strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|") {
			line = append(line, strings.ReplaceAll(strings.TrimSpace(cell), "\x00", `\|`))
		}
		cells = append(cells, line)
	}
	if len(rows) < 2 || strings.Trim(strings.Join(cells[1], ""), "-: ") != "" {
		return rows
	}
	rule := cells[1]
	return Table(slices.Delete(cells, 1, 2), rule, width)
}

// Table returns the lines of a table, whose first row is its header. In a table wider than
// width columns, cells are broken between words; if it has too many columns for that, each
// row becomes a list of its cells. With a rule, the row with the alignment of columns in
// Markdown, the table has borders, and words over a third of the width are broken too.
func Table(cells [][]string, rule []string, width int) (out []string) {
	start, between, end, longest := "| ", " | ", " |", width/3
	if rule == nil {
		start, between, end, longest = "", "  ", "", width
	}
	var widths, words []int // of the cells, and of the longest word in them
	for _, line := range cells {
		for i, cell := range line {
			if i == len(widths) {
				widths, words = append(widths, 3), append(words, minCell)
			}
			widths[i] = min(max(widths[i], printable.Columns(cell)), max(width, minCell))
			for cell = strings.TrimSpace(cell); cell != ""; cell = strings.TrimSpace(cell) {
				word, plain := printable.FirstWord(cell)
				words[i] = max(words[i], min(printable.Columns(plain), longest))
				cell = cell[len(word):]
			}
		}
	}
	if !narrow(widths, words, width-len(start+end)-len(between)*(len(widths)-1)) {
		return cellLists(cells)
	}
	for i, line := range cells {
		for _, parts := range rowLines(line, widths, rule) {
			out = append(out, strings.TrimRight(start+strings.Join(parts, between)+end, " "))
		}
		if i == 0 && rule != nil {
			var dashes []string
			for _, w := range widths {
				dashes = append(dashes, strings.Repeat("-", w))
			}
			out = append(out, start+strings.Join(dashes, between)+end)
		}
	}
	return out
}

// narrow shrinks the widest cells until a row fits, and reports whether it does.
func narrow(widths, words []int, room int) bool {
	for _, w := range widths {
		room -= w
	}
	for ; room < 0; room++ {
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
	}
	return true
}

// rowLines returns the lines of a row, each with its part of every cell. rule is the row
// with the alignment of columns.
func rowLines(cells []string, widths []int, rule []string) (lines [][]string) {
	broken := make([][]string, len(widths))
	height := 1
	for i, w := range widths {
		if i < len(cells) {
			broken[i] = strings.Split(Column{Width: w + 1}.Fold(cells[i], true), "\n")
			height = max(height, len(broken[i]))
		}
	}
	for n := range height {
		var parts []string
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
			parts = append(parts, cell)
		}
		lines = append(lines, parts)
	}
	return lines
}

// cellLists returns each row of a table as a list of cells with the column names.
func cellLists(cells [][]string) []string {
	var out []string
	for _, line := range cells[1:] {
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
