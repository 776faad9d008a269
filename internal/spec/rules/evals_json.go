package rules

import (
	"bytes"
	"encoding/json"
)

// jsonNode is a JSON value with its byte offsets. value is nil, a bool, a
// json.Number, a string, a []*jsonNode or a map[string]*jsonNode.
type jsonNode struct {
	value      any
	start, end int
}

// kind returns the value's type, with its article.
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

// field returns the value of a key, or nil.
func (n *jsonNode) field(key string) *jsonNode {
	fields, _ := n.value.(map[string]*jsonNode)
	return fields[key]
}

// items returns the elements of a list.
func (n *jsonNode) items() []*jsonNode {
	items, _ := n.value.([]*jsonNode)
	return items
}

// parseJSON parses a valid JSON text.
func parseJSON(src []byte) *jsonNode {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	return readNode(dec, src)
}

func readNode(dec *json.Decoder, src []byte) *jsonNode {
	start := int(dec.InputOffset())
	for start < len(src) && bytes.IndexByte([]byte(" \t\r\n,:"), src[start]) >= 0 {
		start++
	}
	token, _ := dec.Token()
	n := &jsonNode{value: token, start: start}
	if opening, ok := token.(json.Delim); ok {
		fields, items := map[string]*jsonNode{}, []*jsonNode{}
		for dec.More() {
			key := ""
			if opening == '{' {
				token, _ := dec.Token()
				key, _ = token.(string)
			}
			child := readNode(dec, src)
			fields[key], items = child, append(items, child)
		}
		_, _ = dec.Token() // the closing bracket
		if n.value = items; opening == '{' {
			n.value = fields
		}
	}
	n.end = int(dec.InputOffset())
	return n
}
