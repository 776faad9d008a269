package hook

// What hooks of the protocol agent-hooks read at each point, and what becomes of a
// transformed target.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/params"
	"skills/internal/printable"
)

// points are the hooks of a run that speak agent-hooks.
type points struct{ *Hooks }

// step is a point with its target; build returns the context for a target.
type step struct {
	*emission
	target any
	build  func(target any) map[string]any
	frozen bool // no transform is permitted
	later  bool // the record is passed on later
}

// all runs the hooks of a kind on a step, until the first that denies. What they leave is
// the step's target.
func (s *step) all(ctx context.Context, kind string) (verdict, error) {
	if !s.later {
		defer s.end()
	}
	id, err := identity(s.context(s.target, s.build(s.target)))
	if err != nil {
		return s.deny(nil, hostErrorf(contextInvalid, "%v", err)), nil
	}
	s.record.Input, s.record.Enforced = &id, &id
	for _, c := range s.h.o.Hooks[kind] {
		v, err := s.ask(ctx, kind, c)
		if err != nil || v.decision == deny {
			return v, err
		}
	}
	return verdict{}, nil
}

// ask runs one hook.
func (s *step) ask(ctx context.Context, kind string, c Command) (verdict, error) {
	input := []byte(printable.JSONText(s.context(s.target, s.build(s.target))))
	if s.h.o.Mask != nil {
		input = s.h.o.Mask(input)
	}
	got, err := s.h.o.Runner.Ask(ctx, c.Words, append(input, '\n'), eventVariable+"="+kind)
	if ctx.Err() != nil {
		return verdict{}, fmt.Errorf("running %s: %w", named(c), context.Cause(ctx))
	}
	s.next++
	var wire wireVerdict
	if err == nil {
		wire, err = readWire(got)
	}
	if err != nil {
		return s.failed(c, err), nil
	}
	emitWarnings(c, wire, s.emit)
	switch wire.Decision {
	case "deny":
		s.decide(wire)
		return verdict{decision: deny, reason: named(c) + ": " + strings.TrimPrefix(wire.why(), ": "), lift: wire.Approval != nil}, nil
	case "transform":
		err = s.transform(c, *wire.Transform)
		if err != nil {
			return s.failed(c, err), nil
		}
	}
	s.decide(wire)
	return verdict{}, nil
}

func (s *step) failed(c Command, err error) verdict { return s.deny(&c, err) }

// transform applies a transform to the target.
func (s *step) transform(c Command, t transform) error {
	if s.frozen {
		return hostErrorf(targetForbidden, "nothing can be changed at %s", s.point)
	}
	target, err := plainJSON(s.target) // the hook's own copy
	if err != nil {
		return hostErrorf(contextInvalid, "%v", err)
	}
	target, err = apply(target, t)
	if err != nil {
		return err
	}
	id, err := identity(s.context(target, s.build(target)))
	if err != nil {
		s.record.Enforced = nil
		return hostErrorf(contextInvalid, "%v", err)
	}
	s.target, s.record.Enforced = target, &id
	return nil
}

// textOf returns a part of a target as text.
func textOf(target any, name string) string {
	object, _ := target.(map[string]any)
	return asText(object[name])
}

func asText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return printable.JSONText(value)
}

// startup runs the hooks at the start of the run and for its input, which they may change.
func (h points) startup(ctx context.Context, in *agent.Invoking) (agent.Context, error) {
	var none agent.Context
	hooks := len(h.o.Hooks[beforeRun])
	tools := printable.Map(in.Context.Tools, func(t agent.Tool) string { return t.Name })
	slices.Sort(tools)
	begin := &step{emission: h.emission(pointStartup, hooks, h.noteEvent), frozen: true}
	begin.target = map[string]any{"tools_registered": append([]string{}, tools...), "model": in.Agent.Model()}
	begin.build = func(target any) map[string]any { return map[string]any{"agent_init": target} }
	v, err := begin.all(ctx, beforeRun)
	if err == nil && v.decision == deny {
		err = errors.New(v.reason)
	}
	if err != nil {
		return none, err
	}
	prompt := ""
	for _, m := range in.Input {
		prompt += m.Text
	}
	input := &step{emission: h.emission(pointInput, hooks, h.noteEvent)}
	input.target = map[string]any{"content": prompt, "role": "user"}
	input.build = func(target any) map[string]any { return map[string]any{"input": target} }
	v, err = input.all(ctx, beforeRun)
	if err == nil && v.decision == deny {
		err = errors.New(v.reason)
	}
	if err != nil {
		return none, err
	}
	changed := textOf(input.target, "content")
	if changed == prompt {
		return none, nil
	}
	if h.o.Note != nil {
		h.o.Note(named(h.o.Hooks[beforeRun][max(0, input.next-1)]) + " changed the prompt")
	}
	return agent.Context{Remove: agent.Removal{Input: true, Prompt: changed}}, nil
}

