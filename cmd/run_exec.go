package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/printable"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
	"skills/internal/todo"
	"skills/internal/transcript"
)

// run takes a prompt through the model. Whatever happens, the printer's Finish
// is called exactly once, last.
func (a *app) run(ctx context.Context, f runFlags, args []string) error {
	begun := time.Now()
	if limit, ok := f.deadline(begun); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, limit)
		defer cancel()
	}
	supervisor.DisableDump() // it holds keys; where this fails, it is as it was
	a.mask = a.masker(ctx, f)
	p, err := a.plan(ctx, f, args)
	if err == nil && f.showContext {
		err = a.showContext(ctx, f, p)
		return errors.Join(err, p.close())
	}
	p.config.Middleware = masked(a.mask, p.config.Middleware, len(p.hooks) > 0)
	a.status = a.newStatus()
	defer a.status.Close()
	// Gone at the first interrupt: the second ends the process as it stands.
	defer context.AfterFunc(ctx, a.status.Close)()
	r := newRunning(p, a.printer(f), a.startEvent(p))
	r.begun, r.settle = begun, a.Settle
	return a.through(ctx, f, r, err)
}

// through takes a run to its end that is planned, with the error of the plan.
func (a *app) through(ctx context.Context, f runFlags, r *running, err error) error {
	r.timeout, r.verbose, r.quiet, r.sandbox = f.timeout, f.verbose, f.quiet, f.format == "jsonl"
	r.demo = f.demo
	if err == nil {
		err = caught(func() error { return r.do(ctx) })
	}
	after := errors.Join(caught(func() error { return a.recorded(ctx, f, r) }), caught(r.plan.close))
	r.result.DurationMS = time.Since(r.begun).Milliseconds()
	return a.conclude(ctx, r, err, after)
}

// running is a run on its way: its printer and what its end will tell.
type running struct {
	plan    *plan
	printer transcript.Printer
	started transcript.Started
	told    bool // whether run.started has been printed
	result  transcript.Result
	failed  error // of the printer
	cancel  context.CancelCauseFunc

	begun   time.Time
	settle  func()        // called when the conversation begins, or nil
	timeout time.Duration // the limit of time, for the message that tells of it
	verbose bool          // whether to print where a panic was
	demo    bool          // whether it plays the built-in recording
	quiet   bool          // whether warnings are not shown
	sandbox bool          // whether run.started is shown, with the confinement of scripts
}

// newRunning returns a run that has not begun, with the result of one that
// never does.
func newRunning(p *plan, printer transcript.Printer, started transcript.Started) *running {
	return &running{plan: p, printer: printer, started: started, result: transcript.Result{
		Status: agent.Failed, SkillsLoaded: []string{}, Denials: []transcript.Denial{}, TodosOpen: []todo.Item{},
	}}
}

// do runs the agent.
func (r *running) do(ctx context.Context) error {
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.plan.config.Events = r.event
	ag, err := agent.New(r.plan.config)
	if err != nil {
		return &failure{exitUsage, err, "check --base-url and -m, or the variables that name them"}
	}
	res, err := ag.Run(ctx, r.plan.session, r.plan.prompt)
	r.result.Status, r.result.Limit, r.result.Text, r.result.Turns, r.result.ToolCalls = res.Status, res.Limit, res.Text, res.Turns, res.ToolCalls
	r.result.Cut, r.result.Answered = res.Cut, res.Answered
	r.result.Usage, r.result.Messages = res.Usage, ofThisRun(res.Messages)
	if loaded, lerr := skills.Loaded(r.plan.session); lerr == nil && len(loaded) > 0 {
		r.result.SkillsLoaded = loaded
	}
	if open, terr := todo.Remaining(r.plan.session); terr == nil && len(open) > 0 {
		r.result.TodosOpen = open
	}
	if r.failed != nil {
		// The run was ended for it, which is no interruption and no limit.
		r.result.Status, r.result.Limit = agent.Failed, ""
		return r.failed
	}
	if rest := r.rest(); err == nil && rest > 0 {
		r.result.Status, r.result.Answered = agent.Failed, false
		return problem(r.replayHint(), fmt.Errorf("the recording goes on for %d more turns than the run took", rest))
	}
	return err
}

// rest is how many turns of a recording were not played.
func (r *running) rest() int {
	if r.plan.playback == nil {
		return 0
	}
	return r.plan.playback.Rest()
}

