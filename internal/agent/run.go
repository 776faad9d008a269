package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// run is the state of one Run.
type run struct {
	agent    *Agent
	session  *Session
	prepared *prepared
	messages []Message  // the conversation, earlier runs included
	tails    *[]Message // of the first request, until it is sent
	ids      callIDs
	open     []ToolCall // told of, and not answered yet
	rounds   int        // how often it went on after an answer
	stands   reply      // the last such answer: it stays where nothing better comes
	failing  int        // turns in a row that failed
	reckoned reckoning
	asked    []Message // of the last request
	result   Result

	hands  hands
	locals sync.Map // what middlewares keep for this run
	over   bool     // whether it has returned; under the agent's lock of events
}

// Run takes the prompt through the model until it answers or something ends
// the run. The result is complete whatever the error: every call in its
// messages has its one result, and every provider that was asked has been told
// of the end. The error is nil exactly where the status is Completed; it is a
// [*LimitError] or [context.DeadlineExceeded] for LimitHit, [context.Canceled]
// for Interrupted, and an [*Error], a [*ReplayError], a [*FailuresError], a
// middleware's reason or a provider's error for Failed.
//
// A nil session is a new one.
func (a *Agent) Run(ctx context.Context, session *Session, prompt string) (Result, error) {
	defer a.close()
	if session == nil {
		session = NewSession()
	}
	r := &run{agent: a, session: session, ids: callIDs{}}
	defer r.silence()
	defer r.hands.close()
	// A mistake of ours, or of the sink of events, must not cost the result.
	_, err := guard(func() (struct{}, error) { return struct{}{}, r.all(ctx, prompt) })
	_, failed := guard(func() (struct{}, error) { r.settleOpen(ctx); return struct{}{}, nil })
	if err == nil {
		err = failed
	}
	err, failure := guard(func() (error, error) { return r.finish(ctx, err), nil })
	if failure != nil {
		err = failure
	}
	r.result.Status = status(ctx, err)
	r.result.Limit = reached(r.result.Status, err)
	r.result.Answered = err == nil || r.answered()
	if r.stands.text != "" && (r.result.Text == "" || !r.result.Answered) {
		r.result.Text, r.result.Cut, r.result.Answered = r.stands.text, r.stands.finish, true
	}
	r.result.Messages = r.messages
	return r.result, err
}

// answered reports whether the conversation ends with an answer of the model.
func (r *run) answered() bool {
	if len(r.messages) == 0 {
		return false
	}
	last := r.messages[len(r.messages)-1]
	return last.Source == FromModel && len(last.Calls) == 0
}

// all is the run without its end.
func (r *run) all(ctx context.Context, prompt string) error {
	var err error
	if r.prepared, err = r.agent.gather(ctx, &r.hands, r.session, prompt); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	return r.loop(ctx)
}

// emit tells of something, while the run is on: what was given up and goes on
// in the background must not be heard after the result.
func (r *run) emit(e Event) {
	r.agent.events.Lock()
	defer r.agent.events.Unlock()
	if sink := r.agent.config.Events; sink != nil && !r.over {
		sink(e)
	}
}

func (r *run) warn(format string, args ...any) {
	r.emit(WarningEvent{Message: fmt.Sprintf(format, args...)})
}

func (r *run) silence() {
	r.agent.events.Lock()
	defer r.agent.events.Unlock()
	r.over = true
}

// begin puts the first messages into the conversation and tells of them.
func (r *run) begin(ctx context.Context) error {
	p := r.prepared
	tails, err := r.agent.askTails(ctx, &r.hands, p)
	if err != nil {
		return err
	}
	r.tails = &tails
	r.messages = p.conversation()
	r.ids.see(r.messages)
	r.emit(ReadyEvent{Request: r.agent.request(p, nil, r.messages, tails)})
	for _, w := range p.warnings {
		r.warn("%s", w)
	}
	added := slices.Concat(p.input, p.context)
	for _, m := range added {
		r.emit(MessageEvent{Role: m.Role, Source: m.Source, Provider: m.Provider, Text: m.Text})
	}
	return r.watch(ctx, r.session, added)
}

// feedback asks whether the answer is the end; "" where it is.
func (r *run) feedback(ctx context.Context, turn int) (string, error) {
	for _, finish := range r.agent.config.Finish {
		more, err := await(ctx, &r.hands, r.agent.config.Grace, func() (string, error) {
			return finish(ctx, Finishing{Session: r.session, Text: r.result.Text, Turn: turn, Rounds: r.rounds})
		})
		if err != nil {
			return "", fmt.Errorf("asking whether the run is finished: %w", err)
		}
		if more != "" {
			r.rounds++
			r.stands = reply{text: r.result.Text, finish: r.result.Cut}
			return more, nil
		}
	}
	return "", nil
}

// tell puts something of the agent's own into the conversation.
func (r *run) tell(ctx context.Context, text string) error {
	r.emit(MessageEvent{Role: User, Source: FromContext, Text: text})
	return r.add(ctx, Message{Role: User, Source: FromContext, Text: text})
}

// add puts a message into the conversation and tells the watchers.
func (r *run) add(ctx context.Context, m Message) error {
	r.messages = append(r.messages, m)
	return r.watch(ctx, r.session, []Message{m})
}

// watched reports whether there are watchers.
func (r *run) watched() bool {
	return slices.ContainsFunc(r.prepared.asked, func(p ContextProvider) bool { _, ok := p.(Watcher); return ok })
}

// watch tells the watchers of messages, all of them: what one could not keep,
// another may. The first error is returned.
func (r *run) watch(ctx context.Context, session *Session, messages []Message) error {
	var first error
	for _, p := range r.prepared.asked {
		w, ok := p.(Watcher)
		if !ok {
			continue
		}
		err := r.inform(ctx, p, func(ctx context.Context) error {
			return w.Added(ctx, session, slices.Clone(messages))
		})
		if err != nil && first == nil {
			first = fmt.Errorf("telling context provider %s of a message: %w", p.Name(), err)
		}
	}
	return first
}

// inform tells a provider of something that has happened: also where the run
// is over, for what is kept must be whole, and for a bounded time. A provider
// that was given up is left alone.
func (r *run) inform(ctx context.Context, p ContextProvider, tell func(context.Context) error) error {
	if r.prepared.hung[p.Name()] {
		return errAbandoned
	}
	grace := r.agent.config.Grace
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*grace)
	defer cancel()
	_, err := await(ctx, &r.hands, grace, func() (struct{}, error) { return struct{}{}, tell(ctx) })
	if errors.Is(err, errAbandoned) {
		r.prepared.hung[p.Name()] = true
	}
	return err
}
