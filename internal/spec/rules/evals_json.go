package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// jsonNode is a value in a JSON text with its byte offsets.
type jsonNode struct {
	kind       jsonKind
	text       string // of a string or number
	start, end int
	fields     []jsonField
	items      []*jsonNode
}

type jsonField struct {
	key   string
	value *jsonNode
}

type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

func (k jsonKind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// field returns the last value of a key, as most readers do, nil if there is none.
func (n *jsonNode) field(key string) *jsonNode {
	for i := len(n.fields) - 1; i >= 0; i-- {
		if n.fields[i].key == key {
			return n.fields[i].value
		}
	}
	return nil
}

var errJSONDepth = errors.New("nested too deeply")

// parseJSON reads a valid JSON text. It returns nil if it is nested too deeply.
func parseJSON(src []byte) *jsonNode {
	r := &jsonReader{src: src, dec: json.NewDecoder(bytes.NewReader(src))}
	r.dec.UseNumber()
	n, err := r.value(0)
	if err != nil {
		return nil
	}
	return n
}

type jsonReader struct {
	src []byte
	dec *json.Decoder
}

// token returns the next token and its offset.
func (r *jsonReader) token() (json.Token, int, error) {
	start := int(r.dec.InputOffset())
	t, err := r.dec.Token()
	for start < len(r.src) && bytes.IndexByte([]byte(" \t\r\n,:"), r.src[start]) >= 0 {
		start++
	}
	return t, start, err
}

func (r *jsonReader) value(depth int) (*jsonNode, error) {
	t, start, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &jsonNode{start: start}
	switch t := t.(type) {
	case bool:
		n.kind = jsonBool
	case json.Number:
		n.kind, n.text = jsonNumber, t.String()
	case string:
		n.kind, n.text = jsonString, t
	case json.Delim:
		if depth == 50 {
			return nil, errJSONDepth
		}
		n.kind = jsonArray
		if t == '{' {
			n.kind = jsonObject
		}
		if err := r.contents(n, depth); err != nil {
			return nil, err
		}
	}
	n.end = int(r.dec.InputOffset())
	return n, nil
}

func (r *jsonReader) contents(n *jsonNode, depth int) error {
	for r.dec.More() {
		key := ""
		if n.kind == jsonObject {
			t, _, err := r.token()
			if err != nil {
				return err
			}
			key, _ = t.(string)
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		if n.kind == jsonObject {
			n.fields = append(n.fields, jsonField{key, v})
		} else {
			n.items = append(n.items, v)
		}
	}
	_, _, err := r.token() // the closing one
	return err
}

// jsonFault returns the offset and the cause of the first syntax error in a text. ok
// is true if there is none.
func jsonFault(src []byte) (at int, message, help string, ok bool) {
	var raw json.RawMessage
	var fault *json.SyntaxError
	if !errors.As(json.Unmarshal(src, &raw), &fault) {
		return 0, "", "", true
	}
	at = min(max(int(fault.Offset)-1, 0), max(len(src)-1, 0))
	for at > 0 && !utf8.RuneStart(src[at]) {
		at-- // the scanner counts bytes
	}
	before := bytes.TrimRight(src[:at], " \t\r\n")
	switch {
	case len(bytes.TrimSpace(src)) == 0:
		return 0, "the file is empty", "", false
	case int(fault.Offset) >= len(src) && fault.Error() == "unexpected end of JSON input":
		return at, "the text ends before everything is closed", "close what is open", false
	case bytes.HasPrefix(src, []byte(byteOrderMark)):
		return 0, "a byte order mark stands before the text", "save the file without it", false
	case src[at] == '/' || src[at] == '#':
		return at, "a comment: JSON has none", "take it out", false
	case (src[at] == '}' || src[at] == ']') && bytes.HasSuffix(before, []byte(",")):
		return len(before) - 1, "a comma stands before the closing " + string(src[at]), "take it out", false
	case src[at] == '\'':
		return at, "a single quote: JSON has double quotes only", `write "`, false
	}
	return at, fault.Error(), "", false
}
