// Package agent runs one prompt with a model: it collects the contributions of
// context providers, sends requests to a chat-completions server, runs the
// tools that the model calls and answers each call with exactly one result,
// until there is an answer or a limit is reached.
//
// Skills, todo lists, terminals and files are added by context providers,
// middlewares and event sinks. The design follows the documents of the
// Microsoft Agent Framework ("the framework" in comments) on context providers and
// function calls.
package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"skills/internal/agent/model"
)

// Config configures a run. Only Server and Model are required.
type Config struct {
	Server Server // where the model is
	Model  string // model name, sent unchanged
	Params Params // further parameters of every request

	// Attachments are files that belong to the prompt.
	Attachments []Part
	// Instructions precede what context providers add to the system text.
	Instructions string
	// Providers are called in order before a run and in reverse order after it.
	Providers []ContextProvider
	// Middleware wraps every tool call; the first is the outermost.
	Middleware []Middleware
	// RunMiddleware wraps a whole run, likewise.
	RunMiddleware []RunMiddleware
	Limits        Limits
	Compaction
	Replies

	Stream   bool // emit MessageDelta; requests ask for a stream in any case
	Parallel bool // run the calls of one turn concurrently

	// Events receives all events in order, never concurrently; may be nil. It
	// must not call anything that emits an event.
	Events func(Event)
	Clock
}

// Compaction is how a run fits the model's context.
type Compaction struct {
	// Window is the size of the model's context in tokens; 0 means unknown until
	// the server rejects a request for its size. NoCompaction keeps old results
	// in all requests, see [CompactionEvent].
	Window       int64
	NoCompaction bool
	// Summarize has the model write one line about the messages that are removed.
	Summarize bool
}

// Replies is how replies are read: what counts as a call, and what as an answer.
type Replies struct {
	ToolCalls ToolCalls
	// Checks are called in order when the model has answered without a call. The
	// run continues with the first feedback.
	Checks []CompletionCheck
	// Next is what the user says after the first answer, the second one and so on. A text
	// follows an answer that the checks accept.
	Next []string
	// IsAnswer reports that a text is an answer, even if it looks like a tool call; may be
	// nil.
	IsAnswer func(text string) bool
	Mediation
}

// Clock is how a run waits and measures time.
type Clock struct {
	// Wait sleeps before a retry and returns early with the context's error; nil
	// uses the real clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Grace is how long the run waits for tools and providers after its context
	// has ended, before it abandons them. The default is five seconds. Notifying
	// a provider may take twice as long.
	Grace time.Duration
	// Now returns the time for durations and for a Retry-After that is a date;
	// nil uses the real clock.
	Now func() time.Time
}

// Status is how a run ended; the values are those of the run.result event.
type Status string

const (
	Completed   Status = "completed"   // the model answered
	Failed      Status = "failed"      // the server, the recording or a provider failed, or a middleware stopped the run
	LimitHit    Status = "limit"       // a limit was reached, see Result.Limit
	Interrupted Status = "interrupted" // the context was cancelled by the user or a signal
)

// Result is the outcome of a run, successful or not.
type Result struct {
	Status    Status
	Limit     string    // name of the limit that was reached, or ""
	Text      string    // the answer, or the text of the last reply
	Answered  bool      // whether Text is an answer; a later error did not prevent it
	Stopped   string    // why a middleware ended a completed run early, see [EndError]; "" where none did
	Cut       string    // the server's reason for truncating that reply, such as "length"; or ""
	Messages  []Message // the whole conversation: input, assistant and tool messages, in order
	Turns     int       // number of answered requests
	ToolCalls int       // number of answered calls, including rejected ones
	Usage     *Usage    // sum over all turns; nil if the server reports none
}

// Agent runs prompts with one configuration. It is safe for concurrent use;
// runs share the event sink, which is never called concurrently.
type Agent struct {
	config Config
	client *model.Client

	events sync.Mutex
}

// New returns an agent. It returns an error if the configuration lacks a model,
// a base URL with scheme and host, or unique names of providers.
func New(c Config) (*Agent, error) {
	if c.Model == "" {
		return nil, errors.New("no model is named")
	}
	client, err := model.New(model.Options{
		Server: c.Server, Model: c.Model, MaxReply: c.Limits.Reply, Idle: c.Limits.Idle, Wait: c.Wait, Now: c.Now,
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
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Grace <= 0 {
		c.Grace = Grace
	}
	return &Agent{config: c, client: client}, nil
}

// Model returns the name of the model.
func (a *Agent) Model() string { return a.config.Model }

// Params returns the further parameters of requests; callers must not change them.
func (a *Agent) Params() Params { return a.config.Params }

// Streaming reports whether the model's text is reported in pieces.
func (a *Agent) Streaming() bool { return a.config.Stream }

// Message is [model.Message], and so on: other packages need not import package model.
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
	// RequestTool is a tool in a request.
	RequestTool = model.Tool
	// Choice is one form of a tool's arguments, and Field a part of it.
	Choice = model.Choice
	Field  = model.Field
	// Server is the address of a chat-completions server and how to connect to
	// it.
	Server = model.Server
	// Header is a header of every request.
	Header = model.Header
	// Error is a failure of the server or of the connection to it.
	Error = model.Error
)

// Window returns how many tokens a request to a model can have, 0 if unknown.
func Window(name string) int64 { return model.Window(name) }

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
