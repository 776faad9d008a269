package model

import (
	"context"
	"maps"
	"slices"

	"skills/internal/params"
)

// Form is how a request offers its tools, and how a reply contains calls. The conversation
// itself, sessions and recordings always have calls and results of the protocol: a form
// converts them on their way to the server and back.
type Form interface {
	// Encode returns the request as it is sent.
	Encode(Request) Request
	// Decode returns a reply with its calls. If it has a fault, the reply is unchanged.
	Decode(Reply) (Reply, Fault)
	// Stream returns what receives the text of a reply while it arrives. It calls show with
	// what belongs to an answer.
	Stream(show func(text string)) Stream
}

// Stream receives the pieces of a streamed text, and at the end the text of the decoded
// reply.
type Stream interface {
	Write(piece string)
	End(text string)
}

// Fault is what is wrong with the form of a reply.
type Fault struct {
	Kind     FaultKind
	Reason   string // in a sentence
	Reminder string // what the model is sent
}

// FaultKind is the kind of a fault.
type FaultKind int

// The kinds of faults.
const (
	NoFault   FaultKind = iota
	NotCall             // it was meant as a call, but is none
	NotInForm           // it is text in place of JSON, which may be an answer
	Cut                 // the server ended it before it was complete
	TooLong             // it is too long to be read
)

// encoded returns the request as it is sent.
func (r Request) encoded() Request {
	if r.Form == nil {
		return r
	}
	return r.Form.Encode(r)
}

// Decoded returns a reply to the request of a context as the conversation has it.
func Decoded(ctx context.Context, reply Reply) Reply {
	r, ok := ctx.Value(requestKey{}).(Request)
	if ok && r.Form != nil {
		reply, _ = r.Form.Decode(reply)
	}
	return reply
}

// Choice is one form of a tool's arguments, with its fields in order.
type Choice []Field

// Field is a parameter of a tool.
type Field struct {
	Name     string
	Schema   map[string]any
	Required bool
}

// Possible returns the forms of arguments that make sense at present.
func (t Tool) Possible() []Choice {
	if t.Choices != nil {
		return t.Choices
	}
	return []Choice{ChoiceOf(t.Schema)}
}

// ChoiceOf returns the choice of an object's schema, with the required fields first.
func ChoiceOf(schema map[string]any) Choice {
	properties, _ := schema["properties"].(map[string]any)
	var choice Choice
	required := params.Texts(schema["required"])
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool { return slices.Contains(required, name) })
	for i, name := range slices.Concat(required, names) {
		if part, ok := properties[name].(map[string]any); ok {
			choice = append(choice, Field{Name: name, Schema: part, Required: i < len(required)})
		}
	}
	return choice
}
