// Package textcalls finds the tool calls that a model wrote as text, in place of calls of
// the protocol: as JSON, in a Markdown fence, in the markup of its chat template, or in
// the form of Python.
//
// Only a text that consists of nothing but calls of existing tools is read as calls, so
// that an answer that contains JSON or code remains an answer. A text that was meant as a
// call, but is none, is reported with the reason.
package textcalls

import (
	"slices"
	"strings"
)

// maxText is the size of the longest text that is read as calls.
const maxText = 1 << 20

// Tool is a tool that can be called.
type Tool struct {
	Name     string
	Required []string // names of parameters, in the order of arguments without a name
	Optional []string
	// First is the value of the first parameter in an example, or "".
	First string
	// Aliases are other names that models call instead of this tool, such as those of
	// skills: the name is the value of the first parameter.
	Aliases []string
}

func (t *Tool) takes(name string) bool {
	return slices.Contains(t.Required, name) || slices.Contains(t.Optional, name)
}

func (t *Tool) parameters() []string { return slices.Concat(t.Required, t.Optional) }

// Call is a call of a tool; Arguments is a JSON object.
type Call struct{ Name, Arguments string }

// Tools are the tools of a request.
type Tools []Tool

// Named returns the tool with a name, or nil.
func (ts Tools) Named(name string) *Tool {
	for i := range ts {
		if ts[i].Name == name {
			return &ts[i]
		}
	}
	return nil
}

// Resolve returns the call of a tool that a name and its arguments mean, such as a skill
// that is called like a tool. It returns false if the name is not that of a tool.
func (ts Tools) Resolve(name, arguments string) (Call, bool) {
	if ts.Named(name) != nil {
		return Call{name, arguments}, true
	}
	for i := range ts {
		if t := &ts[i]; slices.Contains(t.Aliases, name) && len(t.Required) > 0 {
			return Call{t.Name, object(field{t.Required[0], quoted(name)})}, true
		}
	}
	return Call{}, false
}

// Example returns a call of the tool as text.
func (t Tool) Example() string {
	var fields []field
	for i, name := range t.Required {
		value := "…"
		if i == 0 && t.First != "" {
			value = t.First
		}
		fields = append(fields, field{name, quoted(value)})
	}
	return object(field{"name", quoted(t.Name)}, field{"arguments", value{json: object(fields...)}})
}

// Read returns the calls that the whole text consists of. If the text was meant as a call
// but is none, reason says why, in a sentence for the model. An answer has neither.
func Read(text string, tools Tools) (calls []Call, reason string) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxText || len(tools) == 0 {
		return nil, ""
	}
	p := parser{tools: tools}
	if p.all(text, 0) && len(p.calls) > 0 && p.unknown == "" {
		return p.calls, ""
	}
	explained := strings.HasPrefix(text, fence) && !strings.HasSuffix(text, fence)
	if p.unknown != "" && !explained {
		return nil, "There is no tool named " + shown(p.unknown) + "."
	}
	return nil, p.attempt(text)
}
