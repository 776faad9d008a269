package agent

// The loop: a request, the reply, its calls, and again, until the model answers without a
// call, or a limit or an error ends the run. An empty reply is answered once with a
// reminder.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// nudgeText is the response to an empty reply. It is a user message, which
// servers accept anywhere.
const nudgeText = "Your last reply was empty. Answer the request, or call a tool."

// ErrEmpty is the cause of an [*Error] after two empty replies. The server did not fail.
var ErrEmpty = errors.New("empty reply")

// loop sends requests and runs calls until the model has an answer.
func (r *run) loop(ctx context.Context) error {
	limits := r.agent.config.Limits
	nudged := false
	for turn := 1; turn <= limits.Turns; turn++ {
		limit := r.budget.exhausted(ctx, turn, r.sent)
		if limit != nil {
			return r.close(ctx, turn, limit)
		}
		begun := time.Now()
		reply, err := r.ask(ctx, turn, nil)
		if err != nil {
			return err
		}
		r.budget.longest = max(r.budget.longest, time.Since(begun))
		over := r.budget.reached()
		switch {
		case len(reply.Calls) > 0:
			nudged, r.forms.reminded = false, false
			if err := r.work(ctx, turn, reply.Reply, over); err != nil {
				return err
			}
		case reply.fault.Kind != model.NoFault && over != nil:
			return over
		case reply.fault.Kind != model.NoFault:
			if err := r.forms.remind(ctx, r, reply.fault); err != nil {
				return err
			}
		case strings.TrimSpace(reply.Text) != "":
			next, err := next(ctx, r, turn)
			if err != nil || next == nil {
				return err
			}
			if over != nil {
				return over
			}
			nudged = false
			r.show(*next)
			if err := r.add(ctx, *next); err != nil {
				return err
			}
		case nudged && r.rounds > 0:
			r.warn("the model gave an empty reply twice%s; using its previous answer", reply.FinishReason())
			return nil
		case nudged:
			return &Error{Message: "the model gave an empty reply twice" + reply.FinishReason(), Err: ErrEmpty}
		case over != nil:
			return over
		default:
			nudged = true
			if err := r.addText(ctx, nudgeText); err != nil {
				return err
			}
		}
	}
	return r.close(ctx, limits.Turns+1, &LimitError{Limit: LimitTurns, Max: int64(limits.Turns)})
}

// work runs the calls of a reply; an error ends the run.
func (r *run) work(ctx context.Context, turn int, reply model.Reply, over *LimitError) error {
	skip := ""
	if over != nil {
		skip = "the limit of " + over.Limit + " is reached."
	}
	got, err := r.executeCalls(ctx, turn, reply.Calls, skip)
	if err == nil {
		err = follow(ctx, r, got)
	}
	limit, _ := errors.AsType[*LimitError](got.reason)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ended(ctx)
	case got.waits != nil:
		return got.waits
	case over != nil:
		return over
	case limit != nil:
		return r.close(ctx, turn+1, limit)
	case got.reason != nil:
		return fmt.Errorf("the run was stopped at the call to %s: %w", got.by, got.reason)
	}
	return r.failures(got, reply.Calls)
}

// maxLast is how many characters of the last error of a failed run are
// reported.
const maxLast = 1 << 10

// failures returns an error if too many consecutive turns failed. A turn in
// which a call was denied or skipped and none was run does not count.
func (r *run) failures(got executed, calls []ToolCall) error {
	known := func(c ToolCall) bool { return r.prepared.tool(c.Name) != nil }
	switch {
	case got.broken == len(calls):
		r.failing++
		r.outside++
	case got.fine > 0:
		r.failing = 0
	}
	if !r.forms.constrained || slices.ContainsFunc(calls, known) {
		r.outside = 0
	}
	if r.failing <= r.agent.config.Limits.Failures {
		return nil
	}
	// Only the first paragraph, because middlewares append to it.
	last, _, _ := strings.Cut(strings.TrimPrefix(got.last, "Error: "), "\n\n")
	return &FailuresError{Turns: r.failing, Last: printable.TruncateMiddle(last, maxLast), Outside: r.outside >= r.failing}
}

