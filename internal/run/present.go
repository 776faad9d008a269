package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/script/supervisor"
	"skills/internal/todo"
	"skills/internal/transcript"
)

// A run that is presented has exactly one result, which is printed last, whatever
// happens: a wrong option, a panic, a full disk, a signal.

// Presentation says how to print a run.
type Presentation struct {
	// Printer returns the printer, once the parts are known as far as they can be.
	Printer func(p *Parts) transcript.Printer
	// Preview prints the first request in place of a run; for options with Preview.
	Preview func(ctx context.Context, p *Parts) error
	// Conversation is called when the conversation begins; may be nil.
	Conversation func()
	// Brief means that the printer shows no run.started, so that its sandbox need not be
	// found out.
	Brief bool
	// Panicked receives the stack of a panic; may be nil.
	Panicked func(stack string)
	// Lost explains an error of writing the output; nil explains none.
	Lost func(error) error
}

// Present assembles a run, runs it and prints it. The error is a *fault.Error with the
// exit code; it is nil if the model answered.
func Present(ctx context.Context, env Env, o Options, how Presentation) (*Parts, Ended, error) {
	begun := time.Now()
	if o.Limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, begun.Add(o.Limits.Timeout))
		defer cancel()
	}
	supervisor.DisableDump() // the process holds keys; best effort
	parts, file := begin(ctx, env, o)
	err := how.recover(func() error { return parts.assemble(ctx, file) })
	if err == nil && o.Preview {
		return parts, Ended{Quiet: true}, errors.Join(how.Preview(ctx, parts), parts.Close())
	}
	s := &show{Parts: parts, how: how}
	s.printer = how.Printer(parts)
	s.started = transcript.Started{ // without the tools, which are known later
		Identity: transcript.Identity{SchemaVersion: transcript.SchemaVersion, RunID: parts.ID, Model: parts.Server.Model}, Continued: parts.continued, BaseURL: PublicURL(parts.Server.BaseURL), Cwd: env.Dir,
		Params: parts.config.Params, Headers: parts.Server.Headers(), ContextWindow: parts.config.Window, Skills: parts.Skills.offered(parts.Session), Tools: []string{}, Sandbox: "none",
	}
	out := Outcome{Result: agent.Result{Status: agent.Failed}, SkillsLoaded: []string{}, Denials: []transcript.Denial{}, TodosOpen: []todo.Item{}}
	if err == nil {
		err = how.recover(func() (err error) {
			out, err = parts.Run(ctx, s.event)
			return err
		})
	}
	after := errors.Join(
		how.recover(func() error { return parts.recording.write(ctx, env, parts.Mask, out.Result) }),
		how.recover(parts.Close),
	)
	ended := Ended{Outcome: out, Duration: time.Since(begun)}
	if parts.price != nil && out.Usage != nil {
		ended.Cost = new(parts.price.Cost(*out.Usage))
	}
	err = s.conclude(ctx, &ended, err, after)
	ended.Warnings = parts.warnings(ended)
	return parts, ended, err
}

// Ended is a presented run.
type Ended struct {
	Outcome
	Duration time.Duration
	Cost     *float64 // nil without prices or usage
	Error    string   // for people, without keys; "" for none
	// Warnings say who stopped the run, and what is left to do: files that scripts left
	// behind, denied calls and open todo items.
	Warnings []string
	Quiet    bool // the reader of the output is gone: nothing is left to say
}

// show is a run that is printed.
type show struct {
	*Parts
	how     Presentation
	printer transcript.Printer
	started transcript.Started
	warned  bool // the warning about the sandbox was printed
}

// event prints an event.
func (s *show) event(e agent.Event) error { return s.how.recover(func() error { return s.print(e) }) }

func (s *show) print(e agent.Event) error {
	switch e := e.(type) {
	case agent.ReadyEvent:
		if s.how.Conversation != nil {
			s.how.Conversation()
		}
		if s.mcp != nil {
			s.started.MCPServers = s.mcp.Servers()
		}
		for _, t := range e.Request.Tools {
			s.started.Tools = append(s.started.Tools, t.Name)
		}
		err := s.start()
		if err != nil {
			return err
		}
	case agent.ToolResultEvent:
		err := s.warnOfSandbox(e)
		if err != nil {
			return err
		}
	}
	return s.printer.Event(e)
}

