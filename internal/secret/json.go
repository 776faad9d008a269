package secret

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
)

// JSON masks the strings in JSON text, or in what of it there is; JSON inside
// a string is masked as what it is.
func (m *Masker) JSON(text []byte) []byte {
	if m == nil {
		return text
	}
	var out bytes.Buffer
	last := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := closing(text, i)
		if masked, changed := m.literal(text[i:end]); changed {
			out.Write(text[last:i])
			out.Write(masked)
			last = end
		}
		i = end - 1
	}
	if last == 0 {
		return text
	}
	out.Write(text[last:])
	return out.Bytes()
}

// closing returns the end of the string that starts at a quote.
func closing(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// literal masks one string with its quotes.
func (m *Masker) literal(quoted []byte) (masked []byte, changed bool) {
	text, ok := unquote(quoted)
	if !ok && json.Unmarshal(quoted, &text) != nil {
		text = m.Text(string(quoted)) // broken off
		return []byte(text), text != string(quoted)
	}
	after := m.inner(text)
	if after == text {
		return nil, false
	}
	return []byte(printable.JSONText(after)), true
}

// unquote returns what most strings say, in a fraction of the time that the
// library needs: those with no escapes but the short ones.
func unquote(quoted []byte) (string, bool) {
	if len(quoted) < 2 || quoted[len(quoted)-1] != '"' || !utf8.Valid(quoted) {
		return "", false
	}
	in := quoted[1 : len(quoted)-1]
	at := bytes.IndexByte(in, '\\')
	if at < 0 {
		return string(in), true
	}
	out := make([]byte, 0, len(in))
	for ; at >= 0; at = bytes.IndexByte(in, '\\') {
		if at+1 == len(in) {
			return "", false
		}
		kind := strings.IndexByte(shortEscapes, in[at+1])
		if kind < 0 {
			return "", false
		}
		out = append(append(out, in[:at]...), shortEscaped[kind])
		in = in[at+2:]
	}
	return string(append(out, in...)), true
}

// The short escapes of JSON and what they stand for.
const (
	shortEscapes = `"\/bfnrt`
	shortEscaped = "\"\\/\b\f\n\r\t"
)

// InString masks a text as JSON masks it in a string.
func (m *Masker) InString(text string) string {
	if m == nil {
		return text
	}
	return m.inner(text)
}

// inner masks a string's text.
func (m *Masker) inner(text string) string {
	if t := strings.TrimSpace(text); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(text)) {
		text = string(m.JSON([]byte(text)))
	}
	return m.Text(text)
}

// Lines is a writer of JSON in front of another: it waits for the end of each
// line, for no string of JSON goes on in the next.
type Lines struct {
	masker *Masker
	to     io.Writer
	line   []byte
}

// Lines returns a writer that masks the JSON that is written to it.
func (m *Masker) Lines(to io.Writer) *Lines { return &Lines{masker: m, to: to} }

// Write implements [io.Writer].
func (l *Lines) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	end := bytes.LastIndexByte(l.line, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	whole := l.line[:end:end]
	l.line = bytes.Clone(l.line[end:])
	if _, err := l.to.Write(l.masker.JSON(whole)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what came without the end of its line.
func (l *Lines) Flush() error {
	rest := l.line
	if l.line = nil; len(rest) == 0 {
		return nil
	}
	_, err := l.to.Write(l.masker.JSON(rest))
	return err
}
