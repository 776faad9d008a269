package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"syscall"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
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
	p, err := a.plan(ctx, f, args)
	if err == nil && f.showContext {
		err = a.showContext(ctx, f, p)
		return errors.Join(err, p.close())
	}
	r := &running{plan: p, printer: a.printer(f), started: a.startEvent(p), result: transcript.Result{
		Status: agent.Failed, SkillsLoaded: []string{}, Denials: []transcript.Denial{}, TodosOpen: []todo.Item{},
	}}
	if err == nil {
		err = r.do(ctx)
	}
	err = errors.Join(err, a.recorded(f, p), p.close())
	r.result.DurationMS = time.Since(begun).Milliseconds()
	return a.conclude(ctx, r, err)
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
	r.result.Status, r.result.Text, r.result.Turns, r.result.ToolCalls = res.Status, res.Text, res.Turns, res.ToolCalls
	r.result.Usage, r.result.Messages = res.Usage, ofThisRun(res.Messages)
	if loaded, lerr := skills.Loaded(r.plan.session); lerr == nil && len(loaded) > 0 {
		r.result.SkillsLoaded = loaded
	}
	if open, terr := todo.Remaining(r.plan.session); terr == nil && len(open) > 0 {
		r.result.TodosOpen = open
	}
	if r.failed != nil {
		return r.failed
	}
	if rest := r.rest(); err == nil && rest > 0 {
		r.result.Status = agent.Failed
		return problem("record it again with --record", fmt.Errorf("the recording goes on for %d more turns than the run took", rest))
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
	switch e := e.(type) {
	case agent.ReadyEvent:
		for _, t := range e.Request.Tools {
			r.started.Tools = append(r.started.Tools, t.Name)
		}
		r.start()
	case agent.ToolApproval:
		if e.Decision == "denied" {
			r.result.Denials = append(r.result.Denials, transcript.Denial{ID: e.ID, By: e.By, Reason: e.Reason})
		}
	}
	r.note(r.printer.Event(e))
}

// start prints run.started, once.
func (r *running) start() {
	if !r.told {
		r.told = true
		r.note(r.printer.Event(r.started))
		for _, said := range r.plan.notes {
			r.note(r.printer.Event(agent.NoteEvent{Message: said}))
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

// conclude prints the result and returns what makes the exit code.
func (a *app) conclude(ctx context.Context, r *running, err error) error {
	code := exitFine
	if err != nil {
		code = a.runCode(ctx, r, err)
		said := terminal.Clean(explained(ctx, err))
		r.result.Error = &said
	}
	r.start()
	if perr := r.printer.Finish(r.result); perr != nil && err == nil {
		return perr
	}
	if errors.Is(err, syscall.EPIPE) {
		return errReported(code) // whoever read this has seen enough
	}
	if code != exitFine {
		a.refuse(a.withHint(ctx, r, err))
		return errReported(code)
	}
	return nil
}

// runCode is the exit code of a run that ended with err, and sets the status
// where the agent never ran.
func (a *app) runCode(ctx context.Context, r *running, err error) int {
	var interrupt Interrupt
	if errors.As(context.Cause(ctx), &interrupt) {
		r.result.Status = agent.Interrupted
		return interrupt.ExitCode()
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		r.result.Status = agent.LimitHit
	}
	var f *failure
	switch {
	case r.result.Status == agent.LimitHit:
		return exitLimit
	case errors.As(err, &f):
		r.result.Status = agent.Failed
		return f.code
	case r.result.Status == agent.Completed:
		r.result.Status = agent.Failed // the answer stands, but something after it failed
	}
	return exitProblems
}

// explained is the error in words: a context's end is told by its cause.
func explained(ctx context.Context, err error) string {
	var interrupt Interrupt
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &interrupt):
		return interrupt.Error()
	case errors.Is(cause, context.DeadlineExceeded):
		return "stopped at the limit of time"
	}
	return err.Error()
}

// withHint adds what only the command line knows: which flag to turn.
func (a *app) withHint(ctx context.Context, r *running, err error) error {
	told := errors.New(*r.result.Error)
	var server *agent.Error
	var hinted interface{ Hint() string }
	hint := ""
	switch {
	case errors.Is(err, agent.ErrTurns):
		hint = "allow more with --max-turns"
	case errors.Is(err, agent.ErrTokens):
		hint = "allow more with --max-tokens"
	case r.result.Status == agent.LimitHit:
		hint = "allow more with --timeout"
	case r.result.Status == agent.Interrupted:
	case errors.As(err, &server):
		hint = server.Hint
		if server.Status == 401 && r.plan.server.keyName != "" {
			hint = fmt.Sprintf("the key comes from %s; check that it belongs to this server and is still valid", r.plan.server.keyName)
		} else if server.Status == 401 {
			hint = "set OPENAI_API_KEY, or name the variable that holds the key with --api-key-env"
		}
	case errors.As(err, new(*agent.ReplayError)):
		hint = "record it again with --record"
	case errors.As(err, &hinted):
		hint = hinted.Hint()
	}
	if server != nil && hint == "" {
		hint = "check the server, --base-url and -m; --format jsonl shows what was said"
	}
	return &failure{exitProblems, told, hint}
}

// printer is the output format; of text, what is beside the conversation goes
// to standard error.
func (a *app) printer(f runFlags) transcript.Printer {
	switch {
	case f.format == "json":
		return transcript.JSON(a.Stdout)
	case f.format == "jsonl":
		return transcript.JSONL(a.Stdout, f.verbose)
	case f.quiet:
		return transcript.Quiet(a.Stdout)
	}
	return transcript.Text(a.Stdout, transcript.TextOptions{Verbose: f.verbose, Colour: a.colours(a.Stdout), Notes: a.Stderr})
}

// startEvent is run.started, without the tools, which are known later.
func (a *app) startEvent(p *plan) transcript.Started {
	id := make([]byte, 8)
	rand.Read(id) // never fails
	s := transcript.Started{
		SchemaVersion: transcript.SchemaVersion, RunID: hex.EncodeToString(id), Model: p.server.model, BaseURL: publicURL(p.server.baseURL),
		Cwd: a.Dir, Skills: []string{}, Tools: []string{}, Sandbox: "none",
	}
	if p.source != nil {
		found, _ := p.source.Skills(context.Background()) // cached; its error was told when it was made
		for _, k := range found {
			s.Skills = append(s.Skills, k.Name)
		}
	}
	return s
}

// recorded writes the recording, in one step, if there is a turn in it.
func (a *app) recorded(f runFlags, p *plan) error {
	if p.recorder == nil || p.recording.Len() == 0 {
		return nil
	}
	err := p.recorder.Err()
	if err == nil {
		err = writeFile(a.absolute(f.record), p.recording.Bytes())
	}
	if err != nil {
		return problem("check the folder and its permissions", fmt.Errorf("--record: %w", err))
	}
	return nil
}
