package transcript

import (
	"io"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/terminal"
)

// styles are the colours of the text format.
type styles struct{ rule, tool, dim, good, bad, note, plain pen }

// pen is one of them. Without colour it leaves a line as it is, which costs
// the library as much as colouring it.
type pen struct {
	lipgloss.Style
	colour bool
}

// Render returns a line in the style.
func (s pen) Render(line string) string {
	if !s.colour {
		return line
	}
	return s.Style.Render(line)
}

func newStyles(w io.Writer, colour bool) styles {
	r := terminal.Styles(w, colour)
	of := func(s lipgloss.Style) pen { return pen{s, colour} }
	colours := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	return styles{
		rule: of(colours("4").Bold(true)), tool: of(colours("6")), dim: of(r.NewStyle().Faint(true)),
		good: of(colours("2")), bad: of(colours("1")), note: of(colours("3").Bold(true)), plain: of(r.NewStyle()),
	}
}
