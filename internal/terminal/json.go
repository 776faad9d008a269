package terminal

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// SafeJSON returns a writer for JSON text that turns what encoding/json leaves
// as it is, but a terminal may act on, into escapes: DEL, C1 controls,
// bidirectional overrides, tag characters. In JSON they can stand only inside strings. Each
// Write must end at a character's end, as an encoder's do.
func SafeJSON(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

func (e escaper) Write(p []byte) (int, error) {
	if isPlain(p) || bytes.IndexFunc(p, escaped) < 0 {
		return e.w.Write(p)
	}
	var out bytes.Buffer
	for rest := p; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case !escaped(r):
			out.Write(rest[:n])
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		rest = rest[n:]
	}
	if _, err := e.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

func escaped(r rune) bool { return r >= 0x7F && unsafeRune(r) }
