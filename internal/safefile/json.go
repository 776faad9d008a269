package safefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// DecodeJSON decodes a JSON file into v. Unlike json.Unmarshal it refuses an object
// that has a key twice, as merging leaves it behind, and text that is not UTF-8. The
// error is that of [Damaged].
func DecodeJSON(path string, src []byte, v any, again string) error {
	if err := json.Unmarshal(src, v); err != nil {
		return Damaged(path, src, err, again)
	}
	if !utf8.Valid(src) {
		return ErrorAt(path, src, bytes.IndexRune(src, utf8.RuneError), "is damaged: it is not UTF-8", again)
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	if key, twice := repeatedKey(dec); twice {
		return ErrorAt(path, src, int(dec.InputOffset()), fmt.Sprintf("is damaged: %q is there twice", key), again)
	}
	return nil
}

// ErrorAt is an error on the line of an offset; below 0 is the first line.
func ErrorAt(path string, src []byte, offset int, message, help string) *Error {
	return &Error{Path: path, Line: 1 + bytes.Count(src[:max(offset, 0)], []byte("\n")), Message: message, Help: help}
}

// repeatedKey reads valid JSON up to a key that its object has already.
func repeatedKey(dec *json.Decoder) (key string, twice bool) {
	opening, _ := dec.Token()
	if opening != json.Delim('{') && opening != json.Delim('[') {
		return "", false
	}
	keys := map[json.Token]bool{}
	for dec.More() {
		if opening == json.Delim('{') {
			token, _ := dec.Token()
			if key, _ = token.(string); keys[token] {
				return key, true
			}
			keys[token] = true
		}
		if key, twice = repeatedKey(dec); twice {
			return key, true
		}
	}
	_, _ = dec.Token() // the closing bracket
	return "", false
}

// Damaged is the error of a JSON file that json.Unmarshal refused, with the line
// where it is broken. again says how the file is written anew.
func Damaged(path string, src []byte, err error, again string) error {
	out := &Error{Path: path, Message: "is damaged: " + err.Error(), Help: again, Err: err}
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
			out.Message, out.Help = "has a merge conflict", "resolve it, or "+again
		}
	}
	return out
}