// event shows an event, and notes what the result tells of it. When nobody can
// be shown anything any more, the run is over.
func (r *running) event(e agent.Event) {
	r.note(caught(func() error { return r.show(e) }))
}

func (r *running) show(e agent.Event) error {
	switch e := e.(type) {
	case agent.ReadyEvent:
		if r.settle != nil {
			r.settle()
		}
		for _, t := range e.Request.Tools {
			r.started.Tools = append(r.started.Tools, t.Name)
		}
		r.start()
	case agent.ToolApproval:
		if e.Decision == "denied" {
			r.result.Denials = append(r.result.Denials, transcript.Denial{ID: e.ID, By: e.By, Reason: e.Reason})
		}
	case agent.ToolResultEvent:
		if e.Sandbox == "" || r.plan.gapsTold {
			break
		}
		r.plan.gapsTold = true
		status, err := r.plan.trySandbox(context.Background()) // tried before the script
		if said := notEnforced(status, r.plan.sandboxMode); said != "" && err == nil {
			if err := r.printer.Event(agent.WarningEvent{Message: said}); err != nil {
				return err
			}
		}
	}
	if r.plan.audit != nil {
		if err := r.plan.audit.Event(e); err != nil {
			return err
		}
	}
	return r.printer.Event(e)
}

// start prints run.started, once.
func (r *running) start() {
	if !r.told {
		r.told = true
		if r.sandbox && r.plan.runner != nil && !r.plan.closed {
			c := r.plan.runner.ExpectedSandbox()
			r.started.Sandbox, r.started.SandboxGaps = c.Name, c.NotEnforced
		}
		r.note(caught(func() error { return r.printer.Event(r.started) }))
		for _, said := range r.plan.notes {
			r.note(caught(func() error { return r.printer.Event(agent.NoteEvent{Message: said}) }))
		}
	}
}

func (r *running) note(err error) {
	if err != nil && r.failed == nil {
		r.failed = err
		if r.cancel != nil {
			r.cancel(err)
		}
	}
}

// printer is the output format; of text, what is beside the conversation goes
// to standard error.
func (a *app) printer(f runFlags) transcript.Printer {
	p := &maskedPrinter{deltas: a.mask.Stream()}
	lines, text, notes := a.mask.Lines(printable.EscapeJSON(a.Stdout)), a.mask.Writer(a.Stdout), a.mask.Writer(a.Stderr)
	p.flush = []func() error{lines.Flush, text.Flush, notes.Flush}
	switch {
	case f.format == "json":
		p.Printer = transcript.JSON(lines)
	case f.format == "jsonl":
		p.Printer = transcript.JSONL(lines, f.verbose)
	case f.quiet:
		p.Printer = transcript.Quiet(text)
	default:
		p.Printer = transcript.Text(text, transcript.TextOptions{
			Verbose: f.verbose, Terminal: isTerminal(a.Stdout), Width: min(columns(a.Stdout), 100),
			Colour: a.colours(a.Stdout), Notes: notes,
		})
	}
	p.Printer = transcript.Waiting(p.Printer, a.status)
	return p
}

// newStatus returns the line that tells what is waited for; where standard
// error is no terminal that obeys, or the terminal of another job, it is never
// seen.
func (a *app) newStatus() *terminal.Status {
	var tick <-chan time.Time
	if isTerminal(a.Stderr) && a.Getenv("TERM") != "dumb" {
		tick = time.Tick(200 * time.Millisecond)
	}
	width := func() int {
		if f, ok := a.Stderr.(interface{ Fd() uintptr }); ok && !terminal.InForeground(f.Fd()) {
			return 0
		}
		return columns(a.Stderr)
	}
	return terminal.NewStatus(a.Stderr, width, time.Now, tick)
}

// newRunID names a run apart from all others.
func newRunID() string {
	id := make([]byte, 8)
	rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// startEvent is run.started, without the tools, which are known later.
func (a *app) startEvent(p *plan) transcript.Started {
	s := transcript.Started{
		SchemaVersion: transcript.SchemaVersion, RunID: p.runID, Model: p.server.model, BaseURL: publicURL(p.server.baseURL),
		Cwd: a.Dir, Skills: p.offered(), Tools: []string{}, Sandbox: "none",
	}
	return s
}
