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

	members []Member // of an object
}

// Member is a key of an object with its byte offsets, and its value.
type Member struct {
	Key              string
	KeyStart, KeyEnd int
	*Node
}

// Members returns the members of an object in the order of the text. A key that
// the text repeats is returned each time, while Fields has its last value. n may
// be nil.
func (n *Node) Members() []Member {
	if n == nil {
		return nil
	}
	return n.members
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
	start := nextToken(dec, src)
	token, _ := dec.Token()
	n := &Node{Value: token, Start: start}
	if opening, ok := token.(json.Delim); ok {
		fields, items := map[string]*Node{}, []*Node{}
		for dec.More() {
			if opening == '[' {
				items = append(items, readNode(dec, src))
				continue
			}
			m := Member{KeyStart: nextToken(dec, src)}
			token, _ := dec.Token()
			m.Key, _ = token.(string)
			m.KeyEnd = int(dec.InputOffset())
			m.Node = readNode(dec, src)
			fields[m.Key], n.members = m.Node, append(n.members, m)
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

// nextToken returns the offset of the next token.
func nextToken(dec *json.Decoder, src []byte) int {
	start := int(dec.InputOffset())
	for start < len(src) && bytes.IndexByte([]byte(" \t\r\n,:"), src[start]) >= 0 {
		start++
	}
	return start
}
