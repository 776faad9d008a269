package script

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// Run runs a script and waits for its end. args are handed over as they are,
// see [Arguments].
//
// The error says why the script was not started: a file that is missing or must
// not be run, no interpreter, no sandbox ([ErrUnconfined], [ErrPolicy]), a
// context that was already cancelled. Once it was started there is no error any
// more: a failure, a timeout, a signal and a cancelled context are in the
// [Result], with what was printed until then.
//
// At the time limit the script's processes are asked to end and, two seconds
// later, made to; when the context is cancelled it goes faster. What the script
// leaves running in the background is ended when it ends.
func (r *Runner) Run(ctx context.Context, s Script, args []string) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s, context.Cause(ctx))
	}
	command, err := r.Command(s, args)
	if err != nil {
		return Result{}, err
	}
	status, err := r.TrySandbox(ctx)
	if err != nil {
		return Result{}, err
	}
	if status.Name == sandbox.None && r.Sandbox != SandboxOff && !s.Unsandboxed {
		return Result{}, &refusal{
			reason: ErrUnconfined,
			text:   fmt.Sprintf("%s (%s)", ErrUnconfined, strings.Join(status.Tried, "; ")),
			hint:   "install bubblewrap, or pass --sandbox off if you trust the skill",
		}
	}
	p, caches, err := r.policyFor(s, command)
	if err != nil {
		return Result{}, err
	}
	limit := r.limit()
	stdout, stderr := newCapture(r.outputCap(), r.Filter), newCapture(r.outputCap(), r.Filter)
	began := time.Now()
	why, end, err := r.launch(ctx, r.confinement.backend, command, p, r.sandboxEnvironment(p, filepath.Clean(s.Dir), caches), stdout, stderr, limit)
	took := time.Since(began)
	if err = cmp.Or(err, end.Err); err != nil {
		if said, _ := stderr.finish(); said != "" { // bubblewrap's own words
			line, _, _ := strings.Cut(said, "\n")
			err = fmt.Errorf("%w: %s", err, line)
		}
		return Result{}, fmt.Errorf("starting %s: %w", s, err)
	}
	result := newResult(why, end, stdout, stderr, took, limit)
	result.Sandbox, result.Command = status.Name, command
	if status.Name != sandbox.None && !result.OK() {
		result.Unseen = unseen(p, args, result.Stderr)
	}
	return result, nil
}

// newResult is what a process has left.
func newResult(why supervisor.Ending, end supervisor.Outcome, stdout, stderr *capture, took, limit time.Duration) Result {
	r := Result{
		TimedOut: why == supervisor.TimedOut, Interrupted: why == supervisor.Interrupted, Duration: took, Limit: limit,
		ExitCode: end.Code, Signal: end.Signal, Excess: end.Limit,
	}
	var cutOut, cutErr bool
	r.Stdout, cutOut = stdout.finish()
	r.Stderr, cutErr = stderr.finish()
	r.Truncated = cutOut || cutErr
	return r
}
