package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/script"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
	"skills/internal/todo"
	"skills/internal/transcript"
)

// Run sends a prompt to the model and prints the run. The printer's Finish is always
// called exactly once, last. The error is an *fault.Error.
func (r *Runner) Run(ctx context.Context, args []string) error {
	begun := time.Now()
	defer r.stopCommands()()
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, begun.Add(r.Timeout))
		defer cancel()
	}
	supervisor.DisableDump() // the process holds keys; best effort
	r.ReadKeys(ctx)
	err := r.recoverPanic(func() error { return r.prepare(ctx, args) })
	if err == nil && r.ShowContext {
		return errors.Join(r.showContext(ctx), r.Close())
	}
	r.config.Middleware = maskedCalls(r.mask, r.config.Middleware)
	r.status = r.NewStatus()
	defer r.status.Close()
	// Removed at the first interrupt, because a later one may end the process immediately.
	defer context.AfterFunc(ctx, r.status.Close)()
	if r.printer == nil {
		r.printer = r.newPrinter()
	}
	r.started = transcript.Started{ // without the tools, which are known later
		SchemaVersion: transcript.SchemaVersion, RunID: r.runID, Model: r.server.Model, BaseURL: PublicURL(r.server.BaseURL),
		Cwd: r.Dir, Params: r.config.Params, ContextWindow: r.config.Window, Skills: r.offered(), Tools: []string{}, Sandbox: "none",
	}
	r.result = transcript.Result{Status: agent.Failed, SkillsLoaded: []string{}, Denials: []transcript.Denial{}, TodosOpen: []todo.Item{}}
	if err == nil {
		err = r.recoverPanic(func() error { return r.do(ctx) })
	}
	after := errors.Join(r.recoverPanic(func() error { return r.writeRecording(ctx) }), r.recoverPanic(r.Close))
	r.result.DurationMS = time.Since(begun).Milliseconds()
	return r.conclude(ctx, err, after)
}

func (r *Runner) do(ctx context.Context) error {
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.config.Events = func(e agent.Event) { r.stopOnPrintError(r.recoverPanic(func() error { return r.show(e) })) }
	ag, err := agent.New(r.config)
	if err != nil {
		return &fault.Error{Code: fault.Misuse, Err: err, Hint: "check --base-url and -m, or the variables that name them"}
	}
	res, err := ag.Run(ctx, r.session, r.prompt)
	r.result.Status, r.result.Limit, r.result.Text, r.result.Turns, r.result.ToolCalls = res.Status, res.Limit, res.Text, res.Turns, res.ToolCalls
	r.result.Cut, r.result.Stopped, r.result.Answered = res.Cut, res.Stopped, res.Answered && !errors.As(err, new(*answerError))
	fromHistory := func(m agent.Message) bool { return m.Source == agent.FromHistory }
	r.result.Usage, r.result.Messages = res.Usage, slices.DeleteFunc(slices.Clone(res.Messages), fromHistory)
	if loaded, lerr := skills.Loaded(r.session); lerr == nil && len(loaded) > 0 {
		r.result.SkillsLoaded = loaded
	}
	if open, terr := todo.Remaining(r.session); terr == nil && len(open) > 0 {
		r.result.TodosOpen = open
	}
	if r.printFailed != nil {
		// The printer's failure ended the run, not an interrupt or a limit.
		r.result.Status, r.result.Limit = agent.Failed, ""
		return r.printFailed
	}
	if err == nil && r.playback != nil && r.playback.Rest() > 0 {
		r.result.Status, r.result.Answered = agent.Failed, false
		return fault.AsFailed(r.replayHint(), fmt.Errorf("the recording has %d more turns than the run", r.playback.Rest()))
	}
	return err
}

// show prints an event, and records what belongs to the result.
func (r *Runner) show(e agent.Event) error {
	for r.startedPrint && len(r.late) > 0 {
		if err := r.printer.Event(<-r.late); err != nil {
			return err
		}
	}
	switch e := e.(type) {
	case agent.ReadyEvent:
		if r.OnConversation != nil {
			r.OnConversation()
		}
		if r.mcp != nil {
			r.started.MCPServers = r.mcp.Servers()
		}
		for _, t := range e.Request.Tools {
			r.started.Tools = append(r.started.Tools, t.Name)
		}
		r.start()
	case agent.ToolApproval:
		if e.Decision == "denied" {
			if e.Hint != "" && !slices.Contains(r.hints, e.Hint) {
				r.hints = append(r.hints, e.Hint)
			}
			r.result.Denials = append(r.result.Denials, transcript.Denial{ID: e.ID, By: e.By, Reason: e.Reason})
		}
	case agent.ToolResultEvent:
		if e.Process == nil || e.Sandbox == "" || r.sandboxWarned {
			break
		}
		r.sandboxWarned = true
		warnings := r.warnOfWeakerSandbox(context.Background()) // tested before the script
		if gaps := r.notEnforced(context.Background()); gaps != "" {
			warnings = append([]string{gaps}, warnings...)
		}
		for _, text := range warnings {
			if err := r.printer.Event(agent.WarningEvent{Message: text}); err != nil {
				return err
			}
		}
	}
	if r.audit != nil {
		if err := r.audit.Event(e); err != nil {
			return err
		}
	}
	return r.printer.Event(e)
}

