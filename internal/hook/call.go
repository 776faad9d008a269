package hook

// Hooks around tool calls. Those before a call see it as the model made it, also if it
// cannot be run; what they leave of it is what is approved. Those after it see only calls
// that were run.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"skills/internal/agent"
	"skills/internal/params"
	"skills/internal/printable"
)

// event is what hooks around a call read.
type event struct {
	head
	Tool      string          `json:"tool"`
	Server    string          `json:"server,omitempty"` // the MCP server of the tool
	CallID    string          `json:"call_id"`
	Arguments json.RawMessage `json:"arguments"`         // a string if the model wrote no object
	Invalid   string          `json:"invalid,omitempty"` // why the call cannot be run as it is
	position
	Result   *result         `json:"result,omitempty"` // after the call
	Messages []agent.Message `json:"messages"`         // the conversation so far
}

// position is where a call is in the run.
type position struct {
	Turn      int `json:"turn"`
	Iteration int `json:"iteration"` // the turn, from 0
	Index     int `json:"index"`
	Count     int `json:"count"`
}

type result struct {
	OK        bool   `json:"ok"`
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
	ExitCode  *int   `json:"exit_code,omitempty"`
	TimedOut  *bool  `json:"timed_out,omitempty"`
}

// Middleware returns a middleware that runs the hooks around every call. It must be outside
// of [agent.RequireApproval].
//
// All hooks of a kind are run in order, each with the changes of those before it. One
// denial is enough; all reasons are reported. A denied call is an [agent.ToolApproval]
// by "hook".
func (h *Hooks) Middleware() agent.Middleware {
	return func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			runBefore, runAfter := h.before, h.after
			if h.o.Protocol == AgentHooks {
				runBefore, runAfter = points{h}.preTool, points{h}.postTool
			}
			answer, denied, err := runBefore(ctx, inv)
			switch {
			case err != nil:
				return agent.ToolResult{}, err
			case inv.Stopped != nil:
				return agent.ToolResult{Text: "Skipped: the run ends here. " + inv.Stopped.Error(), Failed: true}, nil
			case denied.Reason != "":
				inv.Emit(denied)
				return agent.ToolResult{Text: "Tool call invocation rejected. " + denied.Reason, Failed: true}, nil
			case answer == nil && inv.Tool == nil: // the call is not run
				return next(ctx, inv)
			}
			var result agent.ToolResult
			if answer != nil {
				result.Text = *answer
			} else {
				result, err = next(ctx, inv)
			}
			if err != nil {
				waits := errors.As(err, new(*agent.WaitingError)) // the call was not run
				if len(h.o.Hooks[after]) == 0 || ctx.Err() != nil || waits {
					return result, err
				}
				// Hooks also see a tool's error.
				result = agent.Broken(inv.Tool.Name, err)
			}
			return runAfter(ctx, inv, result)
		}
	}
}

// before runs the hooks before a call. It returns the result with which a hook replaces
// the tool's, and the denial of the first hook that denies the call, for the call as it
// was then and possibly without a reason.
func (h *Hooks) before(ctx context.Context, inv *agent.Invocation) (answer *string, denied agent.ToolApproval, err error) {
	var reasons []string
	allowed := ""
	for _, c := range h.o.Hooks[before] {
		v, err := h.call(ctx, before, c, inv, nil)
		if err != nil {
			return nil, denied, err
		}
		if v.decision == allow {
			allowed = named(c)
			if why := h.mayNotAllow(ctx, c, inv, v); why != "" {
				allowed, v.decision, v.reason = "", deny, named(c)+" failed: "+why
			}
		}
		switch v.decision {
		case deny:
			if len(reasons) == 0 {
				denied = agent.ToolApproval{ID: inv.Call.ID, Decision: "denied", By: "hook", Tool: toolOf(inv), Action: inv.Summary(ctx)}
			}
			reasons = append(reasons, v.reason)
			continue
		case stop:
			inv.Stop(&agent.EndError{Reason: v.reason})
			return nil, denied, nil
		}
		was := called{toolOf(inv), text(inv)}
		if h.change(inv, v) {
			noteCall(inv, c, was)
			if v.decision != allow {
				allowed = "" // it was for another call
			}
		}
		if v.result != nil {
			answer = v.result
			inv.Emit(agent.HookEvent{
				Hook: c.Text, On: before, ID: inv.Call.ID, Change: "result", After: *v.result,
				Message: fmt.Sprintf("%s answers %s instead of %s", named(c), inv.Call.ID, toolOf(inv)),
			})
		}
	}
	denied.Reason = strings.Join(reasons, "; ")
	if allowed != "" && denied.Reason == "" && inv.Tool != nil {
		inv.Allow(allowed)
	}
	return answer, denied, nil
}

// mayNotAllow returns why a hook may not approve a call that needs approval, or "".
func (h *Hooks) mayNotAllow(ctx context.Context, c Command, inv *agent.Invocation, v verdict) string {
	why := "it allows a call, but your configuration does not list it under trusted-hooks"
	if h.o.Trusted != nil {
		why = h.o.Trusted(c)
	}
	if why == "" || inv.Tool == nil || v.result != nil {
		return ""
	}
	action, err := inv.Prepare(ctx)
	if err != nil || action.Approval() == nil {
		return "" // nothing was to be approved
	}
	return why
}

// called is a call as it was before a hook changed it.
type called struct{ tool, arguments string }

