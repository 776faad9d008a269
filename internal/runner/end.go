package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/todo"
	"skills/internal/transcript"
)

// conclude prints the result and returns the error for the exit code. after is an error
// after the end of the run: it fails a successful run, and is reported in addition to
// another error.
func (r *Runner) conclude(ctx context.Context, err, after error) error {
	if err == nil {
		err, after = after, nil
	}
	err = cmp.Or(fault.LostOutput(r.Stdout, err), err)
	code := fault.OK
	if err != nil {
		var message string
		code, message = r.ended(ctx, err)
		if after != nil {
			message += "; " + after.Error()
		}
		message = printable.Text(strings.ReplaceAll(r.mask.Text(message), "\n", "; "))
		r.result.Error = &message
	}
	r.start()
	if perr := r.recoverPanic(func() error { return r.printer.Finish(r.result) }); perr != nil && err == nil {
		return perr
	}
	if errors.Is(err, syscall.EPIPE) {
		return &fault.Error{Code: code, Concluded: true} // the output already describes the problem
	}
	r.printOpenIssues()
	for _, hint := range r.hints {
		fmt.Fprintf(r.Stderr, "hint: %s\n", printable.Line(r.mask.Text(hint)))
	}
	if r.Demo && code == fault.OK && r.Format == "text" && !r.Quiet {
		fmt.Fprint(r.Stderr, afterDemo)
	}
	if code != fault.OK {
		return &fault.Error{Code: code, Err: &maskedError{*r.result.Error, err}, Hint: r.hint(err), Concluded: true}
	}
	return nil
}

// afterDemo suggests what to try next.
const afterDemo = `
Next:
  skills new my-skill         create a skill
  skills validate my-skill    check it
  skills doctor               check the sandbox and required programs
  skills run "your task"      with OPENAI_API_KEY, or a local server:
  skills run --base-url http://localhost:11434/v1 -m qwen3 "your task"
`

// printOpenIssues prints who stopped the run, denials and open todo items.
func (r *Runner) printOpenIssues() {
	if r.result.Stopped != "" {
		r.Warn("the run was stopped by %s", r.result.Stopped)
	}
	r.printLeft()
	denials := slices.DeleteFunc(slices.Clone(r.result.Denials), func(d transcript.Denial) bool { return d.By == "nobody" })
	if n := len(denials); n > 0 {
		r.Warn("%s denied: %s", printable.Plural(n, "tool call"), denials[n-1].Reason)
	}
	if n := len(r.result.TodosOpen); n > 0 {
		titles := printable.Map(r.result.TodosOpen, func(item todo.Item) string { return item.Title })
		r.Warn("%s open: %s", printable.Plural(n, "todo item"), printable.TruncateMiddle(strings.Join(titles, "; "), 200))
	}
}

// interruption is the cause of a context cancelled by a signal.
type interruption interface {
	error
	ExitCode() int
}

// ended sets the status of a run that ended with err, and returns its exit code and
// text. An error takes precedence over an interrupt or a timeout that happened later.
func (r *Runner) ended(ctx context.Context, err error) (code int, text string) {
	cause := context.Cause(ctx)
	if cause != nil && !errors.Is(err, ctx.Err()) && !errors.Is(err, cause) {
		cause = nil // the error has another cause
	}
	var interrupt interruption
	switch limit := r.result.Status == agent.LimitHit; {
	case errors.As(err, &interrupt), errors.As(cause, &interrupt):
		r.result.Status, r.result.Limit = agent.Interrupted, ""
		return interrupt.ExitCode(), interrupt.Error()
	case !limit && cause == nil:
		r.result.Status = agent.Failed // there may be an answer, but something failed after it
		return fault.Code(err), err.Error()
	case !limit:
		r.result.Status, r.result.Limit = agent.LimitHit, agent.LimitTime
	}
	if cause == nil || r.result.Limit != agent.LimitTime {
		return fault.Limit, err.Error()
	}
	text = fmt.Sprintf("time limit reached (%s)", r.Timeout)
	if unended := (*files.UnfinishedError)(nil); errors.As(err, &unended) {
		text += ": " + unended.Error()
	}
	return fault.Limit, text
}

// hint returns what only the command line knows: which flag to change.
func (r *Runner) hint(err error) string {
	var server *agent.Error
	switch {
	case r.result.Status == agent.LimitHit:
		return limitHints[r.result.Limit]
	case r.result.Status == agent.Interrupted:
		return ""
	case errors.As(err, &server):
		return r.serverHint(server)
	case errors.As(err, new(*agent.FailuresError)):
		return "look at the results of the calls, or increase --max-failures"
	case errors.As(err, new(*answerError)):
		return "simplify the schema, say in the prompt what is wanted, or choose another model with -m"
	case errors.As(err, new(*replay.MismatchError)):
		return r.replayHint()
	}
	return fault.Hint(err)
}

// replayHint returns the hint for a run that differs from its recording.
func (r *Runner) replayHint() string {
	if r.Demo {
		return "the demo is one recorded conversation: omit the flags that change its calls or their results"
	}
	return "record it again with --record"
}

// limitHints maps limits to hints.
var limitHints = map[string]string{
	agent.LimitTurns:     "increase it with --max-turns",
	agent.LimitTime:      "increase it with --timeout",
	agent.LimitTokens:    "increase it with --max-tokens",
	agent.LimitToolCalls: "increase it with --max-tool-calls",
	agent.LimitRepeated:  "the model repeats itself: give it more to go on in the prompt, or increase --max-repeats",
}

func (r *Runner) serverHint(server *agent.Error) string {
	switch {
	case server.Status == 401 && r.server.KeyVariable != "":
		return fmt.Sprintf("the key comes from %s; check that it belongs to this server and is still valid", r.server.KeyVariable)
	case server.Status == 401:
		return "set OPENAI_API_KEY, or name the variable that holds the key with --api-key-env"
	case server.FullContext && r.Compact == "off":
		return "pass --compact auto to remove old results from requests; else " + server.Hint
	case server.Hint != "":
		return server.Hint
	}
	return "check the server, --base-url and -m; --format jsonl shows the messages"
}

// recoverPanic calls f and converts a panic to an error, so that the result is not lost.
func (r *Runner) recoverPanic(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			if r.Verbose {
				fmt.Fprintln(r.Stderr, printable.Text(string(debug.Stack())))
			}
			err = fault.AsFailed("please report it; -v prints the stack", fmt.Errorf("internal error: panic: %v", value))
		}
	}()
	return f()
}
