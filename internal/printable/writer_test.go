package printable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "naïve · 1": 9, "千克": 4, "e\u0301": 1, "Привет": 6, "🙂": 2, "～": 2} {
		if got := Columns(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}

func TestFoldLines(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"short\n", "short\n"},
		{"hint: one two three four\n", "hint: one\n  two three\n  four\n"},
		{"  hint: one two\n", "  hint: one\n    two\n"},
		{"http://a-very-long-word x\n", "http://a-very-long-word\n  x\n"},
		{"\x1b[1mhint:\x1b[0m word\n", "\x1b[1mhint:\x1b[0m word\n"},
		{"a    b\n", "a    b\n"},
		{"单位换算，把千克换成磅。 x\n", "单位换算，\n  把千克换\n  成磅。 x\n"},
		{"x 单位换算 千克 a-very-long-word\n", "x 单位换算\n  千克\n  a-very-long-word\n"},
		{"\x1b[1m单位换算单位\x1b[0m\t单\n", "\x1b[1m单位换算单\n  位\x1b[0m\t单\n"},
	} {
		if got := foldLines(tt.in, 11); got != tt.want {
			t.Errorf("%q is\n%s, want\n%s", tt.in, got, tt.want)
		}
	}
}

// TestTextWriter checks that the text writer removes only its marks, and passes JSON
// through unchanged.
func TestTextWriter(t *testing.T) {
	var out bytes.Buffer
	w := TextWriter(&out, true, func() int { return 0 })
	io.WriteString(w, "1 · 2 … — ≈ ✓ ─ ␛[ ␊ é 千克\r")
	if want := "1 | 2 ... - ~ ok - ^[[ ^J é 千克\r"; out.String() != want {
		t.Errorf("written was %q, want %q", out.String(), want)
	}
	out.Reset()
	if err := WriteJSON(w, "·"); err != nil || out.String() != "\"·\"\n" {
		t.Errorf("JSON is %q, %v", out.String(), err)
	}
	out.Reset()
	fmt.Fprintln(Like(w, &out), "·")
	if out.String() != "|\n" || Like(&out, &out) != io.Writer(&out) || Exact(w) != io.Writer(&out) {
		t.Errorf("another writer has %q", out.String())
	}
	out.Reset()
	io.WriteString(TextWriter(&out, false, func() int { return 10 }), strings.Repeat("· word ", 3)+"\n")
	if want := "· word ·\n  word ·\n  word \n"; out.String() != want {
		t.Errorf("folded is %q, want %q", out.String(), want)
	}
}
