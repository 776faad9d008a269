package runner

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/mcp/server"
	"skills/internal/printable"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
)

// ServeMCP serves the skills in paths over MCP on standard input and output, until the
// input ends or the context is cancelled. Standard output carries nothing else. The
// error is an *Error.
func (r *Runner) ServeMCP(ctx context.Context, paths []string) error {
	r.Skills, r.NoBuiltin, r.serves = paths, true, true
	r.ReadKeys(ctx)
	if err := r.check(); err != nil {
		return err
	}
	supervisor.DisableDump() // keys are in its environment
	defer r.Close()
	for _, step := range []func() error{
		func() error { return r.findSkills(ctx) }, func() error { return r.planScripts(false) }, func() error { return r.buildSkills("", false) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	serving, err := server.New(ctx, server.Options{
		Version: r.Version, Source: r.source, Provider: r.provider, Approve: r.policy.Approve, Mask: r.mask.Text, Log: func(agent.Event) {},
	})
	if err != nil {
		return failed("", err)
	}
	for _, note := range r.notes {
		fmt.Fprintf(r.Stderr, "note: %s\n", printable.Line(note))
	}
	if terminal.Is(r.Stderr) {
		fmt.Fprintf(r.Stderr, "Serving %s over MCP on standard input and output. Press Ctrl-D to end.\n", printable.Plural(len(r.offered()), "skill"))
	}
	// Ended with the input, so that scripts end with a client that is killed.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = serving.Run(ctx, &mcp.IOTransport{Reader: atEnd{r.Stdin, cancel}, Writer: noClose{printable.Exact(r.Stdout)}})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause // a signal
	}
	if err != nil && ctx.Err() == nil {
		return failed("check that the client speaks MCP on standard input and output", err)
	}
	return nil
}

// ask returns how approval is asked for.
func (r *Runner) ask(named bool) func(context.Context, skills.Request) (skills.Answer, error) {
	if !r.serves {
		return r.asker(named)
	}
	return func(ctx context.Context, req skills.Request) (skills.Answer, error) {
		return server.Ask(ctx, masked(req, r.mask.Text))
	}
}

// atEnd calls end at the end of the input.
type atEnd struct {
	io.Reader
	end func()
}

func (a atEnd) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil {
		a.end()
	}
	return n, err
}

func (atEnd) Close() error { return nil }

type noClose struct{ io.Writer }

func (noClose) Close() error { return nil }
