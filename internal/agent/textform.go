package agent

// Models that do not reliably call tools by the protocol write calls as text. Such a text
// is never an answer: it is read as calls, or the model is reminded once of the right
// form, and then the run fails.

import (
	"slices"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
	"skills/internal/params"
)

// TextCallError is returned if the model repeatedly wrote text that was meant as a tool
// call but is none.
type TextCallError struct {
	Reason      string
	Constrained bool // even with constrained calls
}

// Error returns the reason.
func (e *TextCallError) Error() string {
	return "the model writes tool calls as text that cannot be read: " + e.Reason
}

// nativeForm is the form of the protocol. It also reads calls that are the whole text of
// a reply.
type nativeForm struct {
	tools    textcalls.Tools
	isAnswer func(text string) bool // nil for none
	closing  bool                   // no tools are offered
}

// Encode returns the request.
func (f nativeForm) Encode(r Request) Request {
	if f.closing {
		r.Tools, r.Withheld = nil, r.Tools
	}
	return r
}

// Decode finds calls in the text, unless there are calls of the protocol.
func (f nativeForm) Decode(reply Reply) (Reply, model.Fault) {
	if len(reply.Calls) > 0 {
		reply.Calls = slices.Clone(reply.Calls)
		for i, call := range reply.Calls {
			meant, ok := f.tools.Resolve(call.Name, call.Arguments)
			if ok {
				reply.Calls[i].Name, reply.Calls[i].Arguments = meant.Name, meant.Arguments
			}
		}
		return reply, model.Fault{}
	}
	if f.isAnswer != nil && f.isAnswer(reply.Text) {
		return reply, model.Fault{}
	}
	calls, reason := textcalls.Read(reply.Text, f.tools)
	switch {
	case reason != "":
		return reply, model.Fault{Kind: model.NotCall, Reason: reason, Reminder: f.reminder(reason)}
	case len(calls) == 0:
		return reply, model.Fault{}
	}
	reply.Text = ""
	for _, call := range calls {
		reply.Calls = append(reply.Calls, ToolCall{Name: call.Name, Arguments: call.Arguments})
	}
	return reply, model.Fault{}
}

// reminder answers a reply that was meant as a call but is none.
func (f nativeForm) reminder(reason string) string {
	var names []string
	for _, t := range f.tools {
		names = append(names, t.Name)
	}
	return "No tool was called: your reply only looks like a call. " + reason + " Call tools by the function calling of this conversation. Available: " +
		strings.Join(names, ", ") + ". If you can only write text, write nothing but the call, such as " + f.tools[0].Example() +
		"\nIf your reply was the answer, put it into words."
}

// Stream holds back what may be a call.
func (f nativeForm) Stream(show func(string)) model.Stream { return textcalls.NewStream(f.tools, show) }

// textTools returns the tools of a request for the search of calls in text.
func textTools(tools []RequestTool) (out textcalls.Tools) {
	for _, t := range tools {
		tool := textcalls.Tool{Name: t.Name, Aliases: t.Aliases, Required: params.Texts(t.Schema["required"])}
		properties, _ := t.Schema["properties"].(map[string]any)
		for name := range properties {
			if !slices.Contains(tool.Required, name) {
				tool.Optional = append(tool.Optional, name)
			}
		}
		slices.Sort(tool.Optional)
		if len(tool.Required) > 0 {
			first, _ := properties[tool.Required[0]].(map[string]any)
			if names := params.Texts(first["enum"]); len(names) > 0 {
				tool.First = names[0]
			}
		}
		out = append(out, tool)
	}
	return out
}
