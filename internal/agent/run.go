package agent

// A run from its prompt to its result. Whatever happens, every call gets a result, every
// provider that was called is notified of the end, and the result is complete.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"skills/internal/agent/model"
)

// run is the state of one Run.
type run struct {
	agent    *Agent
	session  *Session
	prepared *prepared
	messages []Message // the conversation, including earlier runs
	sent     []Message // the same as requests contain it, see compact
	window   contextWindow
	ids      callIDs
	open     []ToolCall // calls without a result
	failedTurns
	budget budget
	result Result

	continued
	forms forms
	log   callLog
	over  bool // whether Run has returned; guarded by the agent's event lock
}

// failedTurns counts consecutive failed turns.
type failedTurns struct {
	failing int
	outside int // of those, the last ones with constrained calls of unknown tools only
}

// continued is what is known about answers that did not end the run.
type continued struct {
	rounds   int         // how often the run continued after an answer
	said     int         // messages of Next that the user has said
	passed   []string    // answers that the output filter has let through
	previous model.Reply // the last such answer, used if there is no better one
}

// Run runs the prompt until the model answers or something else ends the run.
// The result is complete even on error: every call in its messages has exactly
// one result, and every invoked provider has been notified of the end. The
// error is nil exactly if the status is Completed. For LimitHit it is a
// [*LimitError] or [context.DeadlineExceeded], for Interrupted
// [context.Canceled], and for Failed an [*Error], a transport's final error, a
// [*FailuresError], or the error of a middleware or a provider.
//
// A nil session is a new one.
func (a *Agent) Run(ctx context.Context, session *Session, prompt string) (Result, error) {
	defer a.client.Close()
	if session == nil {
		session = NewSession()
	}
	return wrap(RunHandler(a.run), a.config.RunMiddleware)(ctx, &RunRequest{a, session, prompt})
}

func (a *Agent) run(ctx context.Context, in *RunRequest) (Result, error) {
	r := &run{agent: a, session: in.Session, window: contextWindow{size: a.config.Window}, ids: callIDs{}, log: callLog{calls: map[int]loggedCall{}}, forms: newForms(a.config.ToolCalls)}
	r.budget = newBudget(a.config.Limits)
	defer func() {
		a.events.Lock()
		defer a.events.Unlock()
		r.over = true
	}()
	// A bug here, or in the event sink, must not lose the result.
	_, err := RecoverPanic(func() (struct{}, error) { return struct{}{}, r.all(ctx, in.Prompt) })
	why := "the run failed before this call."
	if errors.As(err, new(*EndError)) {
		why = "the run ended before this call."
	}
	_, failed := RecoverPanic(func() (struct{}, error) {
		for _, call := range slices.Clone(r.open) { // observers may have failed by now, which err reports
			_ = r.settle(ctx, call, outcome{result: skipped(why)})
		}
		return struct{}{}, nil
	})
	err = cmp.Or(err, failed)
	if err != nil {
		if end, ok := errors.AsType[*EndError](err); ok {
			r.end(end)
			err = nil
		}
	}
	err, failed = RecoverPanic(func() (error, error) { return mediator{r}.vet(ctx, err), nil })
	err = cmp.Or(failed, err)
	err, failed = RecoverPanic(func() (error, error) { return r.finish(ctx, err), nil })
	err = cmp.Or(failed, err)
	r.result.Status, r.result.Limit = status(ctx, err)
	r.result.Answered = err == nil
	switch n := len(r.messages); {
	case errors.As(err, new(*TextCallError)):
		r.result.Text, r.result.Cut = "", ""
	case n > 0 && r.messages[n-1].Source == FromModel && len(r.messages[n-1].Calls) == 0:
		r.result.Answered = true // something failed after it
	}
	if r.previous.Text != "" && (r.result.Text == "" || !r.result.Answered) {
		r.result.Text, r.result.Cut, r.result.Answered = r.previous.Text, r.previous.Finish, true
	}
	r.result.Messages = r.messages
	return r.result, err
}

// all runs everything except the end of the run.
func (r *run) all(ctx context.Context, prompt string) error {
	var err error
	r.prepared, err = r.agent.gather(ctx, r.session, prompt)
	if err != nil {
		return err
	}
	err = r.forms.recall(r)
	if err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	return r.loop(ctx)
}

// emit forwards an event while the run lasts; events of abandoned calls are
// dropped.
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

