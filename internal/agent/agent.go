// Package agent runs one prompt with a model: it gathers what the context
// providers contribute, asks a chat-completions server, runs the tools the
// model calls and answers each call with exactly one result, until there is an
// answer or a limit.
//
// It knows nothing about skills, todo lists, terminals or files: those are
// context providers, middlewares and event sinks handed in. The design follows
// the framework's documents on context providers and function calls.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"skills/internal/agent/model"
)

// Config is everything a run needs; every field but Server and Model may be zero.
type Config struct {
	Server Server // where the model is
	Model  string // model name, sent as it is
	Params Params // further parameters of every request

	// Attachments are files that belong to the prompt.
	Attachments []Part
	// Instructions come before everything that context providers add to the
	// system text; empty for none.
	Instructions string
	// Providers are called in order before a run and in reverse order after it.
	Providers []ContextProvider
	// Middleware wraps every tool call; the first is the outermost.
	Middleware []Middleware
	// Runs wraps a whole run, and Requests each request to the model, likewise.
	Runs     []RunMiddleware
	Requests []RequestMiddleware
	// Checks are asked, in order, when the model has answered without a call:
	// the run goes on with the first feedback.
	Checks []CompletionCheck

	Limits   Limits
	Stream   bool // ask for server-sent events and emit MessageDelta
	Parallel bool // run the calls of one turn concurrently

	// Events receives everything that happens, in order, one call at a time;
	// nil drops it. It must not call anything that emits an event.
	Events func(Event)
	// Wait sleeps before a retry and returns early with the context's error;
	// nil waits on the real clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Grace is how long the run waits for tools and providers that do not end
	// with its context, before it abandons them. Zero means five seconds.
	// Notifying a provider may take twice as long.
	Grace time.Duration
	// Now is the clock for durations and for a Retry-After that is a date;
	// nil is the real clock.
	Now func() time.Time
}

// CompletionCheck decides whether an answer is the end of a run (the
// framework's loop evaluator). Feedback is sent to the model, which is then
// asked again; "" lets the run end. An error fails the run. The check has to
// limit itself how often it asks for more.
type CompletionCheck func(ctx context.Context, c Completion) (feedback string, err error)

// Completion is what a [CompletionCheck] is shown.
type Completion struct {
	Session *Session
	Text    string // the answer
	Turn    int    // the turn that gave it, from 1
	Rounds  int    // how often the run went on after an answer so far
}

// Status says how a run ended; the values are those of the run.result event.
type Status string

const (
	Completed   Status = "completed"   // the model gave its answer
	Failed      Status = "failed"      // the server, the recording or a provider failed, or a middleware ended it
	LimitHit    Status = "limit"       // a limit was reached; Result.Limit says which
	Interrupted Status = "interrupted" // the context was cancelled by a person or a signal
)

// Result is the outcome of a run, whatever its end.
type Result struct {
	Status    Status
	Limit     string    // the limit that was reached, by its name; "" for none
	Text      string    // the answer or, where there is none, the text of the last reply
	Answered  bool      // whether Text is an answer: what went wrong then came after it
	Stopped   string    // why a middleware ended a completed run early, see [EndError]; "" where none did
	Cut       string    // why the server ended that reply before it was whole, in its word: "length", "content_filter"; "" where it is whole
	Messages  []Message // the whole conversation: input, assistant and tool messages, in order
	Turns     int       // requests that were answered
	ToolCalls int       // calls that were answered, refused ones included
	Usage     *Usage    // sum over all turns; nil when the server reports none
}

// Agent runs prompts with one configuration. It is safe for concurrent use;
// runs share the sink of events, which still sees one event at a time.
type Agent struct {
	config Config
	client *model.Client

	events sync.Mutex
}

// New returns an agent, or an error that says what the configuration lacks: a
// model, a base URL with scheme and host, providers with names of their own.
func New(c Config) (*Agent, error) {
	if c.Model == "" {
		return nil, errors.New("no model is named")
	}
	client, err := model.New(model.Options{
		Server: c.Server, Model: c.Model, Stream: c.Stream, MaxReply: c.Limits.Reply, Idle: c.Limits.Idle, Wait: c.Wait, Now: c.Now,
	})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, p := range c.Providers {
		if names[p.Name()] {
			return nil, fmt.Errorf("two context providers are named %q: their state would collide", p.Name())
		}
		names[p.Name()] = true
	}
	if c.Limits.Turns <= 0 {
		c.Limits.Turns = DefaultTurns
	}
	c.Limits.Failures = max(0, cmp.Or(c.Limits.Failures, DefaultFailures))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Grace <= 0 {
		c.Grace = Grace
	}
	return &Agent{config: c, client: client}, nil
}

// Model returns the name of the model, and Streaming whether its text is streamed.
func (a *Agent) Model() string   { return a.config.Model }
func (a *Agent) Streaming() bool { return a.config.Stream }

// The conversation is made of the model's own types.
type (
	Message  = model.Message
	ToolCall = model.ToolCall
	Part     = model.Part
	Usage    = model.Usage
	Role     = model.Role
	Source   = model.Source

	// Request is one request to the model, and Reply its answer.
	Request = model.Request
	Reply   = model.Reply
	Params  = model.Params
	// RequestTool is a tool as a request offers it.
	RequestTool = model.Tool
	// Server says where a chat-completions server is and how to talk to it.
	Server = model.Server
	// Error is a failure of the server or of the way to it.
	Error = model.Error
)

// The roles and sources of messages.
const (
	System    = model.System
	User      = model.User
	Assistant = model.Assistant
	ToolRole  = model.ToolRole

	FromUser    = model.FromUser
	FromContext = model.FromContext
	FromHistory = model.FromHistory
	FromModel   = model.FromModel
	FromTool    = model.FromTool
)
