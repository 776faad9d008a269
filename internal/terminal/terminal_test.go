package terminal

import (
	"strings"
	"testing"
)

func TestColour(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Colour
		env  map[string]string
		tty  bool
		want bool
	}{
		{"terminal", ColourAuto, nil, true, true},
		{"pipe", ColourAuto, nil, false, false},
		{"NO_COLOR", ColourAuto, map[string]string{"NO_COLOR": "1"}, true, false},
		{"empty NO_COLOR", ColourAuto, map[string]string{"NO_COLOR": ""}, true, true},
		{"forced in a pipe", ColourAuto, map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"force 0", ColourAuto, map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		{"both", ColourAuto, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, true, false},
		{"dumb", ColourAuto, map[string]string{"TERM": "dumb"}, true, false},
		{"always", ColourAlways, map[string]string{"NO_COLOR": "1"}, false, true},
		{"never", ColourNever, map[string]string{"CLICOLOR_FORCE": "1"}, true, false},
	} {
		if got := tt.c.Enabled(func(k string) string { return tt.env[k] }, tt.tty); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	var c Colour
	if err := c.Set("sometimes"); err == nil {
		t.Error("an unknown setting was accepted")
	}
	if err := c.Set("always"); err != nil || c.String() != "always" {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestHyperlinks checks which environments have hyperlinks.
func TestHyperlinks(t *testing.T) {
	for variables, want := range map[string]bool{
		"VTE_VERSION=7000": true, "VTE_VERSION=4000": false, "TERM_PROGRAM=vscode": true, "TERM_PROGRAM=Apple_Terminal": false,
		"KITTY_WINDOW_ID=1": true, "FORCE_HYPERLINK=1": true, "FORCE_HYPERLINK=0 VTE_VERSION=7000": false, "TERM=xterm": false,
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(variables) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		if got := Links(func(name string) string { return env[name] }); got != want {
			t.Errorf("%s: %t", variables, got)
		}
	}
}