// begin adds the first messages to the conversation and reports them.
func (r *run) begin(ctx context.Context) error {
	p := r.prepared
	r.messages = slices.Clip(p.history)
	r.sent = slices.Clip(r.messages)
	for _, m := range r.messages {
		for _, call := range m.Calls {
			r.ids[call.ID] = true
		}
	}
	r.emit(ReadyEvent{Request: r.agent.request(p, p.conversation(), nil)})
	for _, w := range p.warnings {
		r.warn("%s", w)
	}
	if open := openCalls(p.history); len(open) > 0 {
		if err := resume(ctx, r, open); err != nil {
			return err
		}
	}
	added := slices.Concat(p.input, p.context)
	for _, m := range added {
		r.show(m)
	}
	r.messages, r.sent = append(r.messages, added...), append(r.sent, added...)
	return r.observe(ctx, added)
}

// addText adds a message of the agent to the conversation.
func (r *run) addText(ctx context.Context, text string) error {
	m := Message{Role: User, Source: FromContext, Text: text}
	r.show(m)
	return r.add(ctx, m)
}

// show reports a message.
func (r *run) show(m Message) {
	r.emit(MessageEvent{Role: m.Role, Source: m.Source, Provider: m.Provider, Text: m.Text, Attachments: model.Bare(m.Parts), Shown: m.Shown})
}

// add adds a message to the conversation and notifies the observers.
func (r *run) add(ctx context.Context, m Message) error {
	r.messages, r.sent = append(r.messages, m), append(r.sent, m)
	return r.observe(ctx, []Message{m})
}

// observe notifies all observers of messages, even if one fails. It returns the
// first error.
func (r *run) observe(ctx context.Context, messages []Message) error {
	var first error
	for _, p := range r.prepared.invoked {
		o, ok := p.(Observer)
		if !ok {
			continue
		}
		err := r.prepared.notify(ctx, r.agent.config.Grace, p, func(ctx context.Context) error {
			return o.OnMessages(ctx, r.session, slices.Clone(messages))
		})
		if err != nil && first == nil {
			first = fmt.Errorf("%s: saving a message: %w", p.Name(), err)
		}
	}
	return first
}

// finish notifies the providers of the end in reverse order, and returns the
// run's error. A provider's error fails a successful run; if the run already
// failed, it is a warning.
func (r *run) finish(ctx context.Context, err error) error {
	p := r.prepared
	if p == nil {
		return err // it panicked before any provider was invoked
	}
	cause := err // without what providers add to it
	for _, provider := range slices.Backward(p.invoked) {
		end := r.invoked(cause)
		failure := p.notify(ctx, r.agent.config.Grace, provider, func(ctx context.Context) error { return provider.Invoked(ctx, end) })
		if failure == nil {
			continue
		}
		failure = fmt.Errorf("%s: at the end of the run: %w", provider.Name(), failure)
		if err == nil {
			err = failure
		} else {
			r.warn("%v", failure)
		}
	}
	return err
}

// notify calls a provider with a time limit, even if the run is over. An
// abandoned provider is not called again.
func (p *prepared) notify(ctx context.Context, grace time.Duration, provider ContextProvider, call func(context.Context) error) error {
	if p.abandoned[provider.Name()] {
		return errAbandoned
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*grace)
	defer cancel()
	_, err := await(ctx, grace, func() (struct{}, error) { return struct{}{}, call(ctx) })
	if errors.Is(err, errAbandoned) {
		p.abandoned[provider.Name()] = true
	}
	return err
}

// status returns how a run with error err ended, and the limit reached. An
// error of its own counts as failed even if the time limit was reached by then.
func status(ctx context.Context, err error) (s Status, limit string) {
	is := func(end error) bool {
		return errors.Is(ctx.Err(), end) && (errors.Is(err, end) || errors.Is(err, context.Cause(ctx)))
	}
	reached, _ := errors.AsType[*LimitError](err)
	waits := waitingOf(err)
	switch {
	case err == nil:
		return Completed, ""
	case is(context.Canceled):
		return Interrupted, ""
	case waits != nil:
		return LimitHit, LimitApproval
	case reached != nil:
		return LimitHit, reached.Limit
	case is(context.DeadlineExceeded):
		return LimitHit, LimitTime
	}
	return Failed, ""
}

// ended returns the error of a done context, with its cause if that adds
// something.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
