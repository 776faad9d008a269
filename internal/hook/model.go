package hook

// Hooks around requests to the model, and before an answer is shown. What they change of a
// request is for this request only: the conversation keeps its messages, and the next
// request is made of them again. What they change of a reply or an answer is what the
// conversation keeps.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent"
	"skills/internal/printable"
)

// modelEvent is what hooks around a request read.
type modelEvent struct {
	head
	Turn         int             `json:"turn"`
	Iteration    int             `json:"iteration"`
	Closing      bool            `json:"closing,omitempty"` // no tools may be called
	Instructions string          `json:"instructions"`
	Tools        []string        `json:"tools"`
	Messages     []agent.Message `json:"messages"` // of the request
	Reply        *reply          `json:"reply,omitempty"`
}

// reply is what the model has answered.
type reply struct {
	Text         string           `json:"text"`
	Reasoning    string           `json:"reasoning,omitempty"`
	ToolCalls    []agent.ToolCall `json:"tool_calls"`
	FinishReason string           `json:"finish_reason,omitempty"`
	Usage        *agent.Usage     `json:"usage,omitempty"`
}

// outputEvent is what hooks before an answer read.
type outputEvent struct {
	head
	Turn      int             `json:"turn"`
	Iteration int             `json:"iteration"`
	Text      string          `json:"text"`
	Messages  []agent.Message `json:"messages"` // the conversation before it
}

// Model returns a middleware that runs the hooks around every request to the model.
func (h *Hooks) Model() agent.ModelMiddleware {
	return func(next agent.ModelHandler) agent.ModelHandler {
		return func(ctx context.Context, call *agent.ModelCall) (agent.Reply, error) {
			requests, replies := h.requests, h.replies
			if h.o.Protocol == AgentHooks {
				requests, replies = points{h}.preModel, points{h}.postModel
			}
			err := requests(ctx, call)
			if err != nil {
				return agent.Reply{}, err
			}
			got, err := next(ctx, call)
			if err != nil {
				return got, err
			}
			err = replies(ctx, call, &got)
			if _, ends := errors.AsType[*agent.EndError](err); err != nil && !ends {
				return agent.Reply{}, err
			}
			return got, err
		}
	}
}

// requests runs the hooks before a request.
func (h *Hooks) requests(ctx context.Context, call *agent.ModelCall) error {
	for _, c := range h.o.Hooks[beforeModel] {
		err := h.request(ctx, c, call)
		if err != nil {
			return err
		}
	}
	return nil
}

// replies runs the hooks after a reply.
func (h *Hooks) replies(ctx context.Context, call *agent.ModelCall, got *agent.Reply) error {
	for _, c := range h.o.Hooks[afterModel] {
		call.Emit(agent.HeldEvent{For: named(c)})
		err := h.reply(ctx, c, call, got)
		if err != nil {
			return err
		}
	}
	return nil
}

// ended returns the error of a verdict that ends the run, or nil.
func ended(kind string, v verdict) error {
	switch v.decision {
	case deny:
		return fmt.Errorf("%s: %s", kind, v.reason)
	case stop:
		return &agent.EndError{Reason: v.reason}
	}
	return nil
}

func (h *Hooks) modelEvent(kind string, call *agent.ModelCall) modelEvent {
	r := call.Request
	return modelEvent{
		head: h.head(kind, r.Model, r.Params, call.Streaming), Turn: call.Turn, Iteration: call.Turn - 1, Closing: call.Closing, Instructions: r.Instructions,
		Tools: append([]string{}, printable.Map(r.Tools, func(t agent.RequestTool) string { return t.Name })...), Messages: bare(r.Messages),
	}
}

// request runs a hook before a request, which it may change.
func (h *Hooks) request(ctx context.Context, c Command, call *agent.ModelCall) error {
	v, err := h.run(ctx, beforeModel, c, h.modelEvent(beforeModel, call))
	if err == nil {
		err = ended(beforeModel, v)
	}
	if err != nil {
		return err
	}
	changed := func(what, before, after string) {
		call.Emit(agent.HookEvent{
			Hook: c.Text, On: beforeModel, Change: what, Before: before, After: after, Private: true,
			Message: fmt.Sprintf("%s changed the %s of request %d", named(c), what, call.Turn),
		})
	}
	if v.instructions != nil && *v.instructions != call.Request.Instructions {
		changed("instructions", call.Request.Instructions, *v.instructions)
		call.Request.Instructions = *v.instructions
	}
	if v.messages == nil {
		return nil
	}
	messages, err := merge(call.Request.Messages, v.messages)
	if err != nil {
		return fmt.Errorf("%s: %s failed: its answer cannot be read: %w", beforeModel, named(c), err)
	}
	was, now := printable.JSONText(bare(call.Request.Messages)), printable.JSONText(bare(messages))
	if was != now {
		changed("messages", was, now)
		call.Request.Messages = messages
		call.Request.Ephemeral = min(call.Request.Ephemeral, len(messages))
	}
	return nil
}

