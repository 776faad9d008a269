// Package run assembles and runs one prompt: skills, server, hooks, files and approval
// come from plain options. It prints nothing: events go to a sink, or to a printer.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/history/runlog"
	"skills/internal/mcp/client"
	"skills/internal/redact"
	"skills/internal/script"
	"skills/internal/todo"
	"skills/internal/transcript"
	"skills/internal/workspace"
)

// Parts are what a run consists of. They must be closed.
type Parts struct {
	Env     Env
	Options Options // with their defaults
	ID      string  // of the run
	Prompt  string
	Server  Server
	Session *agent.Session
	conversation
	tools
	written
}

// conversation is what the agent works with.
type conversation struct {
	Mask  *redact.Masker
	notes *notes
	asker approve.Asker // nil if nobody can answer

	continued string // describes the session that is continued, "" for a new one

	config   agent.Config
	price    *agent.Price     // nil if unknown
	playback *replay.Playback // nil without a recording to play
}

// tools are what the model can use.
type tools struct {
	Skills    Skills
	Provider  *skills.Provider
	Others    []agent.ContextProvider // of tools, in a run without a model
	Policy    *approve.Policy
	Scripts   *script.Runner      // runs script files; nil before it is known what they may do
	elsewhere *elsewhere          // runs those of skills; nil without --runner
	mcp       *client.Client      // nil without MCP servers
	work      *workspace.Provider // nil without workspace tools

	after
	pathWarned bool // of entries that programs outside the sandbox do not get
}

// after is what follows an answer.
type after struct {
	plan  *plan  // nil without --plan
	until *until // nil without a loop
}

// written is what the run writes.
type written struct {
	log       *runlog.Log     // or nil
	context   *contextHistory // or nil
	recording recording
	left      leftovers
	closers   []func() error
	closed    bool
}

// Close releases the run's resources and returns the first error.
func (p *Parts) Close() error {
	var first error
	for _, f := range p.closers {
		err := f()
		if first == nil {
			first = err
		}
	}
	p.closers, p.closed = nil, true
	return first
}

// Call returns the call of a script by the person, see [skills.Provider.Find].
func (p *Parts) Call(ctx context.Context, skill, name string, arguments []byte) (*skills.Call, error) {
	return p.Provider.Find(ctx, skill, name, arguments)
}

// Request returns the first request, without sending it.
func (p *Parts) Request(ctx context.Context) (agent.Request, error) {
	a, err := agent.New(p.config)
	if err != nil {
		return agent.Request{}, &fault.Error{Code: fault.Misuse, Err: err, Hint: "check --base-url and -m"}
	}
	request, err := a.Prepare(ctx, p.Session, p.Prompt)
	if err != nil {
		return agent.Request{}, fault.AsFailed("", err)
	}
	return request, nil
}

// Announcements returns the notes and warnings that belong before the conversation.
func (p *Parts) Announcements() []agent.Event { return p.notes.announced }

// Asks reports whether somebody can answer a prompt for approval.
func (p *Parts) Asks() bool { return p.asker != nil }

// Offered returns the number of skills that a model would see.
func (p *Parts) Offered() int { return len(p.Skills.offered(p.Session)) }

// Sink receives the events of a run, in order and never concurrently. An error ends the
// run.
type Sink func(agent.Event) error

// Outcome is how a run ended.
type Outcome struct {
	agent.Result
	SkillsLoaded []string
	TodosOpen    []todo.Item
	Denials      []transcript.Denial
	Hints        []string        // how to allow what was denied
	Waiting      []agent.Waiting // calls that wait for an approval
}

// Run sends the prompt to the model, and writes the recording. The error is that of the
// run, or of the sink.
func (p *Parts) Run(ctx context.Context, sink Sink) (Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := Outcome{SkillsLoaded: []string{}, TodosOpen: []todo.Item{}, Denials: []transcript.Denial{}}
	var failed error // of the sink
	config := p.config
	config.Events = func(e agent.Event) {
		err := p.pass(e, &out, sink)
		if err != nil && failed == nil {
			failed = err
			cancel(err)
		}
	}
	a, err := agent.New(config)
	if err != nil {
		out.Status = agent.Failed
		return out, &fault.Error{Code: fault.Misuse, Err: err, Hint: "check --base-url and -m, or the variables that name them"}
	}
	out.Result, err = a.Run(ctx, p.Session, p.Prompt)
	if errors.As(err, new(*answerError)) {
		out.Answered = false
	}
	out.Messages = slices.DeleteFunc(slices.Clone(out.Messages), func(m agent.Message) bool { return m.Source == agent.FromHistory })
	loaded, lerr := skills.Loaded(p.Session)
	if lerr == nil && len(loaded) > 0 {
		out.SkillsLoaded = loaded
	}
	out.Waiting = agent.WaitingCalls(p.Session)
	open, terr := todo.Remaining(p.Session)
	if terr == nil && len(open) > 0 {
		out.TodosOpen = open
	}
	if failed != nil {
		// The sink's failure ended the run, not an interrupt or a limit.
		out.Status, out.Limit = agent.Failed, ""
		return out, failed
	}
	if err == nil && p.playback != nil && p.playback.Rest() > 0 {
		out.Status, out.Answered = agent.Failed, false
		return out, fault.AsFailed(replayHint(p.Options.Demo), fmt.Errorf("the recording has %d more turns than the run", p.playback.Rest()))
	}
	return out, err
}

// pass passes an event on, after those that have waited for it, and records what belongs to
// the outcome.
func (p *Parts) pass(e agent.Event, out *Outcome, sink Sink) error {
	for p.notes.running && len(p.notes.late) > 0 {
		err := sink(<-p.notes.late)
		if err != nil {
			return err
		}
	}
	if made, ok := e.(agent.ToolApproval); ok && made.Decision == "denied" {
		if made.Hint != "" && !slices.Contains(out.Hints, made.Hint) {
			out.Hints = append(out.Hints, made.Hint)
		}
		out.Denials = append(out.Denials, transcript.Denial{ID: made.ID, By: made.By, Reason: made.Reason})
	}
	if p.log != nil {
		err := p.log.Event(e)
		if err != nil {
			return err
		}
	}
	return sink(e)
}

// RunsElsewhere returns the program that runs the scripts of skills, as it is shown in
// place of a sandbox; "" without --runner.
func RunsElsewhere(p *Parts) string {
	if p.elsewhere == nil {
		return ""
	}
	return p.elsewhere.name
}

// ScriptTemp returns the temporary folder of the scripts, "" if there is none. After the
// run it returns the folder that was removed.
func (p *Parts) ScriptTemp() string {
	if p.Scripts == nil {
		return ""
	}
	return p.Scripts.Temp()
}
