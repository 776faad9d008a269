package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON is like [json.Marshal], but does not escape <, > and &.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// JSONText is like JSON for values that always encode: strings, and structs,
// maps and slices of them. It returns "null" for any other value.
func JSONText(v any) string {
	data, err := JSON(v)
	if err != nil {
		return "null"
	}
	return string(data)
}

// WriteJSON writes v indented by two spaces, with a final line feed and without
// characters that affect a terminal. Errors are those of JSON and of w.
func WriteJSON(w io.Writer, v any) error { return WriteIndented(w, v, "") }

// WriteIndented is like WriteJSON for a part of a document: all lines except
// the first begin with indent.
func WriteIndented(w io.Writer, v any, indent string) error {
	encoder := json.NewEncoder(EscapeJSON(w))
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indent, "  ")
	return encoder.Encode(v)
}

// EscapeJSON returns a writer that escapes characters in JSON strings that
// encoding/json keeps and that affect a terminal: DEL, C1 controls,
// bidirectional overrides, tag characters. Each Write must end with a complete
// character, as those of an encoder do. It bypasses a [TextWriter].
func EscapeJSON(w io.Writer) io.Writer { return escaper{Exact(w)} }

type escaper struct{ w io.Writer }

func (e escaper) Write(p []byte) (int, error) {
	if bytes.IndexFunc(p, isEscaped) < 0 {
		return e.w.Write(p)
	}
	var out bytes.Buffer
	for rest := p; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case !isEscaped(r):
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

func isEscaped(r rune) bool { return r >= 0x7F && isUnsafe(r) }
