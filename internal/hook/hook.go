// Package hook runs the user's programs around tool calls. Before a call they may deny
// it, change its arguments or replace its result; after it they may change or withhold
// its result.
//
// Only a clear answer allows a call: a program that cannot be started, fails, times out
// or prints an invalid answer denies the call, or withholds the result. So does an
// ambiguous answer: null, a duplicate key, a reason without a decision. A program that
// prints nothing, or an empty object, has no objection. That does not approve the call:
// hooks run outside of approvals, so that the user approves the call as changed by the
// hooks.
package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// The events in the input of hooks.
const (
	before = "before"
	after  = "after"
)

// EventVariable is the environment variable with the name of the event.
const EventVariable = "SKILLS_HOOK_EVENT"

// schemaVersion is the version of the event.
const schemaVersion = 1

// Command is a hook's command line.
type Command struct {
	Text  string // as written by the user
	Words []string
}

// Runner runs the programs; [script.Runner] implements it.
type Runner interface {
	Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error)
}

// Options holds the hooks of a run, each kind in order.
type Options struct {
	Before, After []Command
	Runner        Runner
	Dir           string // the working directory, shown to hooks
	RunID         string
}

type event struct {
	Event         string          `json:"event"`
	SchemaVersion int             `json:"schema_version"`
	RunID         string          `json:"run_id"`
	Cwd           string          `json:"cwd"`
	Tool          string          `json:"tool"`
	CallID        string          `json:"call_id"`
	Arguments     json.RawMessage `json:"arguments"`
	Turn          int             `json:"turn"`
	Index         int             `json:"index"`
	Count         int             `json:"count"`
	Result        *result         `json:"result,omitempty"` // after the call
}

type result struct {
	OK        bool   `json:"ok"`
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
	ExitCode  *int   `json:"exit_code,omitempty"`
	TimedOut  *bool  `json:"timed_out,omitempty"`
}

// Middleware returns a middleware that runs the hooks around every call of a known
// tool. It must be outside of [agent.Approval].
//
// All hooks of a kind are run in order, each with the changes of those before it. One
// denial is enough; all reasons are reported. A denied call is an [agent.ToolApproval]
// by "hook".
func Middleware(o Options) agent.Middleware {
	return func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			if inv.Tool == nil { // the call is not run
				return next(ctx, inv)
			}
			answer, denied, err := o.before(ctx, inv)
			switch {
			case err != nil:
				return agent.ToolResult{}, err
			case denied.Reason != "":
				inv.Emit(denied)
				return agent.ToolResult{Text: "Tool call invocation rejected. " + denied.Reason, Failed: true}, nil
			}
			var result agent.ToolResult
			if answer != nil {
				result.Text = *answer
			} else if result, err = next(ctx, inv); err != nil {
				if len(o.After) == 0 || ctx.Err() != nil {
					return result, err
				}
				// Hooks also see a tool's error.
				result = agent.Broken(inv.Tool.Name, err)
			}
			return o.after(ctx, inv, result)
		}
	}
}

// before runs the hooks before a call. It returns the result with which a hook replaces
// the tool's, and the denial of the first hook that denies the call, for the call as it
// was then and possibly without a reason.
func (o *Options) before(ctx context.Context, inv *agent.Invocation) (answer *string, denied agent.ToolApproval, err error) {
	var reasons []string
	for _, c := range o.Before {
		v, err := o.run(ctx, before, c, inv, nil)
		switch {
		case err != nil:
			return nil, denied, err
		case v.denied:
			if len(reasons) == 0 {
				denied = agent.ToolApproval{ID: inv.Call.ID, Decision: "denied", By: "hook", Tool: inv.Call.Name, Arguments: string(inv.Arguments)}
			}
			reasons = append(reasons, v.reason)
			continue
		}
		if v.arguments != nil && change(inv, v.arguments) {
			note(inv, "%s changed the arguments of %s to %s", named(c), inv.Call.ID, inv.Arguments)
		}
		if v.result != nil {
			answer = v.result
			note(inv, "%s answers %s instead of %s", named(c), inv.Call.ID, inv.Tool.Name)
		}
	}
	denied.Reason = strings.Join(reasons, "; ")
	return answer, denied, nil
}

