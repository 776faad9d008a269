package params

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	// MaxArguments is the maximum size of a call's arguments, in bytes.
	MaxArguments = 1 << 20
	// TooLarge is the end of arguments that were truncated because they were
	// larger.
	TooLarge = "… (cut off)"

	// faultContext is how many characters an error shows on each side of a
	// syntax error.
	faultContext = 30
)

// Object returns a call's arguments as the text of a JSON object: "{}" if the
// model sent nothing, and the object itself if the model sent it as a JSON
// string, or as the only element of an array. Otherwise fault describes the error and its position for the model.
func Object(arguments string) (text, fault string) {
	text = strings.TrimSpace(arguments)
	if text == "" || text == "null" {
		return "{}", ""
	}
	if strings.HasSuffix(text, TooLarge) {
		return "", fmt.Sprintf("The arguments are larger than %d bytes and were ignored. Send less at once.", MaxArguments)
	}
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return "", fmt.Sprintf("The arguments are not valid JSON at %v. Send one JSON object.", place(text, err))
	}
	value = Unwrap(value)
	if inner := Single(value); inner != nil {
		value = inner
	}
	if value[0] != '{' {
		return "", fmt.Sprintf("The arguments must be a JSON object, got %s.", Kind(value))
	}
	return string(value), ""
}

// Unwrap returns the object or array in a JSON string, because models often encode twice,
// and any other JSON unchanged.
func Unwrap(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	text = strings.TrimSpace(text)
	if json.Valid([]byte(text)) && (text[0] == '{' || text[0] == '[') {
		return json.RawMessage(text)
	}
	return raw
}

// Single returns the object that is the only element of an array, or that a JSON string
// there holds; nil if the value is anything else.
func Single(raw json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) != 1 {
		return nil
	}
	if item := Unwrap(items[0]); len(item) > 0 && item[0] == '{' {
		return item
	}
	return nil
}

// place describes where and why a text is not valid JSON.
func place(text string, err error) string {
	syntax, _ := errors.AsType[*json.SyntaxError](err)
	before, after := []rune(text[:syntax.Offset-1]), []rune(text[syntax.Offset-1:])
	near := string(before[max(0, len(before)-faultContext):]) + string(after[:min(len(after), faultContext)])
	return fmt.Sprintf("character %d: %v, near %q", len(before)+1, err, near)
}
