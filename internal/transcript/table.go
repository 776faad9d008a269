package transcript

import (
	"strings"

	"skills/internal/printable"
)

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
			broken[i] = strings.Split(column{width: w + 1}.fold(cells[i], true), "\n")
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