// noteEvent notes a warning of a hook where there are no events.
func (h points) noteEvent(e agent.Event) {
	if warning, ok := e.(agent.WarningEvent); ok && h.o.Note != nil {
		h.o.Note(warning.Message)
	}
}

// shutdown runs the hooks at the end of the run; their verdicts have no effect.
func (h points) shutdown(ctx context.Context, status agent.Status) error {
	reason := "error"
	if status == agent.Completed {
		reason = "completed"
	}
	s := &step{emission: h.emission(pointShutdown, len(h.o.Hooks[afterRun]), h.noteEvent), frozen: true}
	s.target = map[string]any{"reason": reason, "status": string(status)}
	s.build = func(target any) map[string]any { return map[string]any{"summary": target} }
	_, err := s.all(ctx, afterRun)
	return err
}

// preTool runs the hooks before a call.
func (h points) preTool(ctx context.Context, inv *agent.Invocation) (answer *string, denied agent.ToolApproval, err error) {
	if len(h.o.Hooks[before]) == 0 {
		return nil, denied, nil
	}
	was := called{toolOf(inv), text(inv)}
	s := &step{emission: h.emission(pointPreTool, len(h.o.Hooks[before]), inv.Emit)}
	s.target = argumentsOf(inv)
	more := map[string]any{}
	if why := inv.Invalid(ctx); why != "" {
		more["invalid"] = why
	}
	if server := serverOf(ctx, inv); server != "" {
		more["server"] = server
	}
	s.build = func(target any) map[string]any {
		call := maps.Clone(more)
		call["id"], call["name"], call["args"] = inv.Call.ID, toolOf(inv), target
		return map[string]any{"tool_call": call}
	}
	s.later = true // a person may lift a denial
	defer s.end()
	v, err := s.all(ctx, before)
	if err != nil {
		return nil, denied, err
	}
	if v.decision == deny && v.lift && h.o.Lift != nil {
		v = h.lift(ctx, s, inv, v)
	}
	if v.decision == deny {
		return nil, agent.ToolApproval{ID: inv.Call.ID, Decision: "denied", By: "hook", Reason: v.reason, Tool: toolOf(inv), Action: inv.Summary(ctx)}, nil
	}
	now, err := canonical(s.target)
	old, _ := canonical(argumentsOf(inv))
	if err == nil && string(now) != string(old) {
		if inv.Tool != nil {
			inv.Arguments = now
		} else {
			inv.Repair(toolOf(inv), string(now))
		}
		noteCall(inv, h.o.Hooks[before][max(0, s.next-1)], was)
	}
	return nil, denied, nil
}

// lift asks a person about a denial that can be lifted.
func (h points) lift(ctx context.Context, s *step, inv *agent.Invocation, v verdict) verdict {
	d, asked := h.o.Lift(ctx, inv, v.reason)
	if !asked {
		return v
	}
	if d.Approved {
		s.record.Verdict = &wireVerdict{Decision: "allow"}
		s.record.ResolvedBy = "approval"
		return verdict{}
	}
	s.record.ResolvedBy = "rejection"
	if d.Reason != "" {
		s.record.Verdict.Reason, v.reason = &d.Reason, d.Reason
	}
	return v
}

// argumentsOf returns the arguments of a call, {} if they are no object.
func argumentsOf(inv *agent.Invocation) any {
	object, fault := params.Object(text(inv))
	value, err := decodeJSON([]byte(object))
	if fault != "" || err != nil {
		return map[string]any{}
	}
	return value
}

// serverOf returns the MCP server of a call's tool, or "".
func serverOf(ctx context.Context, inv *agent.Invocation) string {
	if inv.Tool == nil {
		return ""
	}
	if s := inv.Summary(ctx); s.Kind == agent.KindTool {
		return s.Owner
	}
	return ""
}

// valueOf returns the result of a tool: its JSON if it is an object or a list.
func valueOf(output string) any {
	trimmed := strings.TrimSpace(output)
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if value, err := decodeJSON([]byte(trimmed)); err == nil && json.Valid([]byte(trimmed)) {
			return value
		}
	}
	return output
}

// postTool runs the hooks after a call.
func (h points) postTool(ctx context.Context, inv *agent.Invocation, result agent.ToolResult) (agent.ToolResult, error) {
	if len(h.o.Hooks[after]) == 0 {
		return result, nil
	}
	s := &step{emission: h.emission(pointPostTool, len(h.o.Hooks[after]), inv.Emit), target: valueOf(result.Text)}
	s.build = func(target any) map[string]any {
		return map[string]any{
			"tool_call":   map[string]any{"id": inv.Call.ID, "name": toolOf(inv), "args": argumentsOf(inv)},
			"tool_result": map[string]any{"value": target, "is_error": result.Failed},
		}
	}
	v, err := s.all(ctx, after)
	if err != nil {
		return agent.ToolResult{}, err
	}
	if v.decision == deny {
		return withheld(inv, result, v.reason), nil
	}
	if now := asText(s.target); now != asText(valueOf(result.Text)) {
		noteResult(inv, h.o.Hooks[after][max(0, s.next-1)], result.Text, now)
		result.Text, result.Shown, result.Truncated = now, "", false
	}
	return result, nil
}

