package printable

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
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
		if got := Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := Line("a\nb\tc"), "a␊b␉c"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b]8;;http://x\x07link\x1b]8;;\x07")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, isUnsafe) {
			t.Fatalf("Text(%q) = %q is not safe", s, got)
		}
		if again := Text(got); again != got {
			t.Fatalf("Text is not idempotent: %q then %q", got, again)
		}
	})
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"技能表", 3, "技能表"}, {"技能表", 2, "技能…"}, {"abc", 0, "…"}, {"a\xff\xffb", 2, "a\xff…"},
	} {
		if got := Truncate(tt.in, tt.most); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
	if got, want := TruncateMiddle("abcdefgh", 6), "abcd …(2 characters omitted)… gh"; got != want {
		t.Errorf("TruncateMiddle = %q, want %q", got, want)
	}
	if got, want := TruncateMiddle("技能表", 3), "技能表"; got != want {
		t.Errorf("TruncateMiddle = %q, want %q", got, want)
	}
}

func TestJSON(t *testing.T) {
	got, err := JSON(map[string]string{"a": "<b> & c\n"})
	if want := `{"a":"<b> & c\n"}`; err != nil || string(got) != want {
		t.Errorf("JSON = %s, %v, want %s", got, err, want)
	}
	if _, err := JSON(func() {}); err == nil {
		t.Error("a function was encoded")
	}
	if got, want := JSONText("<"), `"<"`; got != want {
		t.Errorf("JSONText = %s, want %s", got, want)
	}
	var b strings.Builder
	if err := WriteJSON(&b, []string{"<\u009b\u202e\U000E0041"}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "[\n  \"<\\u009b\\u202e\\udb40\\udc41\"\n]\n"; got != want {
		t.Errorf("WriteJSON wrote %q, want %q", got, want)
	}
}
