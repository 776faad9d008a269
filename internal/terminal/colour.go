// Package terminal decides on colour and shows a status line. It knows nothing
// of what is shown.
package terminal

import "fmt"

// Colour says whether output is styled.
type Colour string

const (
	ColourAuto   Colour = "auto" // at a terminal, unless the environment says otherwise
	ColourAlways Colour = "always"
	ColourNever  Colour = "never"
)

// String, Set and Type make a Colour a command-line flag.
func (c *Colour) String() string { return string(*c) }

// Set accepts auto, always and never.
func (c *Colour) Set(s string) error {
	switch Colour(s) {
	case ColourAuto, ColourAlways, ColourNever:
		*c = Colour(s)
		return nil
	}
	return fmt.Errorf("must be auto, always or never")
}

// Type names the value in help texts.
func (c *Colour) Type() string { return "auto|always|never" }

// Enabled decides for one stream. getenv is the environment, tty whether the
// stream is a terminal. NO_COLOR (when not empty) beats CLICOLOR_FORCE, which
// beats TERM=dumb and the stream; no terminal is asked anything.
func (c Colour) Enabled(getenv func(string) string, tty bool) bool {
	switch {
	case c == ColourAlways:
		return true
	case c == ColourNever, getenv("NO_COLOR") != "":
		return false
	case getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return tty && getenv("TERM") != "dumb"
}
