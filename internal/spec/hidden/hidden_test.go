package hidden

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// The texts of the tests, in characters that show nothing.
const (
	hideTags      = "\U000E0068\U000E0069\U000E0064\U000E0065" // "hide" in tag characters
	hideSelectors = "\U000E0158\U000E0159\U000E0154\U000E0155" // "hide" in variation selectors
	scottishFlag  = "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		code      bool
		want      []Range
		payload   string
	}{
		{"tags", "a" + hideTags + "b", false, []Range{{Tags, 1, 17}}, "hide"},
		{"selectors", "a" + hideSelectors, false, []Range{{Selectors, 1, 17}}, "hide"},
		{"override", "if a {\u202E// }", false, []Range{{Bidi, 6, 9}}, ""},
		{"zero width", "pass\u200Bword", false, []Range{{ZeroWidth, 4, 7}}, ""},
		{"right to left in prose", "שלום \u2067x\u2069", false, nil, ""},
		{"right to left in a program", "# שלום \u2067x\u2069", true, []Range{{Bidi, 11, 14}}, ""},
		{"escaped fence", "a\n\u200B```sh\n``\u200B`\n  \u200E- x\nthank \u200B@me\n", false, nil, ""},
		{"hidden in a list", "a\n- \u200Bx\n", false, []Range{{ZeroWidth, 4, 7}}, ""},
		{"soft hyphens", "a\u00ADb c\u00AD\u00ADd", false, []Range{{ZeroWidth, 6, 10}}, ""},
		{"blank of Braille", "a\u2800b\n\u2800\u28FF\u2800\n", false, []Range{{ZeroWidth, 1, 4}}, ""},
		{"flag", scottishFlag, false, nil, ""},
		{"family", "👨\u200D👩", false, nil, ""},
		{"Persian", "می\u200Cخ", false, nil, ""},
		{"plain", "Ordinary – “text” with é and 漢字", false, nil, ""},
	} {
		got := Find([]byte(tt.src), tt.code)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		} else if len(got) > 0 && got[0].Payload([]byte(tt.src)) != tt.payload {
			t.Errorf("%s: the payload is %q, want %q", tt.name, got[0].Payload([]byte(tt.src)), tt.payload)
		}
	}
}

func TestEscapes(t *testing.T) {
	got := Escapes([]byte("a \x1b[8mb\x1b[0m \x1b]0;title\a and \x1b, \x1b[31"))
	if want := []Range{{0, 2, 6}, {0, 7, 11}, {0, 12, 14}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// FuzzFind: every range is inside the text, ranges do not overlap and consist of
// complete characters, no plain character is reported, and the fast search finds as
// much as a slow one.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"a" + hideTags + "b", scottishFlag, hideSelectors, "שלום \u2067x\u2069\n\u202Ex", "a\u200B\u200Cb\uFEFF", "می\u200Cخ", "👨\u200D👩",
		"\xe2\x80", "\xf3\xa0", "\xd8\x9c\xe1\xa0\x8e\xe3\x85\xa4\xef\xbe\xa0", strings.Repeat("\u200B\u200C", 40), "\x1b[",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, src []byte, code bool) {
		last := 0
		got := Find(src, code)
		for _, h := range got {
			if h.Start < last || h.Start >= h.End || h.End > len(src) {
				t.Fatalf("%v after %d", h, last)
			}
			last = h.End
			for _, r := range string(src[h.Start:h.End]) {
				if r < 0x80 || r == utf8.RuneError {
					t.Fatalf("%U is reported", r)
				}
			}
			if p := h.Payload(src); !utf8.ValidString(p) {
				t.Fatalf("payload %q", p)
			}
		}
		if again := Find(src, code); !reflect.DeepEqual(got, again) {
			t.Fatal("two runs differ")
		}
		if i := bytes.IndexFunc(src, func(r rune) bool { return isTag(r) || isBidiControl(r) || isBidiMark(r) || isZeroWidth(r) }); i >= 0 {
			if n := nextSuspicious(src, 0); n > i {
				t.Fatalf("the character at %d was skipped", i)
			}
		}
		for _, e := range Escapes(src) {
			if e.End > len(src) || src[e.Start] != escape {
				t.Fatalf("%v is no escape sequence", e)
			}
		}
	})
}
