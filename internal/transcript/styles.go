package transcript

import (
	"io"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/terminal"
)

// styles are the colours of the text format.
type styles struct{ rule, tool, dim, good, bad, note, plain lipgloss.Style }

func newStyles(w io.Writer, colour bool) styles {
	r := terminal.Styles(w, colour)
	colours := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	return styles{
		rule: colours("4").Bold(true), tool: colours("6"), dim: r.NewStyle().Faint(true),
		good: colours("2"), bad: colours("1"), note: colours("3").Bold(true), plain: r.NewStyle(),
	}
}
