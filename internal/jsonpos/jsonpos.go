// Package jsonpos parses JSON into values with their positions in the text, and describes
// mistakes in JSON files with their line.
package jsonpos

import (
	"bytes"
	"encoding/json"
)

// Node is a JSON value with its byte offsets. Value is nil, a bool, a
// json.Number, a string, a []*Node or a map[string]*Node.
type Node struct {
	Value      any
	Start, End int
}

// Kind returns the value's type, with its article.
func (n *Node) Kind() string {
	switch n.Value.(type) {
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []*Node:
		return "a list"
	case map[string]*Node:
		return "an object"
	}
	return "null"
}

// Fields returns the values of an object by key. n may be nil.
func (n *Node) Fields() map[string]*Node {
	if n == nil {
		return nil
	}
	fields, _ := n.Value.(map[string]*Node)
	return fields
}

// Field returns the value of a key, or nil. n may be nil.
func (n *Node) Field(key string) *Node { return n.Fields()[key] }

// Items returns the elements of a list. n may be nil.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	items, _ := n.Value.([]*Node)
	return items
}

// Plain returns the value as json.Unmarshal would, with numbers as json.Number.
func (n *Node) Plain() any {
	switch value := n.Value.(type) {
	case []*Node:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = item.Plain()
		}
		return list
	case map[string]*Node:
		object := make(map[string]any, len(value))
		for key, field := range value {
			object[key] = field.Plain()
		}
		return object
	}
	return n.Value
}

// Parse parses a valid JSON text.
func Parse(src []byte) *Node {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	return readNode(dec, src)
}

func readNode(dec *json.Decoder, src []byte) *Node {
	start := int(dec.InputOffset())
	for start < len(src) && bytes.IndexByte([]byte(" \t\r\n,:"), src[start]) >= 0 {
		start++
	}
	token, _ := dec.Token()
	n := &Node{Value: token, Start: start}
	if opening, ok := token.(json.Delim); ok {
		fields, items := map[string]*Node{}, []*Node{}
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
		n.Value = items
		if opening == '{' {
			n.Value = fields
		}
	}
	n.End = int(dec.InputOffset())
	return n
}
