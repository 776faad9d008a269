package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"skills/internal/printable"
)

// A call is resolved once. [Tool.Prepare] turns it into an [Action], and everybody
// else reads that: hooks and the transcript its summary, the approval what is to be
// decided, the records both. What runs is the action that was shown.

// Action is a prepared call.
type Action interface {
	// Summary says what the call does.
	Summary() Summary
	// Approval returns what has to be decided before Run; nil if nothing has.
	Approval() *Approval
	// Run does it. The error is handled like that of [Tool.Prepare].
	Run(ctx context.Context) (ToolResult, error)
}

// The kinds of actions.
const (
	KindSkill    = "skill"    // loads a skill: Owner
	KindSearch   = "search"   // searches the skills: Name is the query
	KindResource = "resource" // reads a resource: Owner is the skill, Name the resource
	KindScript   = "script"   // runs a script: Owner is the skill, Name the script
	KindFile     = "file"     // reads, lists or searches files: Name is the path
	KindEdit     = "edit"     // changes a file: Name is the path
	KindCommand  = "command"  // runs a command line: Name is its text, Owner the skill in whose folder it starts
	KindTodo     = "todo"     // reads or changes the todo list
	KindTool     = "tool"     // calls a tool of an MCP server: Owner is the server
	KindOther    = "other"    // anything else, and calls that cannot be prepared
)

// Summary says what an action does, for people and for records.
type Summary struct {
	Kind  string `json:"kind"`            // one of the constants
	Owner string `json:"owner,omitempty"` // the skill or the server
	Name  string `json:"name,omitempty"`  // the resource, the script or the server's tool
	// Grants are what the action is allowed besides what each of its kind is.
	Grants []string `json:"grants,omitempty"`
	// Line is the important part of the call for people, such as the script with
	// its arguments as a command line. Tools whose effect is shown otherwise have none.
	Line string `json:"-"`
	// Arguments are those of the tool, or of the script, as JSON.
	Arguments json.RawMessage `json:"-"`
	Command   []string        `json:"-"` // command line of the program that is run, or nil
	Digest    string          `json:"-"` // hexadecimal SHA-256 of what is run, or ""
	Files     string          `json:"-"` // the same of all files that belong to it
}

// Target names what the action is about: the owner and the name, or "".
func (s Summary) Target() string {
	if s.Owner == "" || s.Name == "" {
		return s.Owner + s.Name
	}
	return s.Owner + "/" + s.Name
}

// Simple returns an action that needs no approval.
func Simple(s Summary, run func(ctx context.Context) (ToolResult, error)) Action {
	return simple{s, run}
}

// Answer returns an action that does nothing and has this result: the call cannot
// be run, or needs no work.
func Answer(s Summary, result ToolResult) Action {
	return simple{s, func(ctx context.Context) (ToolResult, error) { return result, context.Cause(ctx) }}
}

type simple struct {
	summary Summary
	run     func(ctx context.Context) (ToolResult, error)
}

func (a simple) Summary() Summary                            { return a.summary }
func (simple) Approval() *Approval                           { return nil }
func (a simple) Run(ctx context.Context) (ToolResult, error) { return a.run(ctx) }

// invalid is the action of a call whose arguments do not fit the tool.
type invalid struct {
	Action
	fault string
}

// preparedCall is an action, or why there is none, with the call it belongs to.
type preparedCall struct {
	call   [sha256.Size]byte
	action Action
	err    error
}

// Prepare returns the action of the call with its present arguments. It is the same
// value until they change. The invocation must have a tool.
func (inv *Invocation) Prepare(ctx context.Context) (Action, error) {
	inv.preparing.Lock()
	defer inv.preparing.Unlock()
	this := digest(inv.Tool.Name, inv.Arguments)
	if p := inv.prepared; p != nil && p.call == this {
		return p.action, p.err
	}
	action, err := RecoverPanic(func() (Action, error) { return inv.Tool.Prepare(ctx, inv) })
	inv.prepared = &preparedCall{this, action, err}
	return action, err
}

// Summary returns that of the prepared action, or a description of the call.
func (inv *Invocation) Summary(ctx context.Context) Summary {
	if inv.Tool == nil {
		return inv.Describe()
	}
	action, err := inv.Prepare(ctx)
	if err != nil {
		return inv.Describe()
	}
	return action.Summary()
}

// Describe returns a summary of the call as the model made it.
func (inv *Invocation) Describe() Summary {
	arguments := inv.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage(inv.Call.Arguments)
	}
	return Summary{Kind: KindOther, Line: DescribeArguments(arguments), Arguments: arguments}
}

// current returns the summary of the last prepared action, or a description of the call.
func (inv *Invocation) current() Summary {
	inv.preparing.Lock()
	defer inv.preparing.Unlock()
	if p := inv.prepared; p != nil && p.action != nil {
		return p.action.Summary()
	}
	return inv.Describe()
}

// announce emits what the call does.
func (inv *Invocation) announce(ctx context.Context) {
	inv.Emit(ActionEvent{ID: inv.Call.ID, Action: inv.Summary(ctx)})
}

// DescribeArguments returns the arguments of a call for people: name=value in the
// order of the names, or the text if it is no JSON object.
func DescribeArguments(arguments json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(arguments, &fields) != nil {
		return string(arguments)
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := string(fields[name])
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			value = text
		}
		words = append(words, name+"="+printable.Line(value))
	}
	return strings.Join(words, " ")
}
