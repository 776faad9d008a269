package spec

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

var hiddenText = &Rule{
	ID:     "hidden-text",
	Title:  "no text that only machines see",
	Level:  Warning,
	Needs:  NeedsText,
	Source: "Unicode Technical Standard 39 (security mechanisms); a model reads what its reviewers cannot see",
	Check: func(p *Pass) {
		for t := range p.texts() {
			if p.Full() {
				return
			}
			checkHidden(p, t, findHidden(t.src, t.code()))
			if t.prose() {
				checkEscapeSequences(p, t)
			}
		}
	},
}

// checkHidden tells every message that is hidden, and of the other kinds the
// first place in a file with their number.
func checkHidden(p *Pass, t *text, found []hidden) {
	var bidi, zero []hidden
	for _, h := range found {
		payload := h.payload(t.src)
		switch {
		case h.kind == hiddenBidi:
			bidi = append(bidi, h)
		case h.kind == hiddenZeroWidth && payload == "":
			if line, _ := t.line(h.start); len(line) < maxWrittenLine {
				zero = append(zero, h)
			}
		default:
			count := utf8.RuneCount(t.src[h.start:h.end])
			said := "; they spell nothing readable"
			if payload != "" {
				said = ": " + quote(payload)
			}
			t.report(p, h.start, h.end, "remove them: a model may read and follow what no reader of the file sees",
				"%s text%s", hide(count, h.kind), said)
		}
	}
	if len(bidi) > 0 {
		r, _ := utf8.DecodeRune(t.src[bidi[0].start:])
		t.report(p, bidi[0].start, bidi[0].end, "remove it: what is shown is not what is read",
			"%s reorders what is shown%s", describeHidden(r), andMore(len(bidi), "line"))
	}
	if len(zero) > 0 {
		r, _ := utf8.DecodeRune(t.src[zero[0].start:])
		t.report(p, zero[0].start, zero[0].end, "remove it, or write it as an escape where a program needs it",
			"%s cannot be seen%s", describeHidden(r), andMore(len(zero), "place"))
	}
}

// checkEscapeSequences tells the first place of a text at which a terminal does
// something else than show it, with their number.
func checkEscapeSequences(p *Pass, t *text) {
	first, end, count := 0, 0, 0
	for from := 0; ; {
		n := bytes.IndexByte(t.src[from:], esc)
		if n < 0 {
			break
		}
		at := from + n
		from = at + 1
		size := sequence(t.src[at:])
		if size == 0 {
			continue
		}
		if count++; count == 1 {
			first, end = at, at+size
		}
	}
	if count > 0 {
		t.report(p, first, end, "remove it, or write it as \\x1b[… where it is to be read",
			"a terminal obeys %s: who prints the file may see something else than a model reads%s", quote(string(t.src[first:end])), andMore(count, "place"))
	}
}

const esc = 0x1B

// sequence is the length of the escape sequence that a text starts with (ECMA-48:
// of one that ends with a string, the part before it), 0 where there is none.
func sequence(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	switch src[1] {
	case '[':
		n := 2
		for n < len(src) && src[n] >= 0x20 && src[n] < 0x40 {
			n++
		}
		if n < len(src) && src[n] >= 0x40 && src[n] < 0x7F {
			return n + 1
		}
	case ']', 'P', 'X', '^', '_':
		return 2
	}
	return 0
}

// maxWrittenLine is the length of a line, in bytes, from which on nobody wrote
// it: minified programs hold zero-width characters in their patterns.
const maxWrittenLine = 5000

func andMore(n int, what string) string {
	switch n {
	case 1:
		return ""
	case 2:
		return fmt.Sprintf(" (and one more %s of this file has such)", what)
	}
	return fmt.Sprintf(" (and %d more %ss of this file have such)", n-1, what)
}

// hide says how many characters of a kind hide something.
func hide(count int, kind hiddenKind) string {
	if count == 1 {
		return "1 " + [...]string{"Unicode tag character", "variation selector", "bidirectional control", "zero-width character"}[kind] + " hides"
	}
	return fmt.Sprintf("%d %s hide", count,
		[...]string{"Unicode tag characters", "variation selectors in a row", "bidirectional controls", "zero-width characters in a row"}[kind])
}

// describeHidden names a character, those of direction as well.
func describeHidden(r rune) string {
	names := map[rune]string{
		0x061C: "Arabic letter mark", 0x200E: "left-to-right mark", 0x200F: "right-to-left mark",
		0x202A: "left-to-right embedding", 0x202B: "right-to-left embedding", 0x202C: "end of an embedding",
		0x202D: "left-to-right override", 0x202E: "right-to-left override",
		0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "end of an isolate",
		0xFFF9: "start of an annotated text", 0xFFFA: "start of an annotation", 0xFFFB: "end of an annotation",
		0x2060: "word joiner", 0x3164: "Hangul filler", 0xFFA0: "halfwidth Hangul filler",
	}
	if name, ok := names[r]; ok {
		return fmt.Sprintf("U+%04X (%s)", r, name)
	}
	return describeRune(r)
}

// code reports whether a text is a program.
func (t *text) code() bool {
	return strings.HasPrefix(string(t.src[:min(2, len(t.src))]), "#!") || slices.Contains([]string{
		".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".psm1", ".bat", ".cmd",
		".rb", ".pl", ".pm", ".php", ".lua", ".r", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".csx", ".java", ".kt", ".swift", ".scala", ".sql",
	}, strings.ToLower(path.Ext(t.name)))
}