// preModel runs the hooks before a request.
func (h points) preModel(ctx context.Context, call *agent.ModelCall) error {
	if len(h.o.Hooks[beforeModel]) == 0 {
		return nil
	}
	r := &call.Request
	sent := wireMessages(r.Instructions, r.Messages)
	s := &step{emission: h.emission(pointPreModel, len(h.o.Hooks[beforeModel]), call.Emit), target: sent}
	tools := []any{}
	for _, t := range r.Tools {
		tools = append(tools, map[string]any{"name": t.Name, "description": t.Description})
	}
	s.build = func(target any) map[string]any {
		return map[string]any{"model": map[string]any{"id": r.Model}, "messages": target, "tools": tools}
	}
	v, err := s.all(ctx, beforeModel)
	if err == nil {
		err = ended(beforeModel, v)
	}
	if err != nil {
		return err
	}
	was, now := printable.JSONText(sent), printable.JSONText(s.target)
	if was == now {
		return nil
	}
	c := h.o.Hooks[beforeModel][max(0, s.next-1)]
	instructions, messages, err := fromMessages(s.target)
	if err == nil {
		messages, err = merge(r.Messages, messages)
	}
	if err != nil {
		return fmt.Errorf("%s: %s failed: %s: %w", beforeModel, named(c), transformInvalid, err)
	}
	r.Instructions, r.Messages, r.Ephemeral = instructions, messages, min(r.Ephemeral, len(messages))
	call.Emit(agent.HookEvent{
		Hook: c.Text, On: beforeModel, Change: "messages", Before: was, After: now, Private: true,
		Message: fmt.Sprintf("%s changed the messages of request %d", named(c), call.Turn),
	})
	return nil
}

// postModel runs the hooks after a reply.
func (h points) postModel(ctx context.Context, call *agent.ModelCall, got *agent.Reply) error {
	if len(h.o.Hooks[afterModel]) == 0 {
		return nil
	}
	for _, c := range h.o.Hooks[afterModel] {
		call.Emit(agent.HeldEvent{For: named(c)})
	}
	s := &step{emission: h.emission(pointPostModel, len(h.o.Hooks[afterModel]), call.Emit)}
	var content any
	if got.Text != "" || len(got.Calls) == 0 {
		content = got.Text
	}
	calls := wireCalls(got.Calls)
	s.target = map[string]any{"content": content, "tool_calls": calls, "finish_reason": got.Finish}
	more := map[string]any{"model": map[string]any{"id": call.Request.Model}}
	if got.Usage != nil {
		more["usage"] = got.Usage
	}
	s.build = func(target any) map[string]any {
		all := maps.Clone(more)
		all["response"] = target
		return all
	}
	v, err := s.all(ctx, afterModel)
	if err == nil {
		err = ended(afterModel, v)
	}
	if err != nil {
		return err
	}
	c := h.o.Hooks[afterModel][max(0, s.next-1)]
	changed := func(what, before, after string) {
		call.Emit(agent.HookEvent{
			Hook: c.Text, On: afterModel, Change: what, Before: before, After: after, Private: true,
			Message: fmt.Sprintf("%s changed the %s of reply %d", named(c), what, call.Turn),
		})
	}
	if now := textOf(s.target, "content"); now != got.Text {
		changed("text", got.Text, now)
		got.Text = now
	}
	object, _ := s.target.(map[string]any)
	if was, now := printable.JSONText(calls), printable.JSONText(object["tool_calls"]); was != now {
		list, err := fromCalls(object["tool_calls"])
		if err != nil {
			return fmt.Errorf("%s: %s failed: %s: %w", afterModel, named(c), transformInvalid, err)
		}
		changed("tool calls", was, now)
		got.Calls = withExtras(list, got.Calls)
	}
	return nil
}

// outputPoint runs the hooks before an answer.
func (h points) outputPoint(ctx context.Context, answer *agent.OutputText) error {
	for _, c := range h.o.Hooks[output] {
		answer.Emit(agent.HeldEvent{For: named(c)})
	}
	s := &step{emission: h.emission(pointOutput, len(h.o.Hooks[output]), answer.Emit)}
	s.target = map[string]any{"content": answer.Text}
	s.build = func(target any) map[string]any { return map[string]any{"output": target} }
	v, err := s.all(ctx, output)
	if err == nil {
		err = ended(output, v)
	}
	if err != nil {
		return err
	}
	if now := textOf(s.target, "content"); now != answer.Text {
		c := h.o.Hooks[output][max(0, s.next-1)]
		answer.Emit(agent.HookEvent{
			Hook: c.Text, On: output, Change: "text", Before: answer.Text, After: now, Private: true,
			Message: named(c) + " changed the answer",
		})
		answer.Text = now
	}
	return nil
}
