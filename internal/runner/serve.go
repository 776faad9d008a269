package runner

import (
	"context"
	"fmt"

	"skills/internal/fault"
	"skills/internal/mcp/server"
	"skills/internal/printable"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
)

// ServeMCP serves the skills in paths over MCP on standard input and output, until the
// input ends or the context is cancelled. Standard output carries nothing else. The
// error is an *fault.Error.
func (r *Runner) ServeMCP(ctx context.Context, paths []string) error {
	r.Skills, r.NoBuiltin, r.serves = paths, true, true
	r.ReadKeys(ctx)
	if err := r.check(); err != nil {
		return err
	}
	supervisor.DisableDump() // keys are in its environment
	defer r.Close()
	if err := r.findSkills(ctx); err != nil {
		return err
	}
	if err := r.buildSkills(""); err != nil {
		return err
	}
	serving, err := server.New(ctx, server.Options{
		Version: r.Version, Source: r.source, Provider: r.provider, Approve: r.policy.Approve, Mask: r.mask.Text,
	})
	if err != nil {
		return fault.AsFailed("", err)
	}
	r.printAnnounced()
	if terminal.Is(r.Stderr) {
		fmt.Fprintf(r.Stderr, "Serving %s over MCP on standard input and output. Press Ctrl-D to end.\n", printable.Plural(len(r.offered()), "skill"))
	}
	// After the end of the input the library cancels the calls, and so their scripts.
	err = serving.Run(ctx, &server.Transport{Reader: r.Stdin, Writer: printable.Exact(r.Stdout)})
	if cause := context.Cause(ctx); cause != nil {
		return cause // a signal
	}
	if err != nil {
		return fault.AsFailed("check that the client uses MCP over standard input and output", err)
	}
	return nil
}
