package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/printable"
)

// How much a brief printer shows of an argument and of a text: lines from the
// beginning and the end, and characters of a line.
const (
	argumentHead, argumentTail = 8, 4
	textHead, textTail         = 12, 6
	briefLine                  = 1000
)

// maxColumn is the widest name that values are aligned to.
const maxColumn = 24

// argument is one argument of a call.
type argument struct{ name, value string }

// splitArguments returns the arguments of a call in the order of the model. What
// is not an object is one argument without a name.
func splitArguments(raw json.RawMessage) []argument {
	whole := []argument{{"", string(raw)}}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return whole
	}
	var out []argument
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return whole
		}
		text := string(value)
		var s string
		if value[0] == '"' && json.Unmarshal(value, &s) == nil {
			text = s
		}
		name := printable.TruncateMiddle(printable.Line(fmt.Sprint(key)), 80)
		if name == "" {
			name = `""`
		}
		out = append(out, argument{name, text})
	}
	return out
}

// arguments prints one argument a line, with aligned values.
func (p *text) arguments(raw json.RawMessage) {
	list := splitArguments(raw)
	column := 0
	for _, a := range list {
		if w := lipgloss.Width(a.name); w <= maxColumn {
			column = max(column, w)
		}
	}
	for _, a := range list {
		first, indent := "  ", "  "
		if a.name != "" {
			pad := strings.Repeat(" ", max(0, column-lipgloss.Width(a.name)))
			first += a.name + pad + " = "
			indent += strings.Repeat(" ", column+3)
		}
		for _, line := range p.shortened(a.value, argumentHead, argumentTail) {
			for _, row := range p.rows(line, len(indent)) {
				p.line(first, row)
				first = indent
			}
		}
	}
}

// hiddenNote ends the row that replaces hidden lines.
const hiddenNote = " lines hidden (-v shows them) …"

// rows splits a line so that no part of it wraps to the first column of a
// terminal, where it could look like a line of ours.
func (p *text) rows(line string, indent int) []string {
	if !p.opt.Terminal || p.opt.Width <= indent+1 || strings.HasSuffix(strings.TrimSuffix(line, "\x1b[0m"), hiddenNote) && len(line) < 60 {
		return []string{line}
	}
	return printable.Wrap(line, p.opt.Width-indent-1)
}

// shortened returns the lines of a text: all of them, or those at its ends if
// the printer is brief.
func (p *text) shortened(body string, head, tail int) []string {
	lines := strings.Split(strings.TrimRight(printable.Text(body), "\n"), "\n")
	if !p.brief {
		return lines
	}
	for i, line := range lines {
		lines[i] = printable.TruncateMiddle(line, briefLine)
	}
	if n := len(lines) - head - tail; n > 1 {
		note := p.paint(faint, fmt.Sprintf("… %d%s", n, hiddenNote))
		lines = slices.Replace(lines, head, head+n, note)
	}
	return lines
}
