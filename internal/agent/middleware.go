package agent

import (
	"context"
	"slices"

	"skills/internal/agent/model"
)

// RunRequest is one run on its way through the run middlewares.
type RunRequest struct {
	Agent   *Agent
	Session *Session
	Prompt  string
}

// RunHandler runs a prompt, with the outcome of [Agent.Run].
type RunHandler func(ctx context.Context, run *RunRequest) (Result, error)

// RunMiddleware wraps a whole run (the framework's delegating agent): it may
// change the prompt, answer without a run, or change the result. What it does
// after the run has no events any more.
type RunMiddleware func(next RunHandler) RunHandler

// ModelCall is one request to the model on its way through the request
// middlewares, which may replace it.
type ModelCall struct {
	Request   Request
	Agent     *Agent
	Session   *Session
	Turn      int  // the turn that is asked for, from 1
	Closing   bool // it asks for the closing answer, without tools
	Streaming bool // as [Config.Stream]
}

// RequestHandler sends a request, with its retries.
type RequestHandler func(ctx context.Context, call *ModelCall) (Reply, error)

// RequestMiddleware wraps each request to the model (the framework's delegating
// chat client): it may change the request, answer in the model's place, or change
// the reply, before anything of it joins the conversation.
type RequestMiddleware func(next RequestHandler) RequestHandler

// EndError is a reason of [Invocation.Stop], or an error of a context provider, that
// ends a run as completed: its answer is the text so far.
type EndError struct{ Reason string }

// Error returns the reason.
func (e *EndError) Error() string { return e.Reason }

type invocationKey struct{}

// InvocationFrom returns the call whose tool runs under ctx, nil outside of one. A
// script that is a Go function finds here who calls it.
func InvocationFrom(ctx context.Context) *Invocation {
	inv, _ := ctx.Value(invocationKey{}).(*Invocation)
	return inv
}

// wrap puts middlewares around a handler; the first is the outermost.
func wrap[H any, M ~func(H) H](handler H, middlewares []M) H {
	for _, m := range slices.Backward(middlewares) {
		handler = m(handler)
	}
	return handler
}

// send sends a request through the request middlewares.
func (r *run) send(ctx context.Context, call *ModelCall, o model.Observer) (Reply, error) {
	call.Agent, call.Session, call.Streaming = r.agent, r.session, r.agent.config.Stream
	handler := func(ctx context.Context, call *ModelCall) (Reply, error) {
		return r.agent.client.Complete(ctx, call.Request, o)
	}
	return wrap(RequestHandler(handler), r.agent.config.RequestMiddleware)(ctx, call)
}

// end makes a run that a middleware or a provider ended a completed one.
func (r *run) end(end *EndError) {
	r.result.Stopped = end.Reason
	for _, m := range slices.Backward(r.messages) {
		if m.Source == FromModel && r.result.Text == "" {
			r.result.Text = m.Text
		}
	}
}
