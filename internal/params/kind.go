package params

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"skills/internal/printable"
)

// maxExcerpt is how many characters of a value an error repeats.
const maxExcerpt = 60

// Kind names the type of a JSON value the way a schema does, with its value
// where that is short.
func Kind(raw json.RawMessage) string {
	text := strings.TrimSpace(string(raw))
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	token, err := d.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return "invalid JSON"
	}
	text = printable.Truncate(text, maxExcerpt)
	switch token {
	case json.Delim('{'):
		return "an object"
	case json.Delim('['):
		return "an array"
	case nil:
		return "null"
	}
	switch token.(type) {
	case string:
		return "the string " + text
	case json.Number:
		return "the number " + text
	case bool:
		return "the boolean " + text
	}
	return "invalid JSON"
}
