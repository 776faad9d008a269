package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What a run's error is, by errors.Is, where a limit of its own ended it. A
// limit of time is [context.DeadlineExceeded].
var (
	ErrTurns  = errors.New("stopped at the limit of turns")
	ErrTokens = errors.New("stopped at the limit of tokens")
)

// What the agent itself tells the model; user messages, because every server
// takes those in any place.
const (
	nudgeText   = "Your last reply was empty. Answer the request, or call a tool."
	closingText = "The limit of turns is reached and no more tools can be called. Answer now with what you have, and say what is left undone."
)

// settling is how long providers may take to hear of a run's end.
const settling = 10 * time.Second

// run is the state of one Run.
type run struct {
	agent    *Agent
	session  *Session
	prepared *prepared
	messages []Message  // the conversation, earlier runs included
	tails    *[]Message // of the first request, until it is sent
	ids      callIDs
	rounds   int // how often it went on after an answer
	result   Result
}

// Run takes the prompt through the model until it answers or something ends
// the run. The result is complete whatever the error: every call in its
// messages has its one result, and every provider that was asked has been told
// of the end. The error is nil exactly where the status is Completed; it is
// [ErrTurns], [ErrTokens] or [context.DeadlineExceeded] for LimitHit,
// [context.Canceled] for Interrupted, and an [*Error], a [*ReplayError] or a
// provider's error for Failed.
//
// A nil session is a new one.
func (a *Agent) Run(ctx context.Context, session *Session, prompt string) (Result, error) {
	defer a.close()
	if session == nil {
		session = NewSession()
	}
	r := &run{agent: a, session: session, ids: callIDs{}}
	var err error
	r.prepared, err = a.gather(ctx, session, prompt)
	if err == nil {
		err = r.begin(ctx)
	}
	if err == nil {
		err = r.loop(ctx)
	}
	err = r.finish(ctx, err)
	r.result.Status = status(ctx, err)
	r.result.Messages = r.messages
	return r.result, err
}

// begin puts the first messages into the conversation and tells of them.
func (r *run) begin(ctx context.Context) error {
	p := r.prepared
	tails, err := askTails(ctx, p.tails)
	if err != nil {
		return err
	}
	r.tails = &tails
	r.messages = p.conversation()
	r.ids.see(r.messages)
	r.agent.emit(ReadyEvent{Request: r.agent.request(p, r.messages, tails)})
	for _, w := range p.warnings {
		r.agent.warn("%s", w)
	}
	added := slices.Concat(p.input, p.context)
	for _, m := range added {
		r.agent.emit(MessageEvent{Role: m.Role, Source: m.Source, Provider: m.Provider, Text: m.Text})
	}
	return r.watch(ctx, added)
}

// loop asks and answers calls until the model has an answer.
func (r *run) loop(ctx context.Context) error {
	limits := r.agent.config.Limits
	nudged := false
	for turn := 1; turn <= limits.Turns; turn++ {
		rep, err := r.ask(ctx, turn, false)
		if err != nil {
			return err
		}
		over := limits.Tokens > 0 && r.spent() >= limits.Tokens
		switch {
		case len(rep.calls) > 0:
			nudged = false
			skip := ""
			if over {
				skip = "the limit of tokens is reached."
			}
			done, err := r.answer(ctx, turn, rep.calls, skip)
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ended(ctx)
			case over:
				return r.overTokens()
			case done:
				return nil
			}
		case strings.TrimSpace(rep.text) != "":
			more, err := r.feedback(ctx, rep.text, turn)
			if err != nil || more == "" {
				return err
			}
			if over {
				return r.overTokens()
			}
			nudged = false
			if err := r.tell(ctx, more); err != nil {
				return err
			}
		case nudged:
			return &Error{Message: "the model gave an empty reply twice" + because(rep.finish)}
		case over:
			return r.overTokens()
		default:
			nudged = true
			if err := r.tell(ctx, nudgeText); err != nil {
				return err
			}
		}
	}
	limit := fmt.Errorf("%w (%d)", ErrTurns, limits.Turns)
	if _, err := r.ask(ctx, limits.Turns+1, true); err != nil {
		return fmt.Errorf("%w; asking for a closing answer: %w", limit, err)
	}
	return limit
}

