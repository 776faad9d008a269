package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"skills/internal/printable"
)

// Shape is the form of a request, without its texts: what a person compares with the words
// of a server that refused it.
type Shape struct {
	Messages []string `json:"messages"` // role, size and calls of each
	Tools    []string `json:"tools"`    // names
	Fields   []string `json:"fields"`   // of the body, sorted
	Bytes    int      `json:"bytes"`    // of the body
}

// shape returns the shape of a request as it was sent; nil if the server did not answer.
func (c *Client) shape(r Request, adapted adaptations, failure *Error) *Shape {
	if failure.Status == 0 && failure.body == "" {
		return nil
	}
	r, e := adapted.apply(r.encoded(), c.envelope())
	raw, set := e.body(r)
	body := gjson.ParseBytes(raw)
	fields := map[string]bool{}
	for name := range body.Map() {
		fields[name] = true
	}
	for _, field := range set {
		name, _, _ := strings.Cut(field.path, ".")
		fields[name] = true
	}
	s := &Shape{Bytes: len(raw), Fields: slices.Sorted(maps.Keys(fields)), Messages: []string{}, Tools: []string{}}
	for _, m := range append(body.Get("messages").Array(), body.Get("input").Array()...) {
		content := m.Get("content").Raw + m.Get("output").Raw + m.Get("arguments").Raw + m.Get("encrypted_content").Raw
		text := fmt.Sprintf("%s %s bytes", cmp.Or(m.Get("role").Str, m.Get("type").Str), printable.Grouped(int64(len(content))))
		if calls := len(m.Get("tool_calls").Array()); calls > 0 {
			text += ", " + printable.Plural(calls, "call")
		}
		s.Messages = append(s.Messages, text)
	}
	for _, t := range r.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	return s
}
