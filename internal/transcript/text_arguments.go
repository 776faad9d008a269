package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
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
		for _, row := range p.rows(a.value, len(indent), argumentHead, argumentTail) {
			p.line(first, row)
			first = indent
		}
	}
}

// rows returns the lines of a text that is printed behind an indentation: all of
// them, or those at its ends if the printer is brief. At a terminal lines are
// split, so that no part wraps to the first column, where it could look like a
// line of ours.
func (p *text) rows(body string, indent, head, tail int) []string {
	lines := strings.Split(strings.TrimRight(printable.Text(body), "\n"), "\n")
	hidden := len(lines) - head - tail
	var out []string
	for i, line := range lines {
		switch {
		case p.brief && hidden > 1 && i == head:
			out = append(out, p.paint(faint, fmt.Sprintf("… %d lines hidden (-v shows them) …", hidden)))
			continue
		case p.brief && hidden > 1 && i > head && i < head+hidden:
			continue
		case p.brief:
			line = printable.TruncateMiddle(line, briefLine)
		}
		if p.opt.Terminal && indent > 0 && p.opt.Width > indent+1 {
			out = append(out, printable.Wrap(line, p.opt.Width-indent-1)...)
		} else {
			out = append(out, line)
		}
	}
	return out
}
