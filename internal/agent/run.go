package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent/model"
)

// run is the state of one Run.
type run struct {
	agent     *Agent
	session   *Session
	prepared  *prepared
	messages  []Message  // the conversation, earlier runs included
	first     *[]Message // ephemeral messages of the first request, until it is sent
	ids       callIDs
	open      []ToolCall  // calls without a result yet
	rounds    int         // how often it went on after an answer
	previous  model.Reply // the last such answer, which remains if no better one comes
	failing   int         // turns in a row that failed
	estimated int64       // tokens used by our own count, where the server reports none
	result    Result

	log  callLog
	over bool // whether it has returned; guarded by the agent's lock of events
}

// Run runs the prompt until the model answers or something ends the run. The
// result is complete whatever the error: every call in its messages has its one
// result, and every provider that was invoked has been notified of the end. The
// error is nil exactly where the status is Completed; it is a [*LimitError] or
// [context.DeadlineExceeded] for LimitHit, [context.Canceled] for Interrupted,
// and an [*Error], a transport's final error, a [*FailuresError], a
// middleware's reason or a provider's error for Failed.
//
// A nil session is a new one.
func (a *Agent) Run(ctx context.Context, session *Session, prompt string) (Result, error) {
	defer a.client.Close()
	if session == nil {
		session = NewSession()
	}
	return wrap(RunHandler(a.run), a.config.Runs)(ctx, &RunRequest{a, session, prompt})
}

