package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain\n\ttext", "plain\n\ttext"},
		{"\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"a\rb", "a␍b"},
		{"a\r\nb", "a\nb"},
		{"bell\x07\x7f", "bell␇␡"},
		{"c1 \u009b31m", "c1 <U+009B>31m"},
		{"safe\u202eexe.txt", "safe<U+202E>exe.txt"},
		{"tag\U000E0041", "tag<U+E0041>"},
		{"bad \xff byte", "bad \uFFFD byte"},
		{"技能 👩\u200d💻 نیم\u200cفاصله", "技能 👩\u200d💻 نیم\u200cفاصله"},
	} {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := Line("a\nb\tc"), "a␊b␉c"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]8;;http://x\x07link\x1b]8;;\x07")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unsafeRune) {
			t.Fatalf("Clean(%q) = %q is not safe", s, got)
		}
		if again := Clean(got); again != got {
			t.Fatalf("Clean is not idempotent: %q then %q", got, again)
		}
	})
}

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