// reply runs a hook after a reply, which it may change.
func (h *Hooks) reply(ctx context.Context, c Command, call *agent.ModelCall, got *agent.Reply) error {
	e := h.modelEvent(afterModel, call)
	e.Reply = &reply{Text: got.Text, Reasoning: got.Reasoning, ToolCalls: append([]agent.ToolCall{}, got.Calls...), FinishReason: got.Finish, Usage: got.Usage}
	v, err := h.run(ctx, afterModel, c, e)
	if err != nil {
		return err
	}
	changed := func(what, before, after string) {
		call.Emit(agent.HookEvent{
			Hook: c.Text, On: afterModel, Change: what, Before: before, After: after, Private: true,
			Message: fmt.Sprintf("%s changed the %s of reply %d", named(c), what, call.Turn),
		})
	}
	if v.decision != deny && v.text != nil && *v.text != got.Text {
		changed("text", got.Text, *v.text)
		got.Text = *v.text
	}
	if v.decision != deny && v.calls != nil {
		calls := withExtras(*v.calls, got.Calls)
		if was, now := printable.JSONText(got.Calls), printable.JSONText(calls); was != now {
			changed("tool calls", was, now)
			got.Calls = calls
		}
	}
	return ended(afterModel, v)
}

// withExtras returns calls with what the server wants back with those that it made.
func withExtras(calls, made []agent.ToolCall) []agent.ToolCall {
	for i, c := range calls {
		for _, m := range made {
			if c.ID == m.ID && c.Name == m.Name && c.Arguments == m.Arguments {
				calls[i] = m
			}
		}
	}
	return calls
}

// Output runs the hooks before an answer is shown; it is an [agent.OutputFilter].
func (h *Hooks) Output(ctx context.Context, answer *agent.OutputText) error {
	if h.o.Protocol == AgentHooks {
		return points{h}.outputPoint(ctx, answer)
	}
	for _, c := range h.o.Hooks[output] {
		answer.Emit(agent.HeldEvent{For: named(c)})
		v, err := h.run(ctx, output, c, outputEvent{
			head: h.head(output, answer.Model, answer.Params, answer.Streaming), Turn: answer.Turn, Iteration: answer.Turn - 1,
			Text: answer.Text, Messages: bare(answer.Messages),
		})
		if err != nil {
			return err
		}
		if v.decision != deny && v.text != nil && *v.text != answer.Text {
			answer.Emit(agent.HookEvent{
				Hook: c.Text, On: output, Change: "text", Before: answer.Text, After: *v.text, Private: true,
				Message: named(c) + " changed the answer",
			})
			answer.Text = *v.text
		}
		err = ended(output, v)
		if err != nil {
			return err
		}
	}
	return nil
}

// merge returns the messages that a hook gives in place of those of a request. One that the
// request has, by its role, its calls and its files, keeps what hooks do not read; what the
// server sent with a text that changed is dropped. Calls and results must belong together.
func merge(sent, given []agent.Message) ([]agent.Message, error) {
	out := make([]agent.Message, 0, len(given))
	next := 0
	for i, m := range given {
		at := find(sent[next:], m)
		switch {
		case at >= 0:
			base := sent[next+at]
			next += at + 1
			m = over(base, m)
		case len(m.Parts) > 0:
			return nil, fmt.Errorf("message %d has an attachment that the request does not have", i+1)
		default:
			m = agent.Message{Role: m.Role, Source: sourceOf(m.Role), Provider: m.Provider, Text: m.Text, Calls: m.Calls, CallID: m.CallID, Name: m.Name}
		}
		out = append(out, m)
	}
	return out, paired(out)
}

func sourceOf(role agent.Role) agent.Source {
	switch role {
	case agent.Assistant:
		return agent.FromModel
	case agent.ToolRole:
		return agent.FromTool
	}
	return agent.FromContext
}

// find returns the index of the message that a hook means: with the same text, else the
// first of the same form; -1 for none.
func find(sent []agent.Message, m agent.Message) int {
	alike := func(s agent.Message) bool {
		return s.Role == m.Role && s.CallID == m.CallID && slices.EqualFunc(s.Parts, m.Parts, func(a, b agent.Part) bool { return a.Name == b.Name && a.Type == b.Type }) &&
			slices.EqualFunc(s.Calls, m.Calls, func(a, b agent.ToolCall) bool { return a.ID == b.ID && a.Name == b.Name })
	}
	exact := slices.IndexFunc(sent, func(s agent.Message) bool { return alike(s) && s.Text == m.Text })
	if exact >= 0 {
		return exact
	}
	return slices.IndexFunc(sent, alike)
}

// over returns a message with what a hook changed of it.
func over(base, m agent.Message) agent.Message {
	same := base.Text == m.Text && base.Reasoning == m.Reasoning && slices.EqualFunc(base.Calls, m.Calls, func(a, b agent.ToolCall) bool { return a.Arguments == b.Arguments })
	if same {
		return base
	}
	base.Text, base.Shown, base.Reasoning = m.Text, "", m.Reasoning
	base.Fields, base.Items = nil, nil
	base.Calls = slices.Clone(base.Calls)
	for i, c := range m.Calls {
		base.Calls[i].Arguments = c.Arguments
	}
	return base
}

// paired returns an error if a call has no result, or a result no call.
func paired(messages []agent.Message) error {
	var open []string
	for i, m := range messages {
		if m.Role == agent.ToolRole {
			at := slices.Index(open, m.CallID)
			if at < 0 {
				return fmt.Errorf("message %d is the result of the call %q, which no message before it makes", i+1, m.CallID)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("the call %q has no result before message %d", open[0], i+1)
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the call %q has no result", open[0])
	}
	return nil
}