// warnOfSandbox says once what the sandbox of scripts does not enforce.
func (s *show) warnOfSandbox(e agent.ToolResultEvent) error {
	if e.Process == nil || e.Sandbox == "" || s.warned {
		return nil
	}
	if s.elsewhere != nil && e.Sandbox == s.elsewhere.name {
		return nil
	}
	s.warned = true
	gaps := NotEnforced(context.Background(), s.Scripts)
	if gaps == "" {
		return nil
	}
	return s.printer.Event(agent.WarningEvent{Message: gaps})
}

// start prints run.started, and what was announced before it, once.
func (s *show) start() error {
	if s.notes.running {
		return nil
	}
	s.notes.running = true
	switch {
	case s.Options.Demo:
		s.started.NoSandbox = "no sandbox (built-in script)"
	case s.Options.Approval.none():
		s.started.NoSandbox = "no scripts"
	case s.elsewhere != nil:
		s.started.Sandbox, s.started.NoSandbox = s.elsewhere.name, s.elsewhere.name
	case !s.how.Brief && s.Scripts != nil && !s.closed:
		status := s.Scripts.ExpectedSandbox()
		s.started.Sandbox, s.started.SandboxGaps = status.Name, status.NotEnforced
	}
	for _, e := range append([]agent.Event{s.started}, s.notes.announced...) {
		err := s.printer.Event(e)
		if err != nil {
			return err
		}
	}
	return nil
}

// conclude prints the result and returns the error for the exit code. after is an error
// after the end of the run: it fails a successful run, and is reported in addition to
// another error.
func (s *show) conclude(ctx context.Context, ended *Ended, err, after error) error {
	if err == nil {
		err, after = after, nil
	}
	if s.how.Lost != nil {
		lost := s.how.Lost(err)
		if lost != nil {
			err = lost
		}
	}
	code := fault.OK
	if err != nil {
		var message string
		code, message = s.ending(ctx, &ended.Result, err)
		if after != nil {
			message += "; " + after.Error()
		}
		ended.Error = printable.Text(strings.ReplaceAll(s.Mask.Text(message), "\n", "; "))
	}
	startErr := s.how.recover(s.start)
	printErr := s.how.recover(func() error { return s.printer.Finish(ended.result(s.started.Identity, code != fault.OK)) })
	if printErr == nil {
		printErr = startErr
	}
	if printErr != nil && err == nil {
		ended.Quiet = true
		return printErr
	}
	if errors.Is(err, syscall.EPIPE) {
		ended.Quiet = true
		return &fault.Error{Code: code, Concluded: true} // the output already describes the problem
	}
	if code == fault.OK {
		return nil
	}
	return &fault.Error{Code: code, Err: &maskedError{ended.Error, err}, Hint: s.hint(ended.Result, err), Concluded: true}
}

// warnings returns [Ended.Warnings].
func (p *Parts) warnings(e Ended) (all []string) {
	if e.Stopped != "" {
		all = append(all, "the run was stopped by "+e.Stopped)
	}
	all = append(all, p.Left()...)
	denials := slices.DeleteFunc(slices.Clone(e.Denials), func(d transcript.Denial) bool { return d.By == "nobody" })
	if n := len(denials); n > 0 {
		all = append(all, printable.Plural(n, "tool call")+" denied: "+denials[n-1].Reason)
	}
	if n := len(e.TodosOpen); n > 0 {
		titles := printable.Map(e.TodosOpen, func(item todo.Item) string { return item.Title })
		all = append(all, printable.Plural(n, "todo item")+" open: "+printable.TruncateMiddle(strings.Join(titles, "; "), 200))
	}
	return all
}

// result returns the last event of the run.
func (e Ended) result(run transcript.Identity, failed bool) transcript.Result {
	r := transcript.Result{
		Identity: run, Status: e.Status, Limit: e.Limit, Text: e.Text, Early: transcript.Early{Cut: e.Cut, Stopped: e.Stopped}, Turns: e.Turns, ToolCalls: e.ToolCalls, Usage: e.Usage,
		SkillsLoaded: e.SkillsLoaded, Denials: e.Denials, TodosOpen: e.TodosOpen, DurationMS: e.Duration.Milliseconds(),
		Unprinted: transcript.Unprinted{Answered: e.Answered, Messages: e.Messages}, Conclusion: transcript.Conclusion{Reason: e.reason(), Cost: e.Cost, Waiting: e.Waiting},
	}
	if failed {
		r.Error = &e.Error
	}
	return r
}

