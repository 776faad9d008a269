package redact

import (
	"bytes"
	"encoding/json"
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
	after := m.InString(text)
	if after == text {
		return nil, false
	}
	return []byte(printable.JSONText(after)), true
}

// InString masks a text as JSON masks it in a string.
func (m *Masker) InString(text string) string {
	if t := strings.TrimSpace(text); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(text)) {
		text = string(m.JSON([]byte(text)))
	}
	return m.Text(text)
}
