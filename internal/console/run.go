// Package console is what a person at a terminal meets when skills are run: it reads the
// prompt, chooses the printer, asks for approval, and says at the end what is left to do.
// Package run does the work.
package console

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/suggest"
	"skills/internal/terminal"
	"skills/internal/transcript"
)

// Env is the environment of the process, and how the command line prints.
type Env struct {
	run.Env
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	OnConversation func()                      // called when a run's conversation starts; may be nil
	Styled         func(stdout io.Writer) bool // reports whether output is coloured
}

// Options are the options of a run, and how it is printed.
type Options struct {
	run.Options
	Output Output
}

// Output says how a run is printed.
type Output struct {
	Format         string // one of [Formats]
	Quiet, Verbose bool
	StreamSet      bool // the option to stream was given; otherwise text streams at a terminal
}

// Formats returns the output formats of Run.
func Formats() []string { return []string{"text", "json", "jsonl"} }

// check returns an error for an unknown format.
func (o Output) check() error {
	if slices.Contains(Formats(), o.Format) {
		return nil
	}
	return fault.Usage(suggest.Hint(o.Format, Formats(), ""), "unknown value %q of --format", o.Format)
}

// Run sends a prompt to the model and prints the run. The printer's Finish is always
// called exactly once, last. The error is a *fault.Error.
func Run(ctx context.Context, env Env, o Options, args []string) error {
	c := &console{Env: env, Output: o.Output}
	options := c.prepare(o, args)
	defer c.stopCommands()()
	c.status = NewStatus(env)
	defer c.status.Close()
	// Removed at the first interrupt, because a later one may end the process immediately.
	defer context.AfterFunc(ctx, c.status.Close)()
	parts, ended, err := run.Present(ctx, env.Env, options, run.Presentation{
		Printer: c.printer, Preview: c.preview, Conversation: env.OnConversation, Panicked: c.panicked,
		Brief: o.Output.Format == "json" || o.Output.Quiet,
		Lost:  func(err error) error { return fault.LostOutput(env.Stdout, err) },
	})
	if ended.Quiet {
		return err
	}
	c.printEnd(parts, ended)
	explained := o.Output.Format == "text" && !o.Output.Quiet
	if o.Demo && err == nil && explained {
		fmt.Fprint(env.Stderr, afterDemo)
	}
	return err
}

// console is one run at the console.
type console struct {
	Env
	Output
	status  *terminal.Status // the status line; nil before a run
	session string
}

// prepare completes the options of a run.
func (c *console) prepare(o Options, args []string) run.Options {
	out := o.Options
	c.session = out.Files.Session
	if !o.Output.StreamSet {
		out.Server.Stream = o.Output.Format == "text" && !o.Output.Quiet && terminal.Is(c.Stdout)
	}
	out.Programs.ServerOutput = o.Output.Verbose
	out.Approval.Ask, out.Approval.Confirm = c.asker(false), c.terminal(false, nil).Confirmer()
	out.Prompt.Loop.Confirm = c.terminal(false, nil).Planner(c.Getenv)
	out.Valid = c.Output.check
	out.Prompt.Read = func(ctx context.Context) (string, error) { return c.prompt(ctx, out, args) }
	return out
}

// NewConfirm returns the function that asks a person at the terminal a question, nil if
// nobody can answer.
func NewConfirm(env Env) run.Confirm {
	c := &console{Env: env}
	return c.terminal(false, nil).Confirmer()
}

// asker returns the function that makes prompts for approval; named means that the person
// named the script.
func (c *console) asker(named bool) func(mask func(string) string) approve.Asker {
	return func(mask func(string) string) approve.Asker {
		return c.terminal(named, mask).Asker()
	}
}

// terminal returns where the person is asked.
func (c *console) terminal(named bool, mask func(string) string) approve.Terminal {
	return approve.Terminal{
		Stdin: c.Stdin, Stderr: c.Stderr, Status: func() *terminal.Status { return c.status }, Named: named, Mask: mask,
	}
}

