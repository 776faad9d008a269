package terminal

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Styles makes styles for what is written to w: with the sixteen colours of
// the terminal's theme, or, where colour is false, styles that leave text as it
// is. It never asks the terminal anything, which would stall where nobody
// answers.
func Styles(w io.Writer, colour bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.Ascii)
	r.SetHasDarkBackground(true)
	if colour {
		r.SetColorProfile(termenv.ANSI)
	}
	return r
}
