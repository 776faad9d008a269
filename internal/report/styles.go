package report

import (
	"io"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/spec"
	"skills/internal/terminal"
)

// styles are the colours of the text format.
type styles struct {
	place, message, dim, help, caret, good lipgloss.Style
	levels                                 map[spec.Level]lipgloss.Style
}

func newStyles(w io.Writer, colour bool) styles {
	r := terminal.Styles(w, colour)
	style := func(colour string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(colour)) }
	return styles{
		place:   r.NewStyle().Bold(true),
		message: r.NewStyle(),
		dim:     r.NewStyle().Faint(true),
		help:    style("6"),
		caret:   style("1").Bold(true),
		good:    style("2"),
		levels: map[spec.Level]lipgloss.Style{
			spec.Error: style("1").Bold(true), spec.Warning: style("3").Bold(true), spec.Info: style("4"),
		},
	}
}

func (s styles) level(l spec.Level) string { return s.levels[l].Render(l.String()) }

func (s styles) summary(c Counts) lipgloss.Style {
	switch {
	case c.Errors > 0:
		return s.levels[spec.Error]
	case c.Warnings > 0:
		return s.levels[spec.Warning]
	}
	return s.good
}
