package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// nudgeText is what the agent tells a model whose reply was empty: a user
// message, because every server takes those in any place.
const nudgeText = "Your last reply was empty. Answer the request, or call a tool."

// loop asks and answers calls until the model has an answer.
func (r *run) loop(ctx context.Context) error {
	limits := r.agent.config.Limits
	nudged := false
	for turn := 1; turn <= limits.Turns; turn++ {
		rep, err := r.ask(ctx, turn, nil)
		if err != nil {
			return err
		}
		over := r.overTokens()
		switch {
		case len(rep.calls) > 0:
			nudged = false
			if done, err := r.work(ctx, turn, rep, over); err != nil || done {
				return err
			}
		case strings.TrimSpace(rep.text) != "":
			more, err := r.feedback(ctx, turn)
			if err != nil || more == "" {
				return err
			}
			if over != nil {
				return over
			}
			nudged = false
			if err := r.tell(ctx, more); err != nil {
				return err
			}
		case nudged && r.rounds > 0:
			r.warn("the model gave an empty reply twice%s; its last answer stands", because(rep.finish, len(rep.calls)))
			return nil
		case nudged:
			return &Error{Message: "the model gave an empty reply twice" + because(rep.finish, len(rep.calls))}
		case over != nil:
			return over
		default:
			nudged = true
			if err := r.tell(ctx, nudgeText); err != nil {
				return err
			}
		}
	}
	return r.close(ctx, limits.Turns+1, &LimitError{Limit: LimitTurns, Max: int64(limits.Turns)})
}

// work answers the calls of a reply and reports whether the run is done.
func (r *run) work(ctx context.Context, turn int, rep reply, over *LimitError) (done bool, err error) {
	skip := ""
	if over != nil {
		skip = "the limit of tokens is reached."
	}
	got, err := r.answer(ctx, turn, rep.calls, skip)
	switch {
	case err != nil:
		return false, err
	case ctx.Err() != nil:
		return false, ended(ctx)
	case over != nil:
		return false, over
	case got.end:
		return true, r.stopped(ctx, turn, rep, got)
	}
	return false, r.failures(got, len(rep.calls))
}

// stopped ends a run that a middleware has ended.
func (r *run) stopped(ctx context.Context, turn int, rep reply, got answered) error {
	if limit := limitOf(got.reason); limit != nil {
		return r.close(ctx, turn+1, limit)
	}
	switch {
	case got.reason != nil:
		return fmt.Errorf("the run was ended at the call of %s: %w", got.by, got.reason)
	case strings.TrimSpace(rep.text) == "":
		return fmt.Errorf("the run was ended at the call of %s, before there was an answer", got.by)
	}
	return nil
}

// maxLast is how many bytes of the last error of a failed run are told.
const maxLast = 1 << 10

// failures ends the run where too many turns in a row failed. A turn in which
// calls were neither run nor failed by themselves changes nothing.
func (r *run) failures(got answered, calls int) error {
	switch {
	case got.broken == calls:
		r.failing++
	case got.fine > 0:
		r.failing = 0
	}
	if r.failing <= r.agent.config.Limits.Failures {
		return nil
	}
	// Its first paragraph: what a middleware has to say of it comes after that.
	last, _, _ := strings.Cut(strings.TrimPrefix(got.last, "Error: "), "\n\n")
	last, _ = cutMiddle(last, maxLast)
	return &FailuresError{Turns: r.failing, Last: last}
}

// close asks for a closing answer, without tools, and ends the run with the
// limit it has reached. What the model said before is not taken for that
// answer.
func (r *run) close(ctx context.Context, turn int, limit *LimitError) error {
	r.result.Text, r.result.Cut = "", ""
	rep, err := r.ask(ctx, turn, limit)
	if err != nil {
		return fmt.Errorf("%w; asking for a closing answer: %w", limit, err)
	}
	if strings.TrimSpace(rep.text) == "" {
		r.warn("the model gave no closing answer%s", because(rep.finish, len(rep.calls)))
	}
	return limit
}

// ask sends the conversation and keeps the reply: its text and, unless it is
// the closing one of a limit, its calls.
func (r *run) ask(ctx context.Context, turn int, closing *LimitError) (reply, error) {
	tails, err := r.freshTails(ctx)
	if err != nil {
		return reply{}, err
	}
	asked := RequestEvent{Turn: turn, Tail: slices.Concat([]Message{}, tails), Closing: closing != nil}
	asked.Stream, asked.Usage = r.agent.client.form()
	if closing != nil {
		// Told as a message, but not kept: a run that goes on from this
		// conversation has its tools again.
		tell := Message{Role: User, Source: FromContext, Text: closing.closing()}
		r.emit(MessageEvent{Role: tell.Role, Source: tell.Source, Text: tell.Text})
		tails = slices.Insert(tails, 0, tell)
	}
	request := r.agent.request(r.prepared, r.asked, r.messages, tails)
	r.asked = request.Messages
	if closing != nil {
		request.Tools = nil
	}
	r.emit(asked)
	rep, err := r.agent.send(ctx, request, len(tails), asked)
	if err != nil {
		return reply{}, err
	}
	if closing != nil && len(rep.calls) > 0 {
		r.warn("the model called %d tools in its closing answer; they were not run", len(rep.calls))
		if endOf(rep.finish, len(rep.calls)) == endWhole {
			rep.finish = "" // it was whole with them
		}
		rep.calls = nil
	}
	r.ids.fix(rep.calls)
	r.spend(request, rep)
	return rep, r.keep(ctx, turn, rep)
}

// freshTails returns the tails as things are now; those of the first request
// were asked for a moment ago, to tell of it.
func (r *run) freshTails(ctx context.Context) ([]Message, error) {
	if asked := r.tails; asked != nil {
		r.tails = nil
		return *asked, nil
	}
	return r.agent.askTails(ctx, &r.hands, r.prepared)
}

// keep puts a reply into the conversation and the sums.
func (r *run) keep(ctx context.Context, turn int, rep reply) error {
	r.result.Turns++
	r.result.Usage = r.result.Usage.Add(rep.usage)
	if strings.TrimSpace(rep.text) == "" {
		rep.text = ""
	}
	r.result.Text, r.result.Cut = rep.text, ""
	if rep.text != "" {
		r.emit(MessageEvent{Role: Assistant, Source: FromModel, Text: rep.text})
	}
	var err error
	if rep.text != "" || len(rep.calls) > 0 {
		err = r.add(ctx, Message{Role: Assistant, Source: FromModel, Text: rep.text, Reasoning: rep.reasoning, Calls: rep.calls})
	}
	for _, call := range rep.calls {
		r.open = append(r.open, call)
		r.emit(ToolCallEvent{ID: call.ID, Name: call.Name, Arguments: shown(call.Arguments), Turn: turn, Call: call})
	}
	if rep.usage != nil {
		r.emit(UsageEvent{Turn: turn, Usage: *rep.usage})
	}
	if endOf(rep.finish, len(rep.calls)) == endCut {
		r.result.Cut = clean(rep.finish)
		r.warn("the reply of turn %d ended early%s", turn, because(rep.finish, len(rep.calls)))
	}
	return err
}
