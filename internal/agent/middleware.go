package agent

import (
	"context"
	"slices"
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

// EndError is a reason of [Invocation.Stop], or an error of a context provider, that
// ends a run as completed: its answer is the text so far.
type EndError struct{ Reason string }

// Error returns the reason.
func (e *EndError) Error() string { return e.Reason }

// wrap puts middlewares around a handler; the first is the outermost.
func wrap[H any, M ~func(H) H](handler H, middlewares []M) H {
	for _, m := range slices.Backward(middlewares) {
		handler = m(handler)
	}
	return handler
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
