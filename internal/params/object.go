package params

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// MaxArguments is how many bytes the arguments of one call may have.
	MaxArguments = 1 << 20
	// TooLarge is how arguments end that were cut because they had more.
	TooLarge = "… (cut off)"

	// faultContext is how many characters an error repeats on each side of a
	// syntax error.
	faultContext = 30
)

// Object returns a call's arguments as the text of a JSON object: "{}" where
// the model sent nothing, and the object itself where the model wrote it as a
// JSON string. For anything else fault says what is wrong and where, in words
// for the model.
func Object(arguments string) (text, fault string) {
	text = strings.TrimSpace(arguments)
	if text == "" || text == "null" {
		return "{}", ""
	}
	if strings.HasSuffix(text, TooLarge) {
		return "", fmt.Sprintf("The arguments are larger than %d bytes and were not taken. Send less at once.", MaxArguments)
	}
	if offset, err := syntaxError(text); err != nil {
		return "", fmt.Sprintf("The arguments are not valid JSON at character %d: %v, near %s. Send one JSON object.",
			utf8.RuneCountInString(text[:offset])+1, err, excerpt(text, offset))
	}
	var inner string
	if text[0] == '"' && json.Unmarshal([]byte(text), &inner) == nil {
		if inner = strings.TrimSpace(inner); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			return inner, ""
		}
	}
	if text[0] != '{' {
		return "", fmt.Sprintf("The arguments must be a JSON object, got %s.", Kind(json.RawMessage(text)))
	}
	return text, ""
}

// syntaxError returns the first error of a JSON text and its offset in bytes.
func syntaxError(text string) (int, error) {
	if json.Valid([]byte(text)) {
		return 0, nil
	}
	var v json.RawMessage
	d := json.NewDecoder(strings.NewReader(text))
	err := d.Decode(&v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at := int(max(0, min(syntax.Offset-1, int64(len(text)))))
		for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at--
		}
		return at, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case err != nil: // the text ended too soon
		return len(text), errors.New("unexpected end")
	}
	rest := strings.TrimLeft(text[d.InputOffset():], " \t\r\n")
	return len(text) - len(rest), errors.New("more text after the first value")
}

// excerpt quotes the text around an offset.
func excerpt(text string, offset int) string {
	before, after := []rune(text[:offset]), []rune(text[offset:])
	return fmt.Sprintf("%q", string(before[max(0, len(before)-faultContext):])+string(after[:min(len(after), faultContext)]))
}
