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

// Most of what is shown of one argument and of one text where the printer is
// brief: lines from the beginning and the end, and characters of a line.
const (
	argumentHead, argumentTail = 8, 4
	textHead, textTail         = 12, 6
	briefLine                  = 1000
)

// maxColumn is the widest name that the values of the others are aligned with.
const maxColumn = 24

// argument is one argument of a call.
type argument struct{ name, value string }

// splitArguments takes a call's arguments apart, in the order in which the model
// gave them; what is no object is one argument without a name.
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

// arguments shows them one below the other, their values aligned.
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
		for _, line := range p.some(a.value, argumentHead, argumentTail) {
			p.line(first, line)
			first = indent
		}
	}
}

// some returns the lines of a text as they are shown: all of them, or, where
// the printer is brief, those at its ends.
func (p *text) some(body string, head, tail int) []string {
	lines := strings.Split(strings.TrimRight(printable.Text(body), "\n"), "\n")
	if !p.brief {
		return lines
	}
	for i, line := range lines {
		lines[i] = printable.TruncateMiddle(line, briefLine)
	}
	if n := len(lines) - head - tail; n > 1 {
		note := p.paint(faint, fmt.Sprintf("… %d lines left out (-v shows them) …", n))
		lines = slices.Replace(lines, head, head+n, note)
	}
	return lines
}
