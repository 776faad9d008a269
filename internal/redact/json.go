package redact

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"skills/internal/printable"
)

// JSON masks the strings in JSON text, which may be incomplete. JSON inside a string
// is masked as JSON.
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
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		text = m.Text(string(quoted)) // broken off
		return []byte(text), text != string(quoted)
	}
	after := m.inner(text)
	if after == text {
		return nil, false
	}
	return []byte(printable.JSONText(after)), true
}

// InString masks a text as JSON masks it in a string.
func (m *Masker) InString(text string) string {
	if m == nil {
		return text
	}
	return m.inner(text)
}

// inner masks the text of a string.
func (m *Masker) inner(text string) string {
	if t := strings.TrimSpace(text); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(text)) {
		text = string(m.JSON([]byte(text)))
	}
	return m.Text(text)
}

// Lines masks JSON on its way to another writer. It waits for the end of each
// line: no string of JSON continues in the next.
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

// Flush writes the last line if it has no end.
func (l *Lines) Flush() error {
	rest := l.line
	if l.line = nil; len(rest) == 0 {
		return nil
	}
	_, err := l.to.Write(l.masker.JSON(rest))
	return err
}
