package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/lazyregexp"
	"skills/internal/mcp/client"
	"skills/internal/workspace"
)

const mcpForm = "write NAME=URL, or a command such as 'python3 server.py', with NAME= before it to name it"

// mcpServers returns the servers of --mcp, then those of the user's own configuration. A
// server of --mcp replaces one of the same name there.
func mcpServers(env Env, o Options) (servers []client.Server, err error) {
	named := func(s client.Server) bool {
		return slices.ContainsFunc(servers, func(o client.Server) bool { return o.Name == s.Name })
	}
	for _, text := range o.Programs.MCP {
		name, rest := "", text
		if before, after, found := strings.Cut(text, "="); found && isServerName(before) {
			name, rest = before, after
		}
		s, err := mcpServer(name, rest, hook.Parse)
		switch {
		case err != nil:
			return nil, fault.Usage(mcpForm, "--mcp %s: %w", text, err)
		case named(s):
			return nil, fault.Usage("write NAME=COMMAND to name one of them", "--mcp: two servers are named %s", s.Name)
		}
		servers = append(servers, s)
	}
	if o.Demo {
		return servers, nil
	}
	path, user, err := userConfig(env)
	if err != nil {
		return nil, err
	}
	for _, m := range user.MCP {
		s, err := mcpServer(m.Name, m.Text, parseUserCommand)
		if err == nil && !isServerName(m.Name) {
			err = errors.New("its name may have letters, digits, - and _ only")
		}
		if err != nil {
			return nil, fault.AsUsage(m.Wrong(path, "see docs/mcp.md for the form of servers", fmt.Errorf("the MCP server %q: %w", m.Name, err)))
		}
		if !named(s) {
			servers = append(servers, s)
		}
	}
	return servers, nil
}

// mcpServer parses a server: a URL, or a command line, whose program gives the name
// unless there is one.
func mcpServer(name, text string, parse func(string) (hook.Command, error)) (client.Server, error) {
	if scheme, _, found := strings.Cut(text, "://"); found && isServerName(scheme) {
		u, err := url.Parse(text)
		switch {
		case err != nil:
		case scheme != "http" && scheme != "https":
			err = fmt.Errorf("the URL has the scheme %s, not http or https", scheme)
		case u.Host == "" || name == "":
			err = errors.New("the URL has no host, or no name before it")
		}
		return client.Server{Name: name, URL: text}, err
	}
	command, err := parse(text)
	if err != nil {
		return client.Server{}, err
	}
	program := filepath.Base(command.Words[0])
	s := client.Server{Name: cmp.Or(name, strings.TrimSuffix(program, filepath.Ext(program))), Command: command.Words}
	if !isServerName(s.Name) {
		return s, fmt.Errorf("%q is no name of letters, digits, - and _", s.Name)
	}
	return s, nil
}

var serverName = lazyregexp.New(`^[A-Za-z0-9_-]{1,40}$`)

func isServerName(name string) bool { return serverName().MatchString(name) }

// connectMCP starts the MCP servers, unless none of their tools could be called; the
// client is nil then. Scripts must not change the servers' programs.
func connectMCP(ctx context.Context, p *Parts) (*client.Client, error) {
	env, o, notes := p.Env, p.Options, p.notes
	servers, err := mcpServers(env, o)
	if err != nil {
		return nil, err
	}
	for _, text := range o.Approval.Tools {
		pattern, err := approve.ParsePattern(text, "server", "tool")
		if err == nil && !slices.ContainsFunc(servers, func(s client.Server) bool { return pattern.MatchesOwner(s.Name) }) {
			env.Warn("--allow-tool %s: no MCP server has this name", pattern.Text)
		}
	}
	never := approve.Mode(o.Approval.Mode) == approve.Never && len(o.Approval.Tools) == 0
	if len(servers) == 0 || never {
		return nil, nil
	}
	var commands []hook.Command
	for _, s := range servers {
		if s.URL == "" {
			commands = append(commands, hook.Command{Text: s.Name, Words: s.Command})
		}
	}
	local := hook.NewPinnedRunner(p.Scripts, env.Dir, writable(env, o.Scripts), commands...)
	p.Scripts.Protect = append(p.Scripts.Protect, local.Protect()...)
	if len(commands) > 0 {
		p.warnOf("MCP server", local)
	}
	opt := client.Options{
		Servers: servers, Programs: p.Scripts, Version: env.Version, Timeout: o.Scripts.Timeout, Mask: p.Mask.Text,
		Reserved: slices.Concat(skills.ToolNames(), workspace.ToolNames(), []string{client.ResourceTool}),
		Offer: func(server, tool string) bool {
			return p.Policy.Offers(agent.Summary{Kind: agent.KindTool, Owner: server, Name: tool})
		},
	}
	if o.Programs.ServerOutput {
		opt.Stderr = func(server, line string) { notes.queue(agent.NoteEvent{Message: server + ": " + line}) }
	}
	connected, warnings := client.Connect(ctx, opt)
	for _, text := range warnings {
		notes.announce(agent.WarningEvent{Message: text})
	}
	return connected, nil
}
