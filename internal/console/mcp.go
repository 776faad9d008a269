package console

import (
	"context"
	"fmt"

	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/mcp/server"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
)

// Serving says how skills are served over MCP.
type Serving struct {
	HTTP     string // address of the HTTP server; "" for standard input and output
	TokenEnv string // environment variable with the bearer token of its clients
}

// ServeMCP serves the skills in paths over MCP, until the input ends or the context is
// cancelled: on standard input and output, where standard output carries nothing else, or
// over HTTP. The error is a *fault.Error.
func ServeMCP(ctx context.Context, env Env, o run.Options, s Serving, paths []string) error {
	c := &console{Env: env}
	err := s.check(env)
	if err != nil {
		return err
	}
	options := o
	options.Serves = true
	options.Skills.Roots, options.Skills.NoBuiltin = paths, true
	options.Server.KeyEnv = s.TokenEnv                                    // a key that output must not contain
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
		Version: env.Version, Source: parts.Skills.Source, Provider: parts.Provider, More: parts.Others, Approve: parts.Policy.Approve,
		Mask:  parts.Mask.Text,
		Hints: server.Hints{Sandboxed: parts.Scripts.ExpectedSandbox().Name != sandbox.None, Network: o.Scripts.AllowNet},
	})
	if err != nil {
		return fault.AsFailed("", err)
	}
	c.announce(parts.Announcements())
	if s.HTTP != "" {
		return c.serveHTTP(ctx, serving, s, parts.Offered())
	}
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

// check returns what is wrong with the options.
func (s Serving) check(env Env) error {
	if s.TokenEnv == "" {
		return nil
	}
	if s.HTTP == "" {
		return fault.Usage("pass --http, or omit --token-env", "--token-env cannot be used without --http")
	}
	token := env.Getenv(s.TokenEnv)
	if token == "" {
		return fault.Usage("set it to the token that clients send", "--token-env: %s is not set", s.TokenEnv)
	}
	err := server.CheckToken(token)
	if err != nil {
		return fault.Usage("generate one with: openssl rand -hex 32", "--token-env: %s: %w", s.TokenEnv, err)
	}
	return nil
}

// serveHTTP serves until the context is cancelled.
func (c *console) serveHTTP(ctx context.Context, serving *server.Server, s Serving, skills int) error {
	listener, err := server.Listen(s.HTTP, s.TokenEnv != "")
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "Serving %s over MCP at %s. Press Ctrl-C to end.\n", printable.Plural(skills, "skill"), server.URL(listener))
	err = serving.ServeHTTP(ctx, server.HTTP{Listener: listener, Token: c.Getenv(s.TokenEnv)})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fault.AsFailed("start the server again", err)
}