// panicked prints the stack of a panic.
func (c *console) panicked(stack string) {
	if c.Verbose {
		fmt.Fprintln(c.Stderr, printable.Text(stack))
	}
}

// maxColumns is the maximum width of text: longer lines are hard to read.
const maxColumns = 100

// printer returns the printer for the output format. The text format writes notes to
// standard error.
func (c *console) printer(parts *run.Parts) transcript.Printer {
	mask := parts.Mask
	columns := func() int { return min(terminal.Width(c.Stdout), maxColumns) }
	lines, text, notes := mask.Lines(printable.EscapeJSON(c.jsonOutput())), mask.Writer(c.Stdout), mask.Writer(c.Stderr)
	opt := transcript.TextOptions{
		Verbose: c.Verbose, Terminal: terminal.Is(c.Stdout), Width: columns(), Resized: columns,
		Colour: c.Styled(c.Stdout), Notes: notes, Timed: terminal.Is(c.Stderr),
	}
	if c.session != "" {
		opt.Continue = "skills run --session " + printable.ShellWord(c.session)
	}
	var p transcript.Printer
	switch {
	case c.Format == "json":
		p = transcript.JSON(lines)
	case c.Format == "jsonl":
		p = transcript.JSONL(lines, c.Verbose)
	case c.Quiet:
		p = transcript.Quiet(text, opt)
	default:
		p = transcript.Text(text, opt)
	}
	quiet := c.Format == "text" && c.Quiet
	if c.Format == "json" || quiet {
		p = warner{
			Printer: p, warn: func(text string) { c.Warn("%s", mask.Text(text)) },
			note: func(text string) { fmt.Fprintln(c.Stderr, printable.Line(mask.Text(text))) },
		}
	}
	return transcript.Masked(transcript.Waiting(p, c.status), mask, lines, text, notes)
}

// warner prints warnings to standard error, for output without events.
type warner struct {
	transcript.Printer
	warn, note func(text string)
}

// Event implements [transcript.Printer].
func (w warner) Event(e agent.Event) error {
	switch e := e.(type) {
	case agent.WarningEvent:
		if !e.Repeated {
			w.warn(e.Message)
		}
	case agent.LoadingEvent:
		w.note(e.Message)
	}
	return w.Printer.Event(e)
}

// printEnd prints what is left to say after a run: warnings, and how to allow what was
// denied.
func (c *console) printEnd(parts *run.Parts, ended run.Ended) {
	for _, text := range ended.Warnings {
		c.Warn("%s", text)
	}
	for _, hint := range ended.Hints {
		fmt.Fprintf(c.Stderr, "hint: %s\n", printable.Line(parts.Mask.Text(hint)))
	}
}

// afterDemo suggests what to try next.
const afterDemo = `
Next:
  skills new my-skill         create a skill
  skills validate             check the skills here
  skills doctor               check the sandbox and required programs
  skills run "your task"      with OPENAI_API_KEY, or a local server:
  skills run --base-url http://localhost:11434/v1 -m qwen3 "your task"
`

// NewStatus returns a new status line, which is invisible unless standard error is a
// capable terminal that this job has.
func NewStatus(env Env) *terminal.Status {
	var tick <-chan time.Time
	if terminal.Is(env.Stderr) && env.Getenv("TERM") != "dumb" {
		tick = time.Tick(200 * time.Millisecond)
	}
	width := func() int {
		f, ok := env.Stderr.(interface{ Fd() uintptr })
		if ok && !terminal.InForeground(f.Fd()) {
			return 0
		}
		return terminal.Width(env.Stderr)
	}
	return terminal.NewStatus(env.Stderr, width, time.Now, tick)
}

// announce prints what was announced, for output without run.started.
func (c *console) announce(events []agent.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case agent.WarningEvent:
			c.Warn("%s", e.Message)
		case agent.NoteEvent:
			fmt.Fprintf(c.Stderr, "note: %s\n", printable.Line(e.Message))
		}
	}
}
