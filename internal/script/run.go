package script

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"
)

// Run runs a script and waits for its end. args are handed over as they are,
// see [Arguments].
//
// The error says why the script was not started: a file that is missing or must
// not be run, no interpreter, no confinement where it is required, a context
// that was already cancelled. Once it was started there is no error any more: a
// failure, a time-out, a signal, a cancelled context stand in the [Result],
// with what was printed until then.
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
	c, err := r.confine(ctx)
	if err != nil {
		return Result{}, err
	}
	limit := r.limit()
	p, err := r.policyFor(c.policy, s)
	if err != nil {
		return Result{}, err
	}
	l, err := c.fence.launch(command, p, r.confinedEnvironment(p, filepath.Clean(s.Dir)))
	if err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s, err)
	}

	// The kernel ends a script without a supervisor when the thread that started
	// it goes away (Pdeathsig); the runtime never ends a thread that a goroutine
	// holds.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	began := time.Now()
	running, err := start(l, r.outputCap(), r.Filter)
	if err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s, err)
	}
	why := running.supervise(ctx, limit)
	took := time.Since(began)
	running.drain()

	result, err := running.result(why, took, limit)
	if err != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s, err)
	}
	result.Sandbox, result.Command = c.told.Name, command
	return result, nil
}
