package script

// A program is started under the supervisor and its output captured, whether it is a script
// or a program of the user. Its result says how it ended, in words for the model.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"skills/internal/printable"
	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// Result describes a script that was started.
type Result struct {
	Stdout, Stderr string // clean text, see [printable.Stripper]; start and end, see [printable.Excerpt]

	ExitCode    int           // 128 plus the number of a signal that ended the script; -1 if unknown
	Signal      string        // the signal that ended it, such as "SIGKILL"; "" if it exited
	TimedOut    bool          // terminated at its time limit
	Interrupted bool          // ended because the context was cancelled
	Truncated   bool          // Stdout or Stderr is incomplete
	Printed     bool          // more than blanks were written to standard output, even if Stdout has nothing of it
	Duration    time.Duration // from the start to the end
	Limit       time.Duration // the time limit; negative for none
	Excess      string        // the exceeded limit: "more than 256 processes"; or ""

	Sandbox string   // name of the sandbox, or "none"
	Unseen  []string // paths named by a failed script that its sandbox hides
	Command []string // the command line, as returned by [Runner.Command]
	Left    []Leftover
}

// execute starts a command and waits for its end. If it was not started, the
// error contains the reason and what it printed.
// whole receives both streams before they are shortened; it may be nil.
func (r *Runner) execute(ctx context.Context, c supervisor.Command, limit time.Duration, whole io.Writer) (Result, error) {
	outputLimit := cmp.Or(max(r.OutputLimit, 0), DefaultOutputLimit)
	stdout, stderr := newCapture(outputLimit, r.Filter, whole), newCapture(outputLimit, r.Filter, whole)
	began := time.Now()
	end, err := supervisor.Run(ctx, c, stdout, stderr, limit)
	result := Result{
		TimedOut: end.TimedOut, Interrupted: end.Interrupted, Duration: time.Since(began), Limit: limit,
		ExitCode: end.Code, Signal: end.Signal, Excess: end.Limit,
	}
	var cut bool
	result.Stdout, result.Truncated = stdout.finish()
	result.Stderr, cut = stderr.finish()
	result.Printed, result.Truncated = stdout.printed, result.Truncated || cut || end.Unread
	return result, err
}

// OK reports whether the script exited by itself with code 0.
func (r Result) OK() bool {
	return r.ExitCode == 0 && r.Signal == "" && r.Excess == "" && !r.TimedOut && !r.Interrupted
}

// Text returns the result for the model: the standard output; the standard
// error below "Stderr:", unless it is empty; and how a script failed, with the
// paths that its sandbox hides; and what it left behind. It also states that nothing was printed.
func (r Result) Text() string { return r.TextOf("Script") }

// TextOf is Text for something that is called what at the beginning of a sentence.
func (r Result) TextOf(what string) string {
	var parts []string
	if strings.TrimSpace(r.Stdout) != "" {
		parts = append(parts, strings.TrimRight(r.Stdout, "\n"))
	}
	if strings.TrimSpace(r.Stderr) != "" {
		parts = append(parts, "Stderr:\n"+strings.TrimRight(r.Stderr, "\n"))
	}
	switch {
	case len(parts) == 0 && r.Truncated:
		parts = append(parts, "(the output was not read completely)")
	case len(parts) == 0:
		parts = append(parts, "(no output)")
	}
	switch {
	case r.TimedOut:
		parts = append(parts, fmt.Sprintf("%s timed out after %gs and was terminated", what, r.Limit.Seconds()))
	case r.Excess != "":
		parts = append(parts, what+" had "+r.Excess+" and was terminated")
	case r.Interrupted:
		parts = append(parts, what+" was interrupted and terminated")
	case r.Signal != "":
		parts = append(parts, what+" was terminated by signal "+r.Signal)
	case r.ExitCode != 0:
		parts = append(parts, fmt.Sprintf("%s exited with code %d", what, r.ExitCode))
	}
	if len(r.Unseen) > 0 {
		parts = append(parts, "The sandbox does not show: "+strings.Join(r.Unseen, ", "))
	}
	if len(r.Left) > 0 {
		parts = append(parts, "Protected files appeared or changed while it ran: "+LeftoverText(r.Left))
	}
	return strings.Join(parts, "\n")
}

// Ask runs a program configured by the user, such as a hook, with an input. It
// is started like a script, with further variables (KEY=VALUE), but without a
// sandbox. A name with a slash is a file relative to r.Dir; any other is
// searched in the folders of TrustedPath. The error is the reason why it was not started; it is no
// error if the program does not read its input.
func (r *Runner) Ask(ctx context.Context, command []string, input []byte, more ...string) (Result, error) {
	c, err := r.trusted(ctx, command)
	if err != nil {
		return Result{}, err
	}
	c.Env, c.Stdin = append(c.Env, more...), bytes.NewReader(input)
	result, err := r.execute(ctx, c, cmp.Or(r.Timeout, DefaultTimeout), nil)
	if err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", command[0], err)
	}
	result.Sandbox, result.Command = sandbox.None, command
	return result, nil
}