// noteCall reports what a hook changed of a call.
func noteCall(inv *agent.Invocation, c Command, was called) {
	e := agent.HookEvent{Hook: c.Text, On: before, ID: inv.Call.ID, Change: "arguments", Before: was.arguments, After: text(inv)}
	e.Message = fmt.Sprintf("%s changed the arguments of %s to %s", named(c), inv.Call.ID, e.After)
	if name := toolOf(inv); name != was.tool {
		e.Change, e.Before, e.After = "tool", was.tool+" "+e.Before, name+" "+e.After
		e.Message = fmt.Sprintf("%s changed %s to %s", named(c), inv.Call.ID, e.After)
	}
	inv.Emit(e)
}

// toolOf returns the name of the tool that is called, which may not exist.
func toolOf(inv *agent.Invocation) string {
	if inv.Tool == nil {
		return inv.Call.Name
	}
	return inv.Tool.Name
}

// text returns the arguments of a call, which may be no JSON.
func text(inv *agent.Invocation) string {
	if inv.Tool == nil {
		return inv.Call.Arguments
	}
	return string(inv.Arguments)
}

// after runs the hooks after a call and returns the result.
func (h *Hooks) after(ctx context.Context, inv *agent.Invocation, result agent.ToolResult) (agent.ToolResult, error) {
	var reasons []string
	var added []agent.Message
	var notes []agent.HookEvent
	for _, c := range h.o.Hooks[after] {
		v, err := h.call(ctx, after, c, inv, newResult(result))
		switch {
		case err != nil:
			return agent.ToolResult{}, err
		case v.decision == deny:
			reasons = append(reasons, v.reason)
			continue
		case v.result != nil:
			noteResult(inv, c, result.Text, *v.result)
			result.Text, result.Shown, result.Truncated = *v.result, "", false
		}
		if len(v.messages) > 0 {
			added, notes = append(added, v.messages...), append(notes, addition(inv, c, v.messages))
		}
		if v.decision == stop {
			inv.Stop(&agent.EndError{Reason: v.reason})
			break
		}
	}
	if len(reasons) > 0 {
		return withheld(inv, result, strings.Join(reasons, "; ")), nil // the messages may be about the result
	}
	for _, e := range notes {
		inv.Emit(e)
	}
	result.Messages = append(result.Messages, added...)
	return result, nil
}

// addition reports that a hook adds messages after a call.
func addition(inv *agent.Invocation, c Command, messages []agent.Message) agent.HookEvent {
	texts := printable.Map(messages, func(m agent.Message) string { return m.Text })
	return agent.HookEvent{
		Hook: c.Text, On: after, ID: inv.Call.ID, Change: "messages", After: strings.Join(texts, "\n\n"), Private: true,
		Message: fmt.Sprintf("%s adds %s after %s", named(c), printable.Plural(len(messages), "message"), inv.Call.ID),
	}
}

// noteResult reports that a hook changed a result.
func noteResult(inv *agent.Invocation, c Command, was, now string) {
	inv.Emit(agent.HookEvent{
		Hook: c.Text, On: after, ID: inv.Call.ID, Change: "result", Before: was, After: now,
		Message: fmt.Sprintf("%s changed the result of %s", named(c), inv.Call.ID),
	})
}

// withheld returns what the model gets in place of a result, for a reason.
func withheld(inv *agent.Invocation, result agent.ToolResult, why string) agent.ToolResult {
	inv.Emit(agent.WarningEvent{Message: fmt.Sprintf("the result of %s is withheld: %s", inv.Call.ID, why)})
	result.Text = "Error: The call was made, but its result is withheld. " + why
	result.Shown, result.Truncated, result.Failed = "", false, true
	return result
}

// call runs one hook around a call.
func (h *Hooks) call(ctx context.Context, kind string, c Command, inv *agent.Invocation, r *result) (verdict, error) {
	e := event{
		head: h.head(kind, inv.Model, inv.Params, inv.Streaming), Tool: toolOf(inv), CallID: inv.Call.ID, Arguments: inv.Arguments,
		position: position{Turn: inv.Turn, Iteration: inv.Turn - 1, Index: inv.Index, Count: inv.Count}, Result: r, Messages: bare(inv.Messages),
	}
	if kind == before {
		e.Invalid = inv.Invalid(ctx)
	}
	if inv.Tool == nil {
		object, fault := params.Object(inv.Call.Arguments)
		e.Arguments = json.RawMessage(object)
		if fault != "" {
			e.Arguments = json.RawMessage(printable.JSONText(inv.Call.Arguments))
		}
	}
	e.Server = serverOf(ctx, inv)
	return h.run(ctx, kind, c, e)
}

// change makes the call what a hook wants, and reports whether anything differs. Arguments
// are merged into those of the call; they replace what is no object.
func (h *Hooks) change(inv *agent.Invocation, v verdict) bool {
	if v.tool == nil && v.arguments == nil {
		return false
	}
	all := map[string]json.RawMessage{}
	now := text(inv)
	object, fault := params.Object(now)
	if fault == "" {
		json.Unmarshal([]byte(object), &all) // an object always encodes
	}
	before := printable.JSONText(all)
	maps.Copy(all, v.arguments)
	arguments := printable.JSONText(all)
	if v.arguments == nil {
		arguments = now
	}
	name := toolOf(inv)
	if v.tool != nil {
		name = *v.tool
	}
	switch {
	case inv.Tool == nil || name != inv.Tool.Name:
		was := called{toolOf(inv), now}
		inv.Repair(name, arguments)
		return was != called{toolOf(inv), text(inv)}
	case before != arguments:
		inv.Arguments = json.RawMessage(arguments)
		return true
	}
	return false
}

func newResult(r agent.ToolResult) *result {
	out := &result{OK: !r.Failed, Output: r.Text, Truncated: r.Truncated}
	if r.Process != nil {
		out.ExitCode, out.TimedOut = &r.Process.ExitCode, &r.Process.TimedOut
	}
	return out
}
