package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// jsonNode is a value in a JSON text with its byte offsets. Its value is nil, a
// bool, a json.Number, a string, a []*jsonNode or a map[string]*jsonNode.
type jsonNode struct {
	value      any
	start, end int
}

// kind names the kind of the value with its article.
func (n *jsonNode) kind() string {
	switch n.value.(type) {
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []*jsonNode:
		return "a list"
	case map[string]*jsonNode:
		return "an object"
	}
	return "null"
}

// field returns the value of a key, nil if there is none.
func (n *jsonNode) field(key string) *jsonNode {
	fields, _ := n.value.(map[string]*jsonNode)
	return fields[key]
}

// items returns the values of a list.
func (n *jsonNode) items() []*jsonNode {
	items, _ := n.value.([]*jsonNode)
	return items
}

// parseJSON reads a valid JSON text. It returns nil if it is nested too deeply.
func parseJSON(src []byte) *jsonNode {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	n, err := readNode(dec, src, 0)
	if err != nil {
		return nil
	}
	return n
}

func readNode(dec *json.Decoder, src []byte, depth int) (*jsonNode, error) {
	const deepest = 50
	start := int(dec.InputOffset())
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	for start < len(src) && bytes.IndexByte([]byte(" \t\r\n,:"), src[start]) >= 0 {
		start++
	}
	n := &jsonNode{value: token, start: start}
	if opening, ok := token.(json.Delim); ok {
		if depth == deepest {
			return nil, errors.New("nested too deeply")
		}
		fields, items := map[string]*jsonNode{}, []*jsonNode{}
		for dec.More() {
			key := ""
			if opening == '{' {
				token, err := dec.Token()
				if err != nil {
					return nil, err
				}
				key, _ = token.(string)
			}
			child, err := readNode(dec, src, depth+1)
			if err != nil {
				return nil, err
			}
			fields[key], items = child, append(items, child)
		}
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
		if n.value = items; opening == '{' {
			n.value = fields
		}
	}
	n.end = int(dec.InputOffset())
	return n, nil
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
		return 0, "a byte order mark precedes the text", "save the file without it", false
	case src[at] == '/' || src[at] == '#':
		return at, "JSON has no comments", "delete it", false
	case (src[at] == '}' || src[at] == ']') && bytes.HasSuffix(before, []byte(",")):
		return len(before) - 1, "a comma before the closing " + string(src[at]), "delete it", false
	case src[at] == '\'':
		return at, "a single quote: JSON has double quotes only", `write "`, false
	}
	return at, fault.Error(), "", false
}
