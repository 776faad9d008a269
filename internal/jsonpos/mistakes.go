package jsonpos

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"skills/internal/fault"
)

// DecodeJSON decodes a JSON file into v. Unlike json.Unmarshal it rejects text
// that is not UTF-8 and duplicate keys, which a merge can leave behind. The
// error is a *fault.Error, see [Damaged].
func DecodeJSON(path string, src []byte, v any, again string) error {
	if err := json.Unmarshal(src, v); err != nil {
		return Damaged(path, src, err, again)
	}
	if !utf8.Valid(src) {
		return ErrorAt(path, src, bytes.IndexRune(src, utf8.RuneError), "is damaged: it is not UTF-8", again)
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	if key, twice := RepeatedKey(dec); twice {
		return ErrorAt(path, src, int(dec.InputOffset()), fmt.Sprintf("is damaged: duplicate key %q", key), again)
	}
	return nil
}

// ErrorAt returns an error on the line of a byte offset; a negative offset means
// the first line.
func ErrorAt(path string, src []byte, offset int, message, help string) *fault.Error {
	return &fault.Error{Path: path, Line: 1 + bytes.Count(src[:max(offset, 0)], []byte("\n")), Message: message, Hint: help}
}

// RepeatedKey reads valid JSON up to the first duplicate key.
func RepeatedKey(dec *json.Decoder) (key string, twice bool) {
	opening, _ := dec.Token()
	if opening != json.Delim('{') && opening != json.Delim('[') {
		return "", false
	}
	keys := map[json.Token]bool{}
	for dec.More() {
		if opening == json.Delim('{') {
			token, _ := dec.Token()
			if keys[token] {
				key, _ = token.(string)
				return key, true
			}
			keys[token] = true
		}
		if key, twice := RepeatedKey(dec); twice {
			return key, true
		}
	}
	_, _ = dec.Token() // the closing bracket
	return "", false
}

// Damaged returns the error for a JSON file that json.Unmarshal rejected, with
// the line of the mistake. again is the hint for rewriting the file.
func Damaged(path string, src []byte, err error, again string) error {
	out := &fault.Error{Path: path, Message: "is damaged: " + err.Error(), Hint: again, Err: err}
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		out.Message = fmt.Sprintf("is damaged: %s cannot be of type %s", cmp.Or(kind.Field, "it"), kind.Value)
	}
	if offset >= 0 {
		before := src[:min(max(int(offset)-1, 0), len(src))]
		out.Line = 1 + bytes.Count(before, []byte("\n"))
		if line := src[bytes.LastIndexByte(before, '\n')+1:]; bytes.HasPrefix(line, []byte("<<<<<<<")) {
			out.Message, out.Hint = "has a merge conflict", "resolve it, or "+again
		}
	}
	return out
}