// Elsewhere returns the result of a script that ran elsewhere: its output is cleaned,
// masked and shortened like that of others.
func Elsewhere(r *Runner, stdout, stderr string) Result {
	limit := cmp.Or(max(r.OutputLimit, 0), DefaultOutputLimit)
	out, errs := newCapture(limit, r.Filter, nil), newCapture(limit, r.Filter, nil)
	_, _ = io.WriteString(out, stdout)
	_, _ = io.WriteString(errs, stderr)
	var result Result
	var cut bool
	result.Stdout, result.Truncated = out.finish()
	result.Stderr, cut = errs.finish()
	result.Printed, result.Truncated = out.printed, result.Truncated || cut
	return result
}

// Service is a program that runs beside a run, and its streams.
type Service struct {
	Command        []string
	Env            []string // KEY=VALUE, in addition to the variables of scripts
	Dir            string   // working directory, absolute; "" for that of the runner
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Serve runs a program configured by the user, such as an MCP server, like Ask,
// with streams of the caller and until it ends or the context is cancelled. No
// process that it started outlives it. The result has only the way it ended.
func (r *Runner) Serve(ctx context.Context, s Service) (Result, error) {
	c, err := r.trusted(ctx, s.Command)
	if err != nil {
		return Result{}, err
	}
	c.Stdin, c.Self, c.Env = s.Stdin, r.Self, append(c.Env, s.Env...)
	if s.Dir != "" {
		c.Dir, c.Env = s.Dir, append(c.Env, "PWD="+s.Dir)
	}
	end, err := supervisor.Run(ctx, c, s.Stdout, s.Stderr, 0)
	if err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s.Command[0], err)
	}
	return Result{ExitCode: end.Code, Signal: end.Signal, Interrupted: end.Interrupted}, nil
}

// trusted returns the command of a program configured by the user.
func (r *Runner) trusted(ctx context.Context, command []string) (supervisor.Command, error) {
	if len(command) == 0 || command[0] == "" {
		return supervisor.Command{}, errors.New("starting a program: none is named")
	}
	program, err := program(r, command[0])
	err = cmp.Or(err, context.Cause(ctx))
	if err != nil {
		return supervisor.Command{}, fmt.Errorf("starting %s: %w", command[0], err)
	}
	if err := checkArguments(command[1:]); err != nil {
		return supervisor.Command{}, err
	}
	return supervisor.Command{Args: append([]string{program}, command[1:]...), Dir: r.Dir, Env: trustedEnvironment(r, r.environment())}, nil
}

// Startable returns why a program configured by the user could not be started; nil if it
// could.
func Startable(r *Runner, command []string) error {
	_, err := r.trusted(context.Background(), command)
	return err
}

func program(r *Runner, name string) (string, error) {
	if filepath.Base(name) == name {
		if found, ok := r.FindTrusted(name); ok {
			return found, nil
		}
		return "", errors.New("it is not on the PATH")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Dir, name)
	}
	found, err := executable(name)
	if lookup, ok := errors.AsType[*exec.Error](err); ok {
		err = lookup.Err // without the name
	}
	return found, err
}

// capture keeps a script's output stream as clean text. A process that escaped
// may still write after the end.
type capture struct {
	mu      sync.Mutex
	clean   *printable.Stripper
	filter  io.Closer // between clean and the excerpt; may be nil
	excerpt *printable.Excerpt
	printed bool // more than blanks were written
	done    bool
}

// newCapture returns a capture that keeps at most limit bytes of the filter's
// output; a nil filter passes everything. whole gets all of it, if it is not nil; its
// errors do not matter.
func newCapture(limit int, filter func(io.Writer) io.WriteCloser, whole io.Writer) *capture {
	c := &capture{excerpt: printable.NewExcerpt(limit)}
	var to io.Writer = c.excerpt
	if whole != nil {
		to = io.MultiWriter(c.excerpt, whole)
	}
	c.clean = printable.NewStripper(to)
	if filter != nil {
		w := filter(to)
		c.clean, c.filter = printable.NewStripper(w), w
	}
	return c
}

// Write adds bytes of the stream. It never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.printed = c.printed || len(bytes.Trim(p, " \t\r\n")) > 0
		c.clean.Write(p)
	}
	return len(p), nil
}

// finish ends the stream and returns its text, and whether a part was omitted.
// Later writes are discarded.
func (c *capture) finish() (text string, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.clean.Close() // the excerpt never fails
		if c.filter != nil {
			c.filter.Close()
		}
		c.done = true
	}
	return c.excerpt.Text()
}
