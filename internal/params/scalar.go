package params

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"skills/internal/printable"
)

// integer reads a whole number, also from a string or with a fraction of zero.
func integer(raw json.RawMessage) (int64, bool) {
	text := unquoted(raw)
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
	var f *float64
	err := json.Unmarshal([]byte(unquoted(raw)), &f)
	if err != nil || f == nil {
		return 0, false
	}
	return *f, true
}

// unquoted is the text of a string, of another value its JSON.
func unquoted(raw json.RawMessage) string {
	text := string(raw)
	_ = json.Unmarshal(raw, &text) // other values stay as they are
	return strings.TrimSpace(text)
}

// maxExcerpt is how many characters of a value an error repeats.
const maxExcerpt = 60

// Kind names the type of a JSON value the way a schema does, with its value
// where that is short.
func Kind(raw json.RawMessage) string {
	text := strings.TrimSpace(string(raw))
	if !json.Valid(raw) {
		return "invalid JSON"
	}
	short := printable.Truncate(text, maxExcerpt)
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 'n':
		return "null"
	case '"':
		return "the string " + short
	case 't', 'f':
		return "the boolean " + short
	}
	return "the number " + short
}
