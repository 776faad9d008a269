package protocol

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"skills/internal/spec"
)

// wide has characters of one to four bytes, and all line breaks.
const wide = "a中b\r\n😀é𝄞c\rz\n\n末"

// TestPositions converts positions in each encoding, also those beyond a line.
func TestPositions(t *testing.T) {
	for _, tt := range []struct {
		encoding  Encoding
		line      uint32
		character uint32
		before    string // the text before the position
		exact     bool   // whether the position is that of its offset
	}{
		{UTF16, 0, 0, "", true},
		{UTF16, 0, 2, "a中", true},
		{UTF16, 0, 3, "a中b", true},
		{UTF16, 0, 9, "a中b", false},
		{UTF16, 1, 1, "a中b\r\n", false}, // within a surrogate pair
		{UTF16, 1, 2, "a中b\r\n😀", true},
		{UTF16, 1, 3, "a中b\r\n😀é", true},
		{UTF16, 1, 5, "a中b\r\n😀é𝄞", true},
		{UTF16, 2, 1, "a中b\r\n😀é𝄞c\rz", true},
		{UTF16, 4, 1, wide, true},
		{UTF16, 9, 0, wide, false},
		{UTF8, 0, 4, "a中", true},
		{UTF8, 0, 2, "a", false}, // within a character
		{UTF8, 1, 4, "a中b\r\n😀", true},
		{UTF8, 1, 10, "a中b\r\n😀é𝄞", true},
		{UTF32, 1, 3, "a中b\r\n😀é𝄞", true},
		{UTF16, 1 << 31, 1 << 31, wide, false},
		{UTF16, 0, 1<<32 - 1, "a中b", false},
	} {
		text := NewText([]byte(wide), tt.encoding)
		p := Position{tt.line, tt.character}
		at := text.Offset(p)
		if wide[:at] != tt.before {
			t.Errorf("%s %v: got %q, want %q", tt.encoding, p, wide[:at], tt.before)
		}
		if back := text.Position(at); (back == p) != tt.exact {
			t.Errorf("%s %v: its offset has the position %v", tt.encoding, p, back)
		}
	}
	if got := NewText([]byte("中文: 😀x\n"), UTF16).OfSpan(spec.Span{Start: spec.Pos{Line: 1, Column: 5}, End: spec.Pos{Line: 1, Column: 7}}); got != (Range{Position{0, 4}, Position{0, 7}}) {
		t.Errorf("a finding after Chinese: got %v", got)
	}
}

// edit is a change of one range, by offsets, as an editor makes it.
type edit struct {
	start, end int
	text       string
}

// editor applies edits to a text in UTF-16 units, as editors written in JavaScript do, and
// returns them as the protocol has them.
func editorEdits(src string, edits []edit, encoding Encoding) (changes []ContentChange, want string) {
	for _, e := range edits {
		changes = append(changes, ContentChange{Range: &Range{columnOf(src, e.start, encoding), columnOf(src, e.end, encoding)}, Text: e.text})
		src = src[:e.start] + e.text + src[e.end:]
	}
	return changes, src
}

// columnOf returns the position of an offset, found another way than by the code under test.
func columnOf(src string, offset int, encoding Encoding) Position {
	before := src[:offset]
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(before), "\n")
	last := lines[len(lines)-1]
	n := len(last)
	switch encoding {
	case UTF16:
		n = len(utf16.Encode([]rune(last)))
	case UTF32:
		n = utf8.RuneCountInString(last)
	}
	return Position{uint32(len(lines) - 1), uint32(n)}
}

// boundaries returns the offsets at which an editor can edit: between characters, and not
// between the two of a line break.
func boundaries(src string) (out []int) {
	for i := range src {
		if i == 0 || src[i-1] != '\r' || src[i] != '\n' {
			out = append(out, i)
		}
	}
	return append(out, len(src))
}

// FuzzApply makes edits in an editor and here, and compares the texts.
func FuzzApply(f *testing.F) {
	f.Add(wide, uint64(1), uint8(5))
	f.Add("", uint64(2), uint8(3))
	f.Add("---\nname: 名前\n---\n😀\n", uint64(3), uint8(20))
	f.Fuzz(func(t *testing.T, src string, seed uint64, n uint8) {
		if !utf8.ValidString(src) {
			src = strings.ToValidUTF8(src, "\uFFFD")
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for _, encoding := range []Encoding{UTF8, UTF16, UTF32} {
			var edits []edit
			text := src
			for range n % 16 {
				at := boundaries(text)
				e := edit{start: at[random.IntN(len(at))], end: at[random.IntN(len(at))], text: []string{"", "x", "中", "😀\n", "\r\n", "\r"}[random.IntN(6)]}
				if e.end < e.start {
					e.start, e.end = e.end, e.start
				}
				edits = append(edits, e)
				text = text[:e.start] + e.text + text[e.end:]
			}
			changes, want := editorEdits(src, edits, encoding)
			got, err := Apply([]byte(src), changes, encoding, 1<<20)
			if err != nil || string(got) != want {
				t.Fatalf("%s: got %q, %v, want %q after %v", encoding, got, err, want, edits)
			}
		}
	})
}

// FuzzOffset converts any position of any bytes: nothing is out of range, and a position is
// that of its offset.
func FuzzOffset(f *testing.F) {
	f.Add([]byte(wide), uint32(1), uint32(2))
	f.Add([]byte("\xff\r\xf0\x9f\n"), uint32(1), uint32(9))
	f.Fuzz(func(t *testing.T, src []byte, line, character uint32) {
		for _, encoding := range []Encoding{UTF8, UTF16, UTF32} {
			text := NewText(src, encoding)
			at := text.Offset(Position{line, character})
			if at < 0 || at > len(src) {
				t.Fatalf("%s: offset %d of %d", encoding, at, len(src))
			}
			p := text.Position(at)
			if again := text.Offset(p); again != at {
				t.Fatalf("%s: offset %d has the position %v, which has the offset %d", encoding, at, p, again)
			}
			if p.Line == line && p.Character > character {
				t.Fatalf("%s: %d:%d became %v", encoding, line, character, p)
			}
		}
	})
}

// TestApply covers changes that no editor should send.
func TestApply(t *testing.T) {
	whole := func(text string) ContentChange { return ContentChange{Text: text} }
	part := func(a, b, c, d uint32, text string) ContentChange {
		return ContentChange{Range: &Range{Position{a, b}, Position{c, d}}, Text: text}
	}
	for _, tt := range []struct {
		name    string
		changes []ContentChange
		want    string
		err     error
	}{
		{"whole", []ContentChange{whole("x\n"), part(0, 0, 0, 1, "yz")}, "yz\n", nil},
		{"backwards", []ContentChange{part(0, 3, 0, 1, "-")}, "a-\n", nil},
		{"beyond", []ContentChange{part(7, 3, 9, 1, "end")}, "abc\nend", nil},
		{"too large", []ContentChange{part(0, 0, 0, 0, strings.Repeat("x", 100))}, "", ErrTooLarge},
		{"none", nil, "abc\n", nil},
	} {
		src := []byte("abc\n")
		got, err := Apply(src, tt.changes, UTF16, 50)
		if !errors.Is(err, tt.err) || string(got) != tt.want {
			t.Errorf("%s: got %q, %v", tt.name, got, err)
		}
		if !slices.Equal(src, []byte("abc\n")) {
			t.Errorf("%s: the text before was changed", tt.name)
		}
	}
}
