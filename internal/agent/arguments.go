package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"skills/internal/params"
)

// excerptRunes is how much of faulty arguments a result repeats on each side
// of the fault.
const excerptRunes = 30

// object returns a call's arguments as the text of a JSON object, "{}" where
// the model sent nothing. Where they are none, fault says what is wrong and
// where, for the model to read. An object that the model wrote as a JSON
// string is taken out of it.
func object(arguments string) (text, fault string) {
	text = strings.TrimSpace(arguments)
	if text == "" || text == "null" {
		return "{}", ""
	}
	if strings.HasSuffix(text, cutMark) {
		return "", fmt.Sprintf("The arguments are larger than %d bytes and were not taken. Send less at once.", maxArguments)
	}
	offset, err := check(text)
	if err != nil {
		return "", fmt.Sprintf("The arguments are not valid JSON at character %d: %v, near %s. Send one JSON object.",
			utf8.RuneCountInString(text[:offset])+1, err, excerpt(text, offset))
	}
	if text[0] == '"' {
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			inner = strings.TrimSpace(inner)
			if strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
				return inner, ""
			}
		}
	}
	if text[0] != '{' {
		return "", fmt.Sprintf("The arguments must be a JSON object, got %s.", params.Kind(json.RawMessage(text)))
	}
	return text, ""
}

// check reports the first fault of a JSON text and its offset in bytes.
func check(text string) (int, error) {
	if json.Valid([]byte(text)) {
		return 0, nil
	}
	var v json.RawMessage
	d := json.NewDecoder(strings.NewReader(text))
	err := d.Decode(&v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fault(text, syntax.Offset-1), errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case err != nil: // the text ended too soon
		return len(text), errors.New("unexpected end")
	}
	rest := text[d.InputOffset():]
	if strings.TrimSpace(rest) == "" {
		return 0, nil
	}
	at := len(text) - len(strings.TrimLeft(rest, " \t\r\n"))
	return at, errors.New("more text after the first value")
}

// fault moves an offset into text and onto the start of a character.
func fault(text string, offset int64) int {
	at := int(max(0, min(offset, int64(len(text)))))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// excerpt quotes what stands around an offset.
func excerpt(text string, offset int) string {
	before, after := []rune(text[:offset]), []rune(text[offset:])
	if len(before) > excerptRunes {
		before = before[len(before)-excerptRunes:]
	}
	if len(after) > excerptRunes {
		after = after[:excerptRunes]
	}
	return fmt.Sprintf("%q", string(before)+string(after))
}

// shown returns a call's arguments for an event: JSON as it is, compacted,
// anything else as a JSON string.
func shown(arguments string) json.RawMessage {
	text := strings.TrimSpace(arguments)
	if text == "" {
		return json.RawMessage("{}")
	}
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) == nil && utf8.Valid(out.Bytes()) {
		return out.Bytes()
	}
	quoted, err := json.Marshal(arguments)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return quoted
}

// validText replaces what is no UTF-8, byte by byte: the pieces of a stream are
// replaced one by one and have to add up to the whole.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(joinHalves(s)))
}

// wholeRunes returns text without the bytes of a character at its end that is
// not complete, or without the first half of one.
func wholeRunes(text string) string {
	if n := len(text) - halfBytes; n >= 0 && text[n] == 0xED {
		if unit := halfAt(text[n:]); unit != 0 && unit < 0xDC00 {
			return text[:n]
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}
