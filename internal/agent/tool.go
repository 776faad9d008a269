package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/params"
)

// Tool is something the model can call.
type Tool struct {
	Name        string
	Description string         // what the model reads
	Schema      map[string]any // JSON Schema of the arguments, of type object
	// Call runs the tool. An error is sent to the model as text
	// ("Error: Failed to execute …") and the run goes on; only the context's
	// own end stops it.
	Call Handler
	// Ordered says that a call sees what earlier calls of such tools did: those
	// of one turn run one after the other, also where others run concurrently.
	// Tools that change the session's state have to be ordered.
	Ordered bool
}

// Handler answers one tool call.
type Handler func(ctx context.Context, inv *Invocation) (ToolResult, error)

// Middleware wraps the handling of every tool call. It may look at and change
// the arguments, answer without calling next, change the result, or end the
// run (framework document on the interception of function calls).
//
// Calls that cannot be run pass through it as well: their Tool is nil and
// their Fault says why. Only calls that are skipped because the run has ended,
// and those beyond the number that one turn may have, do not.
type Middleware func(next Handler) Handler

// Invocation is one tool call on its way through the middlewares, with what surrounds it.
type Invocation struct {
	// Tool is what is called; nil where the model named none that there is, or
	// sent arguments that cannot be read.
	Tool *Tool
	// Fault is the answer to a call without a Tool.
	Fault string
	Call  ToolCall // as the model made it; the result has its ID
	// Arguments is what the tool receives: a JSON object, "{}" where the model
	// sent nothing. Middlewares may replace it, if they are outside of
	// [Approval]: arguments that change after a decision are not run.
	Arguments json.RawMessage
	Messages  []Message // the conversation so far; not to be changed
	Agent     *Agent    // that makes the call; nil outside of a run
	Session   *Session
	Model     string // as requests name it
	Streaming bool   // as [Config.Stream]
	Turn      int    // which answer of the model made the call, from 1
	Index     int    // position of the call within its turn, from 0
	Count     int    // calls in this turn
	Stopped   error  // why the run ends after this call, see [Invocation.Stop]; nil if it does not
	// Emit sends an event to the run's sink; never nil.
	Emit func(Event)

	queue   *queue             // nil where calls run one by one
	run     *run               // nil outside of a run
	number  int                // position of the call within the run, from 0
	settled int                // how many calls had their result when this one began
	decided *[sha256.Size]byte // what was approved, or needed no approval
}

// Stop ends the run after this call, for a reason: a [*LimitError] gives the
// run the status of that limit, an [*EndError] completes it, and anything else makes
// it fail with the reason. Of several the first counts. The turn's other calls are answered as skipped.
func (inv *Invocation) Stop(reason error) {
	if inv.Stopped == nil {
		inv.Stopped = reason
	}
}

// ToolResult is what a tool answers. Text goes to the model.
type ToolResult struct {
	Text      string
	Summary   string // what a person sees instead of Text where that is long, one line; "" for nothing
	Failed    bool   // the call did not do what was asked; Text says why
	Truncated bool   // Text is a part of what there was
	// Broken says that the tool itself was not able to do its work, as an error
	// does; a script's exit code or a refusal is not one. See Limits.Failures.
	Broken  bool
	Process *Process // set where the tool ran a program
}

// Process describes the program that a tool ran.
type Process struct {
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
	Sandbox  string `json:"sandbox,omitempty"` // the sandbox in force, "none" for none
}

// Refuse returns text as the result of a call that cannot be done, as the framework words it.
func Refuse(text string) ToolResult {
	return ToolResult{Text: "Error: " + text, Failed: true}
}

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

// ParseSchema returns a schema that is written as JSON; a mistake in it panics.
func ParseSchema(text string) (schema map[string]any) {
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		panic(err)
	}
	return schema
}

// DecodeArguments decodes the arguments of a tool as [NewTool] does. fault is
// what to answer the model if they cannot be, else "".
func DecodeArguments[In any](tool, arguments string) (in In, fault string) {
	text, fault := params.Object(arguments)
	if fault != "" { // a middleware has exchanged them
		return in, fault
	}
	if err := params.Decode(json.RawMessage(text), &in); err != nil {
		text := err.Error()
		fault = strings.ToUpper(text[:1]) + text[1:] + "."
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
