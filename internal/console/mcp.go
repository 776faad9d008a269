package console

import (
	"context"
	"fmt"

	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/mcp/server"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
)

// ServeMCP serves the skills in paths over MCP on standard input and output, until the
// input ends or the context is cancelled. Standard output carries nothing else. The
// error is a *fault.Error.
func ServeMCP(ctx context.Context, env Env, o run.Options, paths []string) error {
	c := &console{Env: env}
	options := o
	options.Serves = true
	options.Skills.Roots, options.Skills.NoBuiltin = paths, true
	options.Approval.Ask = func(mask func(string) string) approve.Asker { // the client asks its user
		return func(ctx context.Context, req approve.Request) (approve.Answer, error) {
			return server.Ask(ctx, approve.Masked(req, mask))
		}
	}
	supervisor.DisableDump() // keys are in its environment
	parts, err := run.AssembleScripts(ctx, env.Env, options, func(ctx context.Context, p *run.Parts) (run.Skills, error) {
		return p.FindSkills(ctx, "")
	})
	defer parts.Close()
	if err != nil {
		return err
	}
	serving, err := server.New(ctx, server.Options{
		Version: env.Version, Source: parts.Skills.Source, Provider: parts.Provider, Approve: parts.Policy.Approve, Mask: parts.Mask.Text,
	})
	if err != nil {
		return fault.AsFailed("", err)
	}
	c.announce(parts.Announcements())
	if terminal.Is(env.Stderr) {
		fmt.Fprintf(env.Stderr, "Serving %s over MCP on standard input and output. Press Ctrl-D to end.\n", printable.Plural(parts.Offered(), "skill"))
	}
	// After the end of the input the library cancels the calls, and so their scripts.
	err = serving.Run(ctx, &server.Transport{Reader: env.Stdin, Writer: printable.Exact(env.Stdout)})
	if cause := context.Cause(ctx); cause != nil {
		return cause // a signal
	}
	if err != nil {
		return fault.AsFailed("check that the client uses MCP over standard input and output", err)
	}
	return nil
}
