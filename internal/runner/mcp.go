package runner

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
	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/lazyregexp"
	"skills/internal/mcp/client"
	"skills/internal/printable"
)

const mcpForm = "write NAME=URL, or a command such as 'python3 server.py', with NAME= before it to name it"

// mcpServers returns the servers of --mcp, then those of the user's own configuration. A
// server of --mcp replaces one of the same name there.
func (r *Runner) mcpServers() (servers []client.Server, err error) {
	named := func(s client.Server) bool {
		return slices.ContainsFunc(servers, func(o client.Server) bool { return o.Name == s.Name })
	}
	for _, text := range r.MCP {
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
	if r.Demo {
		return servers, nil
	}
	path, user, err := r.userConfig()
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

// planMCP starts the MCP servers, unless none of their tools could be called.
func (r *Runner) planMCP(ctx context.Context) error {
	var allow []skills.Pattern
	for _, text := range r.AllowTools {
		pattern, err := skills.ParsePattern(text, "server", "tool")
		if err != nil {
			return fault.AsUsage(fmt.Errorf("--allow-tool: %w", err))
		}
		allow = append(allow, pattern)
	}
	servers, err := r.mcpServers()
	for _, pattern := range allow {
		if err == nil && !slices.ContainsFunc(servers, func(s client.Server) bool { return pattern.MatchesOwner(s.Name) }) {
			r.Warn("--allow-tool %s: no MCP server has this name", pattern.Text)
		}
	}
	mode := skills.Mode(r.Approve)
	if err != nil || len(servers) == 0 || mode == skills.Never && len(r.AllowTools) == 0 {
		return err
	}
	var commands []hook.Command
	for _, s := range servers {
		if s.URL == "" {
			commands = append(commands, hook.Command{Text: s.Name, Words: s.Command})
		}
	}
	writable := append([]string{r.Dir}, printable.Map(r.AllowWrite, r.absolute)...)
	local := unconfined{"MCP server", hook.NewPinnedRunner(r.scripts, r.Dir, writable, commands...)}
	r.scripts.Protect = append(r.scripts.Protect, local.commands.Protect()...)
	r.unconfined = append(r.unconfined, local)
	r.warnOfExposed(local)
	opt := client.Options{
		Servers: servers, Programs: r.scripts, Version: r.Version, Timeout: r.ScriptTimeout,
		Reserved: skills.ToolNames(), Mode: mode, Allow: allow, Ask: r.asker(),
	}
	if r.Verbose {
		opt.Stderr = func(server, line string) { r.queueEvent(agent.NoteEvent{Message: server + ": " + line}) }
	}
	var warnings []string
	r.mcp, warnings = client.Connect(ctx, opt)
	for _, text := range warnings {
		r.announced = append(r.announced, agent.WarningEvent{Message: text})
	}
	r.cleanup = append(r.cleanup, r.mcp.Close)
	return nil
}

// approve decides on calls of MCP tools and of scripts. The policy records its own
// decisions.
func (r *Runner) approve(ctx context.Context, inv *agent.Invocation) (agent.Decision, bool, error) {
	if r.mcp == nil {
		return r.policy.Approve(ctx, inv)
	}
	d, needed, err := r.mcp.Approve(ctx, inv)
	if !needed {
		return r.policy.Approve(ctx, inv)
	}
	if r.audit != nil {
		recorded := d
		if err != nil {
			recorded = agent.Undecided(ctx, d, err)
		}
		if rerr := r.audit.Decided(ctx, skills.ScriptRun{CallID: inv.Call.ID, Tool: inv.Tool.Name, Arguments: inv.Arguments}, recorded); rerr != nil {
			inv.Stop(rerr)
			return d, true, rerr
		}
	}
	return d, true, err
}
