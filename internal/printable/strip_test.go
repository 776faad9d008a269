package printable

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// strip writes the chunks to a Stripper and returns what passes.
func strip(t *testing.T, chunks ...string) string {
	t.Helper()
	var b strings.Builder
	s := NewStripper(&b)
	for _, chunk := range chunks {
		if _, err := s.Write([]byte(chunk)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestStripper(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\tb\nc\n", "a\tb\nc\n"},
		{"other languages", "größe 诗词 🎉\n", "größe 诗词 🎉\n"},
		{"invalid UTF-8", "a\xff\xfeb\xe8\xaf", "a\uFFFD\uFFFDb\uFFFD\uFFFD"},
		{"overlong and surrogate", "\xc0\xaf\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"colour", "\x1b[1;31mred\x1b[0m.", "red."},
		{"colour with colons", "\x1b[38:2::255:0:0mred\x1b[m.", "red."},
		{"cursor and screen", "\x1b[2J\x1b[10;20H\x1b[?25lx\x1b7\x1bc\x1b(By", "xy"},
		{"title ended by BEL", "\x1b]0;title\x07x", "x"},
		{"link ended by ST", "\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\.", "link."},
		{"clipboard", "\x1b]52;c;cm0gLXJm\x07x", "x"},
		{"other strings", "\x1bXa\x1b\\b\x1b^c\x1b\\d\x1b_e\x1b\\f\u0098g\u009ch\u009ei\u009cj\u009fk\u009cl", "bdfhjl"},
		{"device control", "\x1bPq#0\x1b\\x", "x"},
		{"escape inside a string", "\x1b]0;a\x1bb\x1b\\x", "x"},
		{"string without an end", "\x1b]0;a\nb", "\nb"},
		{"string given up", "\x1b]0;a\x18b", "b"},
		{"sequence cut by a newline", "\x1b[1;\nx", "\nx"},
		{"sequence cut by another", "\x1b[1\x1b[0mx", "x"},
		{"escape, escape", "\x1b\x1b[0mx", "x"},
		{"escape at the end", "x\x1b", "x"},
		{"sequence at the end", "x\x1b[1;3", "x"},
		{"one-character introducers", "a\u009b31mb\u009d0;t\u009cc\u0090q\u009cd", "abcd"},
		{"control characters", "a\x00b\x07c\x08d\x0be\x0cf\x7fg\u0085h", "abcdefgh"},
		{"CR LF", "a\r\nb\r\n", "a\nb\n"},
		{"CR CR LF", "a\r\r\nb", "a\nb"},
		{"lone CR", "10%\r20%\r30%\n", "10%\n20%\n30%\n"},
		{"CR at the end", "a\r", "a"},
		{"CR and escape", "a\r\x1b[Kb", "a\nb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var bytes []string
			for i := range len(test.in) {
				bytes = append(bytes, test.in[i:i+1])
			}
			for _, chunks := range [][]string{{test.in}, strings.Split(test.in, ""), bytes} {
				if got := strip(t, chunks...); got != test.want {
					t.Errorf("in %d pieces: got %q, want %q", len(chunks), got, test.want)
				}
			}
		})
	}
}

func FuzzStripper(f *testing.F) {
	f.Add("a\x1b[31mb\x1b[0m\r\nc", 3)
	f.Add("\x1b]0;title\x07诗词\xff\xe8\xaf", 1)
	f.Add("\u009b1m\u009d\u009c\r\r\n\r", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		whole := strip(t, text)
		size = max(1, min(size, len(text)))
		var chunks []string
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			chunks = append(chunks, rest[:min(size, len(rest))])
		}
		if got := strip(t, chunks...); got != whole {
			t.Fatalf("in pieces of %d: got %q, want %q", size, got, whole)
		}
		if !utf8.ValidString(whole) || strings.ContainsFunc(whole, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0
		}) {
			t.Fatalf("%q is not clean", whole)
		}
		if again := strip(t, whole); again != whole {
			t.Fatalf("stripping twice: got %q, want %q", again, whole)
		}
	})
}
