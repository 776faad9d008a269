package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/params"
)

// NewTool returns a tool whose arguments are decoded into a struct of type In
// before call sees them. A field's parameter name is that of its json tag, and
// `alias:"args,argv"` names further spellings.
//
// Arguments are read leniently, see [params.Decode]; what cannot be read is
// refused with a text from which the model can do better. Absent parameters are
// left zero. In must be a struct (struct{} for a tool without parameters);
// anything else is a mistake of the program and panics.
func NewTool[In any](name, description string, schema map[string]any, call func(ctx context.Context, inv *Invocation, in In) (ToolResult, error)) Tool {
	Parameters[In]() // panics now rather than at the first call
	return Tool{
		Name: name, Description: description, Schema: schema,
		Call: func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			in, fault := DecodeArguments[In](name, string(inv.Arguments))
			if fault != "" {
				return unreadable(fault), nil
			}
			return call(ctx, inv, in)
		},
	}
}

// DecodeArguments decodes the arguments of a tool as [NewTool] does. fault is
// what to answer the model if they cannot be, else "".
func DecodeArguments[In any](tool, arguments string) (in In, fault string) {
	text, fault := params.Object(arguments)
	if fault != "" { // a middleware has exchanged them
		return in, fault
	}
	if err := params.Decode(json.RawMessage(text), &in); err != nil {
		fault = upperFirst(err.Error()) + "."
		if parameters := Parameters[In](); len(parameters) > 0 {
			return in, fault + " Parameters of " + tool + ": " + strings.Join(parameters, ", ") + "."
		}
		return in, fault + " The function takes no parameters."
	}
	return in, ""
}

// unreadable answers a call whose arguments a tool cannot take.
func unreadable(text string) ToolResult {
	text = model.ValidText(text) // it repeats what was sent
	result := Refuse(text)
	result.Broken = true
	return result
}

// Parameters returns the parameter names of a struct, in the order of its
// fields. A test compares them with the properties of the tool's schema.
func Parameters[In any]() []string {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("agent: the arguments of a tool are decoded into a struct, not %s", t))
	}
	return params.Names(t)
}

func upperFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