// ask sends the conversation and keeps the reply: its text and, unless it is
// the closing one, its calls.
func (r *run) ask(ctx context.Context, turn int, closing bool) (reply, error) {
	tails, err := r.freshTails(ctx)
	if err != nil {
		return reply{}, err
	}
	if closing {
		tails = slices.Insert(tails, 0, Message{Role: User, Source: FromContext, Text: closingText})
	}
	request := r.agent.request(r.prepared, r.messages, tails)
	if closing {
		request.Tools = nil
	}
	r.agent.emit(RequestEvent{Turn: turn, Tail: slices.Concat([]Message{}, tails), Closing: closing})
	rep, err := r.agent.send(ctx, request, len(tails))
	if err != nil {
		return reply{}, err
	}
	if closing && len(rep.calls) > 0 {
		r.agent.warn("the model called %d tools in its closing answer; they were not run", len(rep.calls))
		rep.calls = nil
	}
	r.ids.fix(rep.calls)
	return rep, r.keep(ctx, turn, rep)
}

// feedback asks whether the answer is the end; "" where it is.
func (r *run) feedback(ctx context.Context, text string, turn int) (string, error) {
	for _, finish := range r.agent.config.Finish {
		more, err := guard(func() (string, error) {
			return finish(ctx, Finishing{Session: r.session, Text: text, Turn: turn, Rounds: r.rounds})
		})
		if err != nil {
			return "", fmt.Errorf("asking whether the run is finished: %w", err)
		}
		if more != "" {
			r.rounds++
			return more, nil
		}
	}
	return "", nil
}

// tell puts something of the agent's own into the conversation.
func (r *run) tell(ctx context.Context, text string) error {
	r.agent.emit(MessageEvent{Role: User, Source: FromContext, Text: text})
	return r.add(ctx, Message{Role: User, Source: FromContext, Text: text})
}

// freshTails returns the tails as things are now; those of the first request
// were asked for a moment ago, to tell of it.
func (r *run) freshTails(ctx context.Context) ([]Message, error) {
	if asked := r.tails; asked != nil {
		r.tails = nil
		return *asked, nil
	}
	return askTails(ctx, r.prepared.tails)
}

// keep puts a reply into the conversation and the sums.
func (r *run) keep(ctx context.Context, turn int, rep reply) error {
	r.result.Turns++
	r.result.Usage = r.result.Usage.Add(rep.usage)
	if strings.TrimSpace(rep.text) != "" {
		r.result.Text = rep.text
		r.agent.emit(MessageEvent{Role: Assistant, Source: FromModel, Text: rep.text})
	} else {
		rep.text = ""
	}
	var err error
	if rep.text != "" || len(rep.calls) > 0 {
		err = r.add(ctx, Message{Role: Assistant, Source: FromModel, Text: rep.text, Calls: rep.calls})
	}
	for _, call := range rep.calls {
		r.agent.emit(ToolCallEvent{ID: call.ID, Name: call.Name, Arguments: shown(call.Arguments), Turn: turn})
	}
	if rep.usage != nil {
		r.agent.emit(UsageEvent{Turn: turn, Usage: *rep.usage})
	}
	switch rep.finish {
	case "length", "content_filter":
		r.agent.warn("the reply of turn %d ended early%s", turn, because(rep.finish))
	}
	return err
}

// add puts a message into the conversation and tells the watchers.
func (r *run) add(ctx context.Context, m Message) error {
	r.messages = append(r.messages, m)
	return r.watch(ctx, []Message{m})
}

// watch tells the watchers of messages, all of them: what one could not keep,
// another may. The first error is returned.
func (r *run) watch(ctx context.Context, messages []Message) error {
	var first error
	// What has happened is kept also where the run is over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	for _, p := range r.prepared.asked {
		w, ok := p.(Watcher)
		if !ok {
			continue
		}
		_, err := guard(func() (struct{}, error) {
			return struct{}{}, w.Added(ctx, r.session, slices.Clone(messages))
		})
		if err != nil && first == nil {
			first = fmt.Errorf("telling context provider %s of a message: %w", p.Name(), err)
		}
	}
	return first
}
