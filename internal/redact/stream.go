package redact

// Text that arrives in pieces, and JSON, are masked as if they were whole. A piece is held
// back while it may be the start of a key; in JSON the strings are masked one by one, so
// that it stays valid, and also where a string has JSON in it.

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"skills/internal/printable"
)

// Stream masks text in pieces. It holds back a possible start of a key until
// the rest arrives.
type Stream struct {
	masker *Masker
	before string // the last bytes returned, as context of a key
	held   string
}

// Stream returns a stream.
func (m *Masker) Stream() *Stream { return &Stream{masker: m} }

// Next adds a piece and returns the text that can be shown now.
func (s *Stream) Next(piece string) string {
	if s.masker == nil {
		return piece
	}
	s.held += piece
	text := s.before + s.held
	found := after(s.masker.find(text), len(s.before))
	cut := max(len(text)-s.masker.tail(text), len(s.before))
	for i, f := range found {
		if f.end > cut { // it may continue
			found, cut = found[:i], min(cut, f.start)
			break
		}
	}
	out := render(text[:cut], found)[len(s.before):]
	s.held = text[cut:]
	s.before = text[max(0, cut-context):cut]
	return out
}

// context is the number of bytes before a key that its format depends on.
const context = 4

// after removes the keys that start in the part already returned: with its
// whole context, it was not an issuer's key. Known values remain.
func after(found []span, at int) []span {
	for len(found) > 0 && found[0].start < at {
		if found[0].known && found[0].end > at {
			found[0].start = at
			break
		}
		found = found[1:]
	}
	return found
}

// Rest returns the held-back text at the end of the input.
func (s *Stream) Rest() string {
	if s.masker == nil {
		return ""
	}
	text := s.before + s.held
	out := render(text, after(s.masker.find(text), len(s.before)))[len(s.before):]
	s.before, s.held = "", ""
	return out
}

// Writer masks what is written to another writer. Close writes the held-back
// text.
type Writer struct {
	to   io.Writer
	next func(piece string) string
	rest func() string
}

// Writer returns a writer that masks text.
func (m *Masker) Writer(to io.Writer) *Writer {
	s := m.Stream()
	return &Writer{to, s.Next, s.Rest}
}

// Lines returns a writer that masks JSON line by line: strings do not span
// lines.
func (m *Masker) Lines(to io.Writer) *Writer {
	line := ""
	next := func(piece string) string {
		line += piece
		end := strings.LastIndexByte(line, '\n') + 1
		whole := line[:end]
		line = line[end:]
		return string(m.JSON([]byte(whole)))
	}
	return &Writer{to, next, func() string { return string(m.JSON([]byte(line))) }}
}

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.pass(w.next(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the held-back text; it does not close the underlying writer.
func (w *Writer) Close() error { return w.pass(w.rest()) }

func (w *Writer) pass(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.to, text)
	return err
}

// JSON masks the strings in JSON text, including JSON inside strings. The text
// may be incomplete.
func (m *Masker) JSON(text []byte) []byte {
	if m == nil {
		return text
	}
	var out []byte
	for start := bytes.IndexByte(text, '"'); start >= 0; start = bytes.IndexByte(text, '"') {
		end := closing(text, start)
		out = append(out, text[:start]...)
		out = append(out, m.literal(text[start:end])...)
		text = text[end:]
	}
	return append(out, text...)
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

// literal masks one quoted string.
func (m *Masker) literal(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil { // incomplete
		return []byte(m.Text(string(quoted)))
	}
	if after := m.InString(text); after != text {
		return []byte(printable.JSONText(after))
	}
	return quoted
}

// InString masks a text in the same way as JSON masks a string.
func (m *Masker) InString(text string) string {
	t := strings.TrimSpace(text)
	isJSON := strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[")
	if isJSON && json.Valid([]byte(text)) {
		text = string(m.JSON([]byte(text)))
	}
	return m.Text(text)
}
