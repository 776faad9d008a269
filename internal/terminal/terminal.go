// Package terminal decides on colour and shows a status line.
package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"golang.org/x/term"
)

// Is reports whether a stream is a terminal, without querying it.
func Is(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the columns of a terminal, or 0 for another stream, without
// querying it.
func Width(stream any) int {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	width, _, _ := term.GetSize(int(f.Fd()))
	return max(width, 0) // negative on error
}

// Control calls do with the descriptor of a file and keeps deadlines working:
// [os.File.Fd] would make reads block forever.
func Control(f *os.File, do func(fd uintptr)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(do)
	}
}

// Colour is the value of --color.
type Colour string

const (
	ColourAuto   Colour = "auto" // for a terminal, unless the environment overrides it
	ColourAlways Colour = "always"
	ColourNever  Colour = "never"
)

// String, Set and Type implement the interface of command-line flags.
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

// Type returns the values for help texts.
func (c *Colour) Type() string { return "auto|always|never" }

// Enabled reports whether to use colour for a stream. tty is true if it is a
// terminal. NO_COLOR (if not empty) overrides CLICOLOR_FORCE, which overrides
// TERM=dumb and the stream.
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

// Styles returns a renderer for w with the sixteen colours of the terminal's
// theme, or one that does not change text. It never queries the terminal, which
// may not answer.
func Styles(w io.Writer, colour bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(w)
	r.SetColorProfile(termenv.Ascii)
	r.SetHasDarkBackground(true)
	if colour {
		r.SetColorProfile(termenv.ANSI)
	}
	return r
}

// UTF8 reports whether the environment's locale uses UTF-8. As in POSIX, the
// default locale does not.
func UTF8(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8") || runtime.GOOS == "windows"
}

// Links reports whether the terminal supports hyperlinks (OSC 8), from its
// environment. FORCE_HYPERLINK overrides it.
func Links(getenv func(string) string) bool {
	if force := getenv("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	for _, name := range []string{"KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM"} {
		if getenv(name) != "" {
			return true
		}
	}
	if vte, err := strconv.Atoi(getenv("VTE_VERSION")); err == nil && vte >= 5000 {
		return true
	}
	return slices.Contains([]string{"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}, getenv("TERM_PROGRAM"))
}
