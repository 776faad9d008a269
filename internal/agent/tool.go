package agent

// A tool is what the model can call. Its arguments are decoded and resolved once, into an
// [Action], which is then described, approved and run.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"skills/internal/agent/model"
	"skills/internal/params"
)

// Tool is a function that the model can call.
type Tool struct {
	Name        string
	Description string         // for the model
	Schema      map[string]any // JSON Schema of the arguments, of type object
	// Aliases are names of other things that models call like tools: such a call is one of
	// this tool, with the name as its first required parameter.
	Aliases []string
	// Next returns what follows a result for models with constrained calls: what to do now,
	// or "". It may be nil.
	Next func(result string) string
	// Choices returns the forms of arguments that make sense at present, none if the tool
	// cannot be used; sent is the conversation as the model sees it. Constrained calls are
	// held to them. Nil means any that the schema allows.
	Choices func(ctx context.Context, session *Session, sent []Message) []Choice
	// Prepare decodes the arguments of a call and resolves what it is about. It
	// has no effects: hooks, approval and records read the action before it runs.
	// It is called once a call, and once more if a middleware changes the
	// arguments. An error is sent to the model as text ("Error: Failed to
	// execute …") and the run goes on, unless the context has ended.
	Prepare func(ctx context.Context, inv *Invocation) (Action, error)
	// Ordered means that a call depends on earlier calls of such tools: those of
	// one turn run one after another, even if others run concurrently. Tools
	// that change the session's state must be ordered.
	Ordered bool
	// Effects are what a call may do besides answering; none by default.
	Effects Effects
	// Recall replaces a result in requests when the model's context is nearly
	// full: it describes how to get the result back. "" keeps results of this tool.
	Recall string
}

// Effects are what the calls of a tool may do. Clients of an MCP server see them as
// annotations.
type Effects struct {
	Changes    bool // they change or remove files
	Programs   bool // they run programs, in the sandbox if there is one
	Repeatable bool // the same call once more changes nothing
}

// Handler executes one tool call.
type Handler func(ctx context.Context, inv *Invocation) (ToolResult, error)

// Middleware wraps the execution of every tool call. It may inspect and change
// the arguments, return a result without calling next, change the result, or
// end the run (framework document on the interception of function calls).
//
// It is also called for calls that cannot be run: their Tool is nil and Fault
// is the reason. It is not called for calls that are skipped because the run
// has ended, or that exceed the limit of one turn.
type Middleware func(next Handler) Handler

// Invocation is a tool call and its context, passed through the middlewares.
type Invocation struct {
	// Tool is the called tool; nil if the model named an unknown one, or its
	// arguments are invalid.
	Tool *Tool
	// Fault is the result of a call without a Tool.
	Fault string
	Call  ToolCall // as made by the model; its ID is that of the result
	// Arguments is a JSON object, "{}" if the model sent nothing. Middlewares
	// outside of [Approval] may replace it; a call whose arguments change after
	// a decision is not run.
	Arguments json.RawMessage
	Messages  []Message // the conversation so far as the model sees it; read-only
	Session   *Session
	Model     string // as requests name it
	Params    Params // as [Config.Params]; read-only
	Streaming bool   // as [Config.Stream]
	Turn      int    // which answer of the model made the call, from 1
	Index     int    // position of the call within its turn, from 0
	Count     int    // calls in this turn
	Stopped   error  // why the run ends after this call, see [Invocation.Stop]; nil if it does not
	// Emit sends an event to the run's sink; never nil.
	Emit func(Event)

	callState
}

// callState is what the agent itself keeps about a call.
type callState struct {
	queue   *queue             // nil if calls run one by one
	run     *run               // nil outside of a run
	number  int                // position of the call within the run, from 0
	settled int                // number of calls with a result when this one started
	decided *[sha256.Size]byte // what was approved, or needed no approval

	allowed   *[sha256.Size]byte // what a middleware has approved
	allowedBy string

	preparing sync.Mutex
	prepared  *preparedCall // nil before the first [Invocation.Prepare]
}

// Stop ends the run after this call, for a reason: a [*LimitError] gives the
// run the status of that limit, an [*EndError] completes it, and anything else makes
// it fail with the reason. Of several the first counts. The turn's other calls are answered as skipped.
func (inv *Invocation) Stop(reason error) {
	if inv.Stopped == nil {
		inv.Stopped = reason
	}
}

// ToolResult is the result of a tool. Text is for the model.
type ToolResult struct {
	Text      string
	Shown     string // Text for people, without what only the model needs; "" for Text
	Summary   string // one line shown to the user instead of a long Text, or ""
	Failed    bool   // the call did not succeed; Text is the reason
	Truncated bool   // Text is incomplete
	// Broken is true if the call could not be run: an error, invalid arguments, an
	// unknown name. A script's exit code or a denied call does not count. See
	// Limits.Failures.
	Broken  bool
	Process *Process // set if the tool ran a program
	Change  *Change  // set if the tool changed a file
	// Parts are images for models that take them; Text is enough for the others.
	Parts []Part
	// Messages follow the results of the turn, as context of their Provider. Only
	// middlewares set them.
	Messages []Message
}

// Change counts the lines that a change of a file added and removed.
type Change struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Process describes the program that a tool ran.
type Process struct {
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
	Sandbox  string `json:"sandbox,omitempty"` // name of the sandbox, or "none"
}

// ErrorResult returns text as the result of a call that could not be run, with the
// framework's prefix.
func ErrorResult(text string) ToolResult {
	return ToolResult{Text: "Error: " + text, Failed: true, Broken: true}
}

// NewTool returns a tool whose arguments are decoded into a struct of type In
// before prepare is called. A field's parameter name is that of its json tag, and
// `alias:"args,argv"` adds other names, `guess:"resource"` those of [params.Guessed].
//
// Arguments are decoded leniently, see [params.Decode]; errors are results that
// help the model correct the call. Missing parameters are zero. NewTool panics
// unless In is a struct (struct{} for a tool without parameters).
func NewTool[In any](name, description string, schema map[string]any, prepare func(ctx context.Context, inv *Invocation, in In) (Action, error)) Tool {
	Parameters[In]() // panics now rather than at the first call
	return Tool{
		Name: name, Description: description, Schema: schema,
		Prepare: func(ctx context.Context, inv *Invocation) (Action, error) {
			in, fault := DecodeArguments[In](name, string(inv.Arguments))
			if fault != "" {
				return invalid{Answer(inv.Describe(), unreadable(fault)), fault}, nil
			}
			return prepare(ctx, inv, in)
		},
	}
}

// ParseSchema parses a JSON Schema; it panics if the text is invalid.
func ParseSchema(text string) (schema map[string]any) {
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		panic(err)
	}
	return schema
}

// DecodeArguments decodes the arguments of a tool like [NewTool]. If that
// fails, fault is the result for the model.
func DecodeArguments[In any](tool, arguments string) (in In, fault string) {
	text, fault := params.Object(arguments)
	if fault != "" { // a middleware has replaced them
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

// unreadable returns the result of a call with invalid arguments.
func unreadable(text string) ToolResult {
	return ErrorResult(model.ValidText(text)) // it contains what was sent
}

// Parameters returns the parameter names of a struct in field order. A test
// compares them with the properties of the tool's schema.
func Parameters[In any]() []string {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("agent: the arguments of a tool are decoded into a struct, not %s", t))
	}
	return params.Names(t)
}