// start prints run.started, once.
func (r *Runner) start() {
	if r.startedPrint {
		return
	}
	r.startedPrint = true
	switch {
	case r.Demo:
		r.started.NoSandbox = "no sandbox (built-in script)"
	case r.noScripts():
		r.started.NoSandbox = "no scripts"
	case r.Format != "json" && !r.Quiet && r.scripts != nil && !r.closed:
		c := r.scripts.ExpectedSandbox()
		r.started.Sandbox, r.started.SandboxGaps = c.Name, c.NotEnforced
	}
	for _, e := range append([]agent.Event{r.started}, r.announced...) {
		r.stopOnPrintError(r.recoverPanic(func() error { return r.printer.Event(e) }))
	}
}

// stopOnPrintError ends the run if output fails.
func (r *Runner) stopOnPrintError(err error) {
	if err != nil && r.printFailed == nil {
		r.printFailed = err
		r.cancel(err)
	}
}

// maxColumns is the maximum width of text: longer lines are hard to read.
const maxColumns = 100

// newPrinter returns the printer for the output format. The text format writes notes to
// standard error.
func (r *Runner) newPrinter() transcript.Printer {
	p := &maskedPrinter{deltas: r.mask.Stream()}
	columns := func() int { return min(terminal.Width(r.Stdout), maxColumns) }
	lines, text, notes := r.mask.Lines(printable.EscapeJSON(r.jsonOutput())), r.mask.Writer(r.Stdout), r.mask.Writer(r.Stderr)
	p.writers = []*redact.Writer{lines, text, notes}
	opt := transcript.TextOptions{
		Verbose: r.Verbose, Terminal: terminal.Is(r.Stdout), Width: columns(), Resized: columns,
		Colour: r.Styled(r.Stdout), Notes: notes, Words: commandWords, Timed: terminal.Is(r.Stderr),
	}
	if r.Session != "" {
		opt.Continue = "skills run --session " + printable.ShellWord(r.Session)
	}
	switch {
	case r.Format == "json":
		p.Printer = transcript.JSON(lines)
	case r.Format == "jsonl":
		p.Printer = transcript.JSONL(lines, r.Verbose)
	case r.Quiet:
		p.Printer = transcript.Quiet(text, opt)
	default:
		p.Printer = transcript.Text(text, opt)
	}
	if r.Format == "json" || r.Format == "text" && r.Quiet {
		p.Printer = warner{p.Printer, func(text string) { r.Warn("%s", r.mask.Text(text)) }}
	}
	if r.Printer != nil {
		p.Printer = r.Printer(p.Printer)
	}
	p.Printer = transcript.Waiting(p.Printer, r.status)
	return p
}

// warner prints warnings to standard error, for output without events.
type warner struct {
	transcript.Printer
	warn func(text string)
}

// Event implements [transcript.Printer].
func (w warner) Event(e agent.Event) error {
	if warning, ok := e.(agent.WarningEvent); ok && !warning.Repeated {
		w.warn(warning.Message)
	}
	return w.Printer.Event(e)
}

// commandWords returns the words that a script gets for a model's arguments.
func commandWords(raw json.RawMessage) []string {
	words, err := script.Arguments(raw)
	if err != nil {
		return []string{string(raw)}
	}
	return printable.Map(words, printable.ShellWord)
}

// NewStatus returns a new status line, which is invisible unless standard error is a
// capable terminal that this job has.
func (r *Runner) NewStatus() *terminal.Status {
	var tick <-chan time.Time
	if terminal.Is(r.Stderr) && r.Getenv("TERM") != "dumb" {
		tick = time.Tick(200 * time.Millisecond)
	}
	width := func() int {
		if f, ok := r.Stderr.(interface{ Fd() uintptr }); ok && !terminal.InForeground(f.Fd()) {
			return 0
		}
		return terminal.Width(r.Stderr)
	}
	return terminal.NewStatus(r.Stderr, width, time.Now, tick)
}
