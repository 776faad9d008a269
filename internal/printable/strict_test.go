package printable

import (
	"strings"
	"testing"
)

func TestStrict(t *testing.T) {
	for in, want := range map[string]string{
		"plain 'text' 技能 €😀": "plain 'text' 技能 €😀", "é e\u0301 नमस्ते": "é e\u0301 नमस्ते",
		"a\u200bb\u00adc": "a<U+200B>b<U+00AD>c", "\u202ex\u2066": "<U+202E>x<U+2066>", "a\u00a0b\u3000": "a<U+00A0>b<U+3000>",
		"\u3164\u2800\u115f": "<U+3164><U+2800><U+115F>", "x\ufe0f\u034f": "x<U+FE0F><U+034F>", "1\u0301": "1<U+0301>",
		"e\u0301\u0301\u0301": "e\u0301\u0301<U+0301>", "\x1b[2J\n\t": "␛[2J␊␉", "\xff": "\uFFFD", "\u061c\u2028": "<U+061C><U+2028>",
	} {
		if got := Strict(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		in              string
		columns         int
		fit, middle, at string
	}{
		{"abcdef", 6, "abcdef", "abcdef", "abcdef"}, {"abcdefg", 6, "abcd…", "ab…fg", "abcdef|g"},
		{"技能技能", 8, "技能技能", "技能技能", "技能技能"}, {"技能技能", 7, "技能…", "技…能", "技能技|能"},
		{"abc", 2, "…", "…", "ab|c"}, {"abc", 1, "", "", "a|b|c"}, {"", 5, "", "", ""},
	} {
		if got := Fit(tt.in, tt.columns); got != tt.fit {
			t.Errorf("Fit(%q, %d) is %q", tt.in, tt.columns, got)
		}
		if got := FitMiddle(tt.in, tt.columns); got != tt.middle {
			t.Errorf("FitMiddle(%q, %d) is %q", tt.in, tt.columns, got)
		}
		if got := strings.Join(Wrap(tt.in, tt.columns), "|"); got != tt.at {
			t.Errorf("Wrap(%q, %d) is %q", tt.in, tt.columns, got)
		}
	}
}
