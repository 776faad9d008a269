package params

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"skills/internal/printable"
)

// integer reads a whole number, also from a string or with a fraction of zero.
func integer(raw json.RawMessage) (int64, bool) {
	text := strings.TrimSpace(string(raw))
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		text = strings.TrimSpace(quoted)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	// Beyond 2^53 a float is no longer the number that was written.
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// number reads a number, also from a string.
func number(raw json.RawMessage) (float64, bool) {
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		raw = json.RawMessage(strings.TrimSpace(quoted))
	}
	var f float64
	return f, json.Unmarshal(raw, &f) == nil && len(raw) > 0 && raw[0] != 'n'
}

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