// after runs the hooks after a call and returns the result.
func (o *Options) after(ctx context.Context, inv *agent.Invocation, result agent.ToolResult) (agent.ToolResult, error) {
	var reasons []string
	for _, c := range o.After {
		v, err := o.run(ctx, after, c, inv, newResult(result))
		switch {
		case err != nil:
			return agent.ToolResult{}, err
		case v.denied:
			reasons = append(reasons, v.reason)
		case v.result != nil:
			result.Text, result.Truncated = *v.result, false
			note(inv, "%s changed the result of %s", named(c), inv.Call.ID)
		}
	}
	if len(reasons) > 0 {
		why := strings.Join(reasons, "; ")
		note(inv, "the result of %s is withheld: %s", inv.Call.ID, why)
		result.Text, result.Truncated, result.Failed = "Error: The call was made, but its result is withheld. "+why, false, true
	}
	return result, nil
}

// run runs one hook. A failure is a denial; the error is that of a run that is over. A
// denial's reason contains the hook's name.
func (o *Options) run(ctx context.Context, kind string, c Command, inv *agent.Invocation, r *result) (verdict, error) {
	input := printable.JSONText(event{
		Event: kind, SchemaVersion: schemaVersion, RunID: o.RunID, Cwd: o.Dir,
		Tool: inv.Tool.Name, CallID: inv.Call.ID, Arguments: inv.Arguments,
		Turn: inv.Turn, Index: inv.Index, Count: inv.Count, Result: r,
	}) + "\n"
	got, err := o.Runner.Ask(ctx, c.Words, []byte(input), EventVariable+"="+kind)
	if ctx.Err() != nil {
		return verdict{}, fmt.Errorf("running %s: %w", named(c), context.Cause(ctx))
	}
	var v verdict
	if err == nil {
		v, err = read(kind, got)
	}
	switch {
	case err != nil:
		return verdict{denied: true, reason: named(c) + " failed: " + err.Error()}, nil
	case v.denied:
		v.reason = named(c) + ": " + cmp.Or(v.reason, "it gave no reason")
	}
	return v, nil
}

// change merges a hook's arguments into those of the call, and reports whether any
// differ.
func change(inv *agent.Invocation, over map[string]json.RawMessage) bool {
	all := map[string]json.RawMessage{}
	json.Unmarshal(inv.Arguments, &all) // an object always encodes
	before := printable.JSONText(all)
	maps.Copy(all, over)
	after := printable.JSONText(all)
	if before != after {
		inv.Arguments = json.RawMessage(after)
	}
	return before != after
}

func newResult(r agent.ToolResult) *result {
	out := &result{OK: !r.Failed, Output: r.Text, Truncated: r.Truncated}
	if r.Process != nil {
		out.ExitCode, out.TimedOut = &r.Process.ExitCode, &r.Process.TimedOut
	}
	return out
}

func named(c Command) string {
	return "hook " + printable.Truncate(c.Text, 60)
}

func note(inv *agent.Invocation, format string, args ...any) {
	inv.Emit(agent.NoteEvent{Message: fmt.Sprintf(format, args...)})
}

// Parse splits a command line into words like a shell: at blanks, except in '..' or
// ".." or after a backslash. There is no shell, so any other shell syntax is an error.
func Parse(text string) (Command, error) {
	c := Command{Text: strings.TrimSpace(text)}
	var word strings.Builder
	begun := false             // a word may be empty: ''
	quote := rune(0)           // the open quote
	in := []rune(c.Text + " ") // ends the last word
	for i := 0; i < len(in); i++ {
		r := in[i]
		switch plain := quote == 0; {
		case r == 0:
			return c, errors.New("a NUL character cannot be in a command line")
		case r == quote:
			quote = 0
		case plain && (r == '\'' || r == '"'):
			quote, begun = r, true
		case plain && strings.ContainsRune(" \t\n\r", r):
			if begun {
				c.Words = append(c.Words, word.String())
			}
			word.Reset()
			begun = false
		case plain && r == '\\' && runtime.GOOS != "windows",
			quote == '"' && r == '\\' && strings.ContainsRune("\"\\$`", in[i+1]):
			i++
			if plain && i == len(in)-1 {
				return c, errors.New("it ends with a backslash")
			}
			begun = true
			word.WriteRune(in[i])
		case plain && strings.ContainsRune("|&;<>()*?[", r),
			quote != '\'' && (r == '$' || r == '`'), plain && !begun && (r == '~' || r == '#'):
			return c, fmt.Errorf("%q needs a shell, which is not used: put it in single quotes to mean the character, or write sh -c '…'", r)
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return c, fmt.Errorf("the quote %c has no end", quote)
	case len(c.Words) == 0 || c.Words[0] == "":
		return c, errors.New("no program is named")
	}
	return c, nil
}
