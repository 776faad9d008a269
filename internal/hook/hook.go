// Package hook runs the user's programs around tool calls and around the run:
// before a call they may deny it, change its arguments or answer in its place;
// after it they may change or withhold its result. Before a run they may add
// instructions and messages, and after it they may store the messages.
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
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/printable"
	"skills/internal/script"
)

// The events in the input of hooks.
const (
	before    = "before"
	after     = "after"
	beforeRun = "before-run"
	afterRun  = "after-run"
)

// Kinds are the names of the events.
func Kinds() []string { return []string{before, after, beforeRun, afterRun} }

// eventVariable is the environment variable with the name of the event.
const eventVariable = "SKILLS_HOOK_EVENT"

// schemaVersion is the version of the event.
const schemaVersion = 1

// Runner runs the programs; [script.Runner] implements it.
type Runner interface {
	// Ask runs command with input on standard input and more variables (KEY=VALUE). The
	// error is the reason why it was not started.
	Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error)
}

// Options holds the hooks of a run.
type Options struct {
	Hooks   map[string][]Command // by their kind, see [Kinds], in order
	Runner  Runner
	Dir     string // the working directory, for the hooks to know
	RunID   string
	Session string                   // the file that keeps the conversation, "" for none
	Note    func(message string)     // receives what hooks add to a run; nil drops it
	Mask    func(json []byte) []byte // hides keys in what hooks read; nil hides nothing
}

// head is what every event begins with.
type head struct {
	Event         string       `json:"event"`
	SchemaVersion int          `json:"schema_version"`
	RunID         string       `json:"run_id"`
	Cwd           string       `json:"cwd"`
	Model         string       `json:"model"`
	Params        agent.Params `json:"params,omitempty"`
	Streaming     bool         `json:"streaming"`
}

type event struct {
	head
	Tool      string          `json:"tool"`
	CallID    string          `json:"call_id"`
	Arguments json.RawMessage `json:"arguments"`
	Turn      int             `json:"turn"`
	Iteration int             `json:"iteration"` // the turn, from 0
	Index     int             `json:"index"`
	Count     int             `json:"count"`
	Result    *result         `json:"result,omitempty"` // after the call
	Messages  []agent.Message `json:"messages"`         // the conversation so far
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
			case inv.Stopped != nil:
				return agent.ToolResult{Text: "Skipped: the run ends here. " + inv.Stopped.Error(), Failed: true}, nil
			case denied.Reason != "":
				inv.Emit(denied)
				return agent.ToolResult{Text: "Tool call invocation rejected. " + denied.Reason, Failed: true}, nil
			}
			var result agent.ToolResult
			if answer != nil {
				result.Text = *answer
			} else {
				result, err = next(ctx, inv)
			}
			if err != nil {
				waits := errors.As(err, new(*agent.WaitingError)) // the call was not run
				if len(o.Hooks[after]) == 0 || ctx.Err() != nil || waits {
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
	for _, c := range o.Hooks[before] {
		v, err := o.call(ctx, before, c, inv, nil)
		switch {
		case err != nil:
			return nil, denied, err
		case v.decision == deny:
			if len(reasons) == 0 {
				denied = agent.ToolApproval{ID: inv.Call.ID, Decision: "denied", By: "hook", Tool: inv.Call.Name, Action: inv.Summary(ctx)}
			}
			reasons = append(reasons, v.reason)
			continue
		case v.decision == stop:
			inv.Stop(&agent.EndError{Reason: v.reason})
			return nil, denied, nil
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
	for _, c := range o.Hooks[after] {
		v, err := o.call(ctx, after, c, inv, newResult(result))
		switch {
		case err != nil:
			return agent.ToolResult{}, err
		case v.decision == deny:
			reasons = append(reasons, v.reason)
			continue
		case v.result != nil:
			result.Text, result.Shown, result.Truncated = *v.result, "", false
			note(inv, "%s changed the result of %s", named(c), inv.Call.ID)
		}
		if v.decision == stop {
			inv.Stop(&agent.EndError{Reason: v.reason})
			break
		}
	}
	if len(reasons) > 0 {
		why := strings.Join(reasons, "; ")
		inv.Emit(agent.WarningEvent{Message: fmt.Sprintf("the result of %s is withheld: %s", inv.Call.ID, why)})
		result.Text = "Error: The call was made, but its result is withheld. " + why
		result.Shown, result.Truncated, result.Failed = "", false, true
	}
	return result, nil
}

// call runs one hook around a call.
func (o *Options) call(ctx context.Context, kind string, c Command, inv *agent.Invocation, r *result) (verdict, error) {
	return o.run(ctx, kind, c, event{
		head: o.head(kind, inv.Model, inv.Params, inv.Streaming), Tool: inv.Tool.Name, CallID: inv.Call.ID, Arguments: inv.Arguments,
		Turn: inv.Turn, Iteration: inv.Turn - 1, Index: inv.Index, Count: inv.Count, Result: r, Messages: bare(inv.Messages),
	})
}

func (o *Options) head(kind, model string, params agent.Params, streaming bool) head {
	return head{
		Event:         kind,
		SchemaVersion: schemaVersion,
		RunID:         o.RunID,
		Cwd:           o.Dir,
		Model:         model,
		Params:        params,
		Streaming:     streaming,
	}
}

// run runs one hook. What fails is a denial; the error is that of a run that is
// over. A reason names its hook.
func (o *Options) run(ctx context.Context, kind string, c Command, event any) (verdict, error) {
	input := []byte(printable.JSONText(event))
	if o.Mask != nil {
		input = o.Mask(input)
	}
	got, err := o.Runner.Ask(ctx, c.Words, append(input, '\n'), eventVariable+"="+kind)
	if ctx.Err() != nil {
		return verdict{}, fmt.Errorf("running %s: %w", named(c), context.Cause(ctx))
	}
	var v verdict
	if err == nil {
		v, err = read(kind, got)
	}
	switch {
	case err != nil:
		return verdict{decision: deny, reason: named(c) + " failed: " + err.Error()}, nil
	case v.decision == deny || v.decision == stop:
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

// bare is a conversation without the data of files, never nil.
func bare(messages []agent.Message) []agent.Message {
	out := append([]agent.Message{}, messages...)
	for i := range out {
		out[i].Parts = model.Bare(out[i].Parts)
	}
	return out
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
