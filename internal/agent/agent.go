// Package agent takes one prompt through a model: it gathers what the context
// providers contribute, asks a chat-completions server, runs the tools the
// model calls and answers each call with exactly one result, until there is an
// answer or a limit.
//
// It knows nothing of skills, todo lists, terminals or files: those are
// context providers, middlewares and event sinks handed in. There is no
// interface over the model: every request goes through openai-go to a real
// HTTP server (or to a [http.RoundTripper] that plays one back), so that tests
// exercise the wire.
//
// The design follows the framework's documents on context providers and on
// the interception of function calls; differences are named where they are.
package agent

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Config is everything a run needs. The zero value of every field but Server
// and Model is usable.
type Config struct {
	Server Server // where the model is
	Model  string // model name, sent as it is

	// Instructions come before everything that context providers add to the
	// system text; empty for none.
	Instructions string
	// Providers are asked in order at the start of a run and told in reverse
	// order at its end.
	Providers []ContextProvider
	// Middleware wraps every tool call; the first is the outermost.
	Middleware []Middleware
	// Finish is asked, in order, when the model has answered and calls nothing:
	// the first that returns feedback has the run go on with it.
	Finish []Finish

	Limits   Limits
	Stream   bool // ask for server-sent events and emit MessageDelta
	Parallel bool // run the calls of one turn side by side

	// Events receives everything that happens, in order, one call at a time;
	// nil drops it. It must not call anything that emits an event.
	Events func(Event)
	// Wait sleeps before a retry and returns early with the context's error;
	// nil waits on the real clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Jitter returns a random number from 0 to 1 that spreads the waits before
	// retries; nil is the runtime's.
	Jitter func() float64
	// Grace is how long tools and providers that do not end with the run's
	// context are waited for; what still has not ended then is given up. Zero
	// means five seconds. Telling a provider of something may take twice as
	// long.
	Grace time.Duration
	// Now tells the time for durations and for a Retry-After that is a date;
	// nil is the real clock.
	Now func() time.Time
}

// Finish decides whether an answer is the end of a run (the framework's loop
// evaluator). Feedback is told to the model, which is then asked again; "" lets
// the run end. An error fails the run. It has to bound itself how often it asks
// for more; the limits of the run hold beside it.
type Finish func(ctx context.Context, f Finishing) (feedback string, err error)

// Finishing is what a [Finish] is shown.
type Finishing struct {
	Session *Session
	Text    string // the answer
	Turn    int    // the turn that gave it, from 1
	Rounds  int    // how often the run went on after an answer so far
}

// Server says where a chat-completions server is and how to talk to it.
type Server struct {
	// BaseURL is the address up to and including the version, for example
	// https://api.openai.com/v1 or http://localhost:11434/v1.
	BaseURL string
	// APIKey is sent as a bearer token; empty sends no Authorization header,
	// which is right for most local servers.
	APIKey string
	// Transport carries the requests; nil means a private default transport.
	// A recording or a playback is a transport.
	Transport http.RoundTripper
	// Proxy says through which proxy the requests go; nil means the
	// environment's, [http.ProxyFromEnvironment]. A Transport chooses its own
	// and has to agree.
	Proxy     func(*http.Request) (*url.URL, error)
	UserAgent string
	// Retries is how often a failed request is sent again; negative means
	// never, zero the default of 2.
	Retries int
}

// Status says how a run ended; the values are those of the run.result event.
type Status string

const (
	Completed   Status = "completed"   // the model gave its answer
	Failed      Status = "failed"      // the server, the recording or a provider failed, or a middleware ended it
	LimitHit    Status = "limit"       // a limit was reached; Result.Limit says which
	Interrupted Status = "interrupted" // the context was cancelled by a person or a signal
)

// Result is what a run came to, whatever its end.
type Result struct {
	Status    Status
	Limit     string    // the limit that was reached, by its name; "" for none
	Text      string    // the answer or, where there is none, the text of the last reply
	Answered  bool      // whether Text is an answer: what went wrong then came after it
	Cut       string    // why the server ended that reply before it was whole, in its word: "length", "content_filter"; "" where it is whole
	Messages  []Message // the whole conversation: input, assistant and tool messages, in order
	Turns     int       // requests that were answered
	ToolCalls int       // calls that were answered, refused ones included
	Usage     *Usage    // sum over all turns; nil when the server never told
}