func (a *Agent) run(ctx context.Context, in *RunRequest) (Result, error) {
	r := &run{agent: a, session: in.Session, ids: callIDs{}, log: callLog{calls: map[int][sha256.Size]byte{}}}
	defer func() {
		a.events.Lock()
		defer a.events.Unlock()
		r.over = true
	}()
	// A mistake of ours, or of the sink of events, must not cost the result.
	_, err := Guard(func() (struct{}, error) { return struct{}{}, r.all(ctx, in.Prompt) })
	_, failed := Guard(func() (struct{}, error) {
		for _, call := range slices.Clone(r.open) { // what keeps the results may have failed by now, which err says
			_ = r.settle(ctx, call, outcome{result: skipped("the run failed before this call.")})
		}
		return struct{}{}, nil
	})
	if err = cmp.Or(err, failed); err != nil {
		if end, ok := errors.AsType[*EndError](err); ok {
			r.end(end)
			err = nil
		}
	}
	err, failed = Guard(func() (error, error) { return r.finish(ctx, err), nil })
	err = cmp.Or(failed, err)
	r.result.Status, r.result.Limit = status(ctx, err)
	r.result.Answered = err == nil || r.answered()
	if r.previous.Text != "" && (r.result.Text == "" || !r.result.Answered) {
		r.result.Text, r.result.Cut, r.result.Answered = r.previous.Text, r.previous.Finish, true
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
	if r.prepared, err = r.agent.gather(ctx, r.session, prompt); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	return r.loop(ctx)
}

// emit passes an event on, while the run lasts: what was abandoned is not heard any more.
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

// begin puts the first messages into the conversation and reports them.
func (r *run) begin(ctx context.Context) error {
	p := r.prepared
	ephemeral, err := r.agent.ephemeral(ctx, p)
	if err != nil {
		return err
	}
	r.first = &ephemeral
	r.messages = p.conversation()
	for _, m := range r.messages {
		for _, call := range m.Calls {
			r.ids[call.ID] = true
		}
	}
	r.emit(ReadyEvent{Request: r.agent.request(p, r.messages, ephemeral)})
	for _, w := range p.warnings {
		r.warn("%s", w)
	}
	added := slices.Concat(p.input, p.context)
	for _, m := range added {
		r.emit(MessageEvent{Role: m.Role, Source: m.Source, Provider: m.Provider, Text: m.Text, Attachments: model.Bare(m.Parts)})
	}
	return r.observe(ctx, added)
}

// feedback asks the completion checks about the answer; "" lets the run end.
func (r *run) feedback(ctx context.Context, turn int) (string, error) {
	for _, check := range r.agent.config.Checks {
		more, err := await(ctx, r.agent.config.Grace, func() (string, error) {
			return check(ctx, Completion{Session: r.session, Text: r.result.Text, Turn: turn, Rounds: r.rounds})
		})
		if err != nil {
			return "", fmt.Errorf("checking the answer: %w", err)
		}
		if more != "" {
			r.rounds++
			r.previous = model.Reply{Text: r.result.Text, Finish: r.result.Cut}
			return more, nil
		}
	}
	return "", nil
}

// say puts something of the agent's own into the conversation.
func (r *run) say(ctx context.Context, text string) error {
	r.emit(MessageEvent{Role: User, Source: FromContext, Text: text})
	return r.add(ctx, Message{Role: User, Source: FromContext, Text: text})
}

// add puts a message into the conversation and notifies the observers.
func (r *run) add(ctx context.Context, m Message) error {
	r.messages = append(r.messages, m)
	return r.observe(ctx, []Message{m})
}

// observe notifies the observers of messages, all of them: what one could not
// keep, another may. The first error is returned.
func (r *run) observe(ctx context.Context, messages []Message) error {
	var first error
	for _, p := range r.prepared.invoked {
		o, ok := p.(Observer)
		if !ok {
			continue
		}
		err := r.notify(ctx, p, func(ctx context.Context) error {
			return o.OnMessages(ctx, r.session, slices.Clone(messages))
		})
		if err != nil && first == nil {
			first = fmt.Errorf("context provider %s, keeping a message: %w", p.Name(), err)
		}
	}
	return first
}

// finish notifies the providers of the run's end, in reverse order, and returns
// the run's error. A provider's own error makes a run fail that had an answer;
// where there is an error already, it is a warning.
func (r *run) finish(ctx context.Context, err error) error {
	p := r.prepared
	if p == nil {
		return err // it panicked before any provider was invoked
	}
	end := Invoked{Session: r.session, Request: p.input, Err: err}
	if kept := len(p.history) + len(p.input); kept < len(r.messages) {
		end.Response = r.messages[kept:]
	}
	for _, provider := range slices.Backward(p.invoked) {
		copied := end
		copied.Request, copied.Response = slices.Clone(end.Request), slices.Clone(end.Response)
		failure := r.notify(ctx, provider, func(ctx context.Context) error { return provider.Invoked(ctx, &copied) })
		if failure == nil {
			continue
		}
		failure = fmt.Errorf("context provider %s, at the end of the run: %w", provider.Name(), failure)
		if err == nil {
			err = failure
		} else {
			r.warn("%v", failure)
		}
	}
	return err
}

// notify calls a provider after something has happened, also where the run is over, for a
// limited time. An abandoned provider is not called again.
func (r *run) notify(ctx context.Context, p ContextProvider, call func(context.Context) error) error {
	if r.prepared.abandoned[p.Name()] {
		return errAbandoned
	}
	grace := r.agent.config.Grace
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*grace)
	defer cancel()
	_, err := await(ctx, grace, func() (struct{}, error) { return struct{}{}, call(ctx) })
	if errors.Is(err, errAbandoned) {
		r.prepared.abandoned[p.Name()] = true
	}
	return err
}

// status says how a run ended that returns err, and at which limit. What failed by
// itself failed, also where the run's time was up by then.
func status(ctx context.Context, err error) (s Status, limit string) {
	is := func(end error) bool {
		return errors.Is(ctx.Err(), end) && (errors.Is(err, end) || errors.Is(err, context.Cause(ctx)))
	}
	reached, _ := errors.AsType[*LimitError](err)
	switch {
	case err == nil:
		return Completed, ""
	case is(context.Canceled):
		return Interrupted, ""
	case reached != nil:
		return LimitHit, reached.Limit
	case is(context.DeadlineExceeded):
		return LimitHit, LimitTime
	}
	return Failed, ""
}

// ended is the error of a context that is done, with its cause if that says more.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