// interruption is the cause of a context cancelled by a signal.
type interruption interface {
	error
	ExitCode() int
}

// ending sets the status of a run that ended with err, and returns its exit code and text.
// An error takes precedence over an interrupt or a timeout that happened later.
func (s *show) ending(ctx context.Context, result *agent.Result, err error) (code int, text string) {
	cause := context.Cause(ctx)
	elsewhere := !errors.Is(err, ctx.Err()) && !errors.Is(err, cause)
	if cause != nil && elsewhere {
		cause = nil // the error has another cause
	}
	var interrupt interruption
	limit := result.Status == agent.LimitHit
	switch {
	case errors.As(err, &interrupt), errors.As(cause, &interrupt):
		result.Status, result.Limit = agent.Interrupted, ""
		return interrupt.ExitCode(), interrupt.Error()
	case !limit && cause == nil:
		result.Status = agent.Failed // there may be an answer, but something failed after it
		return fault.Code(err), err.Error()
	case !limit:
		result.Status, result.Limit = agent.LimitHit, agent.LimitTime
	}
	if cause == nil || result.Limit != agent.LimitTime {
		return fault.Limit, err.Error()
	}
	text = fmt.Sprintf("time limit reached (%s)", s.Options.Limits.Timeout)
	unended, ok := errors.AsType[*files.UnfinishedError](err)
	if ok {
		text += ": " + unended.Error()
	}
	return fault.Limit, text
}

// hint returns what a person can change about the run.
func (s *show) hint(result agent.Result, err error) string {
	var server *agent.Error
	var text *agent.TextCallError
	switch {
	case result.Limit == agent.LimitApproval:
		return waitingHint(s.Options.Files.Session, s.Session)
	case result.Status == agent.LimitHit:
		return limitHints[result.Limit]
	case result.Status == agent.Interrupted:
		return ""
	case errors.As(err, &server):
		return s.serverHint(server)
	case errors.As(err, new(*agent.FailuresError)):
		return "look at the results of the calls, or increase --max-failures"
	case errors.As(err, &text) && text.Constrained:
		return "choose another model with -m"
	case errors.As(err, &text):
		return "pass --tool-calls json, or choose a model that can call tools with -m"
	case errors.As(err, new(*answerError)):
		return "simplify the schema, say in the prompt what is wanted, or choose another model with -m"
	case errors.As(err, new(*replay.MismatchError)):
		return replayHint(s.Options.Demo)
	}
	return fault.Hint(err)
}

// replayHint returns the hint for a run that differs from its recording.
func replayHint(demo bool) string {
	if demo {
		return "the demo is one recorded conversation: omit the flags that change its calls or their results"
	}
	return "record it again with --record"
}

// limitHints maps limits to hints.
var limitHints = map[string]string{
	agent.LimitTurns:     "increase it with --max-turns",
	agent.LimitTime:      "increase it with --timeout",
	agent.LimitTokens:    "increase it with --max-tokens",
	agent.LimitCost:      "increase it with --max-cost",
	agent.LimitToolCalls: "increase it with --max-tool-calls",
	agent.LimitReply:     "allow longer replies with --param max_tokens=32768, or choose another model with -m",
	agent.LimitLoops:     "continue with --session, or increase --max-loops",
	agent.LimitRepeated:  "the model repeats itself: give it more to go on in the prompt, or increase --max-repeats",
}

func (s *show) serverHint(server *agent.Error) string {
	switch {
	case server.Status == 401 && s.Server.KeyVariable != "":
		return fmt.Sprintf("the key comes from %s; check that it belongs to this server and is still valid", s.Server.KeyVariable)
	case server.Status == 401:
		return "set OPENAI_API_KEY, or name the variable that holds the key with --api-key-env"
	case server.FullContext && s.Options.Limits.Compact == "off":
		return "pass --compact auto to shorten requests; else " + server.Hint
	case server.Hint != "":
		return server.Hint
	}
	return "check the server, --base-url and -m; -v shows the form of a refused request"
}

// recover calls f and converts a panic to an error, so that the result is not lost.
func (how Presentation) recover(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			if how.Panicked != nil {
				how.Panicked(string(debug.Stack()))
			}
			err = fault.AsFailed("please report it; -v prints the stack", fmt.Errorf("internal error: panic: %v", value))
		}
	}()
	return f()
}