// close requests a final answer without tools, and ends the run with the limit.
// Earlier text of the model is not used as the answer.
func (r *run) close(ctx context.Context, turn int, limit *LimitError) error {
	r.result.Text, r.result.Cut = "", ""
	reply, err := r.ask(ctx, turn, limit)
	if err != nil {
		return fmt.Errorf("%w; asking for a closing answer: %w", limit, err)
	}
	if strings.TrimSpace(reply.Text) == "" {
		r.warn("the model gave no closing answer%s", reply.FinishReason())
	}
	return limit
}

// tail returns what a request has after the conversation, and its event.
func (r *run) tail(ctx context.Context, turn int, closing *LimitError) ([]Message, RequestEvent, error) {
	if turn > 1 {
		err := r.refresh(ctx)
		if err != nil {
			return nil, RequestEvent{}, err
		}
	}
	ephemeral, err := r.agent.ephemeral(ctx, r.prepared)
	used := ""
	if closing == nil && err == nil {
		used = r.budget.nearlyUsed(ctx, turn, r.sent)
	}
	if used != "" {
		r.emit(NoteEvent{Message: "noted for the model that most of the budget is used: " + used})
		ephemeral = slices.Insert(ephemeral, 0, usedUp(used))
	}
	event := RequestEvent{Turn: turn, Tail: slices.Concat([]Message{}, ephemeral), Closing: closing != nil}
	if closing != nil && err == nil {
		// This message is not kept: a run that continues the conversation has its
		// tools again.
		m := Message{Role: User, Source: FromContext, Text: closing.closing()}
		r.show(m)
		ephemeral = slices.Insert(ephemeral, 0, m)
	}
	return ephemeral, event, err
}

// ask sends the conversation and stores the reply, without the calls of a final
// one.
func (r *run) ask(ctx context.Context, turn int, closing *LimitError) (decodedReply, error) {
	ephemeral, event, err := r.tail(ctx, turn, closing)
	if err != nil {
		return decodedReply{}, err
	}
	request, reply, err := mediator{r}.send(ctx, &exchange{run: r, turn: turn, ephemeral: ephemeral, event: event})
	end, _ := errors.AsType[*EndError](err)
	nothing := len(reply.Calls)+len(reply.Text) == 0
	switch {
	case err != nil && ctx.Err() != nil:
		return decodedReply{}, ended(ctx)
	case err != nil && (end == nil || nothing):
		return decodedReply{}, err
	}
	if r.budget.spend(request, reply.Reply) {
		r.warn("the server reports no token usage; estimating it from the text")
	}
	warning := r.window.learn(request, reply.Reply, r.agent.client.Kind(), r.agent.config.NoCompaction)
	if warning != "" {
		r.warn("%s", warning)
	}
	kept := r.keep(ctx, turn, reply.Reply)
	if kept == nil && end != nil {
		kept = end
	}
	return reply, kept
}

// request returns the next request, compacted if it is too large.
func (r *run) request(ctx context.Context, turn int, ephemeral []Message) Request {
	request := r.agent.request(r.prepared, r.sent, ephemeral)
	if r.compact(ctx, turn, request, nil) {
		request.Messages = withEphemeral(r.sent, ephemeral)
	}
	request.Whole = r.messages
	return request
}

// keep adds a reply to the conversation and the totals.
func (r *run) keep(ctx context.Context, turn int, reply model.Reply) error {
	r.result.Turns++
	r.result.Usage = r.result.Usage.Add(reply.Usage)
	if strings.TrimSpace(reply.Text) == "" {
		reply.Text = ""
	}
	r.result.Text, r.result.Cut = reply.Text, ""
	m := Message{
		Role: Assistant, Source: FromModel, Text: reply.Text, Calls: reply.Calls,
		Reasoning: reply.Reasoning, ReasoningField: reply.ReasoningField, Fields: reply.Fields, Items: reply.Items,
	}
	if m.Text != "" {
		r.show(m)
	}
	err := r.forms.note(r) // before the message, with which it is saved
	if err == nil && (m.Text != "" || len(m.Calls) > 0) {
		err = r.add(ctx, m)
	}
	for _, call := range reply.Calls {
		r.open = append(r.open, call)
		r.emit(ToolCallEvent{ID: call.ID, Name: call.Name, Arguments: model.JSONArguments(call.Arguments), Turn: turn, Call: call})
	}
	if reply.Usage != nil {
		r.emit(UsageEvent{Turn: turn, Usage: *reply.Usage})
	}
	if reply.Truncated() {
		r.result.Cut = reply.Finish
		r.warn("the reply of turn %d ended early%s", turn, reply.FinishReason())
	}
	return err
}
