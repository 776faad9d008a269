package hook

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("backslashes are parts of paths here")
	}
	for text, want := range map[string][]string{
		"check":                           {"check"},
		"  check.sh\t--level  2 \n":       {"check.sh", "--level", "2"},
		`a 'b c' "d e" f\ g`:              {"a", "b c", "d e", "f g"},
		`a '' ""`:                         {"a", "", ""},
		`a b'c'"d"e`:                      {"a", "bcde"},
		`a '$HOME; x | y' "it's" \$x`:     {"a", "$HOME; x | y", "it's", "$x"},
		`a "\"q\" \\ \n \$HOME"`:          {"a", `"q" \ \n $HOME`},
		`sh -c 'jq .tool | grep -q load'`: {"sh", "-c", "jq .tool | grep -q load"},
		`a --x=~/y b#c {d,e} !f`:          {"a", "--x=~/y", "b#c", "{d,e}", "!f"},
		`a 诗`:                             {"a", "诗"},
	} {
		if c, err := Parse(text); err != nil || !slices.Equal(c.Words, want) || c.Text != strings.TrimSpace(text) {
			t.Errorf("%q: got %q, %v, want %q", text, c.Words, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no program", "  ": "no program", "''": "no program", `'' a`: "no program",
		`a 'b`: "' has no end", `a "b`: "\" has no end", `a \`: "backslash", "a \x00": "NUL", "a '\x00'": "NUL",
		"a | b": `'|' needs a shell`, "a && b": "needs a shell", "a; b": "needs a shell", "a > b": "needs a shell",
		"a < b": "needs a shell", "(a)": "needs a shell", "`a`": "needs a shell", "a $B": "needs a shell",
		`a "$B"`: "needs a shell", "a \"`b`\"": "needs a shell", "a *.go": "needs a shell", "a b?": "needs a shell", "a [b]": "needs a shell",
		"~/bin/a": "'~' needs a shell", "a # b": "needs a shell",
	} {
		if c, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v, want %q", text, c.Words, err, want)
		}
	}
}
