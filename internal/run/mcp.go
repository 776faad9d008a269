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
	"skills/internal/files"
	"skills/internal/hook"
	"skills/internal/lazyregexp"
	"skills/internal/lint/config"
	"skills/internal/mcp/client"
	"skills/internal/mcp/servers"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/workspace"
)

// MCP servers come from the user only: from flags, a file that a flag names, and the user's
// own configuration, in this order. What a server needs besides its address, such as how to
// log in, is decided here; the connections are those of the package client.

const mcpForm = "write NAME=URL, or a command such as 'python3 server.py', with NAME= before it to name it"

// mcpList collects servers. Of equal names the first counts.
type mcpList struct {
	env      Env
	mask     *redact.Masker
	person   bool // whether somebody can log in
	servers  []client.Server
	warnings []string
}

// mcpServers returns the servers of --mcp, then those of --mcp-config, then those of the
// user's own configuration. The warnings are about entries that cannot be used.
func mcpServers(env Env, o Options, mask *redact.Masker) ([]client.Server, []string, error) {
	l := &mcpList{env: env, mask: mask, person: o.Approval.Confirm != nil}
	for _, text := range o.Programs.MCP {
		name, rest := "", text
		if before, after, found := strings.Cut(text, "="); found && isServerName(before) {
			name, rest = before, after
		}
		s, err := mcpServer(name, rest, hook.Parse)
		switch {
		case err != nil:
			return nil, nil, fault.Usage(mcpForm, "--mcp %s: %w", text, err)
		case l.has(s.Name):
			return nil, nil, fault.Usage("write NAME=COMMAND to name one of them", "--mcp: two servers are named %s", s.Name)
		}
		l.servers = append(l.servers, l.withLogin(s, servers.OAuth{}))
	}
	if o.Demo {
		return l.servers, nil, nil
	}
	if o.Programs.MCPConfig != "" {
		err := l.addFile(o.Programs.MCPConfig)
		if err != nil {
			return nil, nil, err
		}
	}
	err := l.addUser()
	return l.servers, l.warnings, err
}

func (l *mcpList) has(name string) bool {
	return slices.ContainsFunc(l.servers, func(s client.Server) bool { return s.Name == name })
}

// maxMCPConfig is the maximum size of a file of another client, which may hold more than
// servers.
const maxMCPConfig = 16 << 20

// addFile adds the servers in a file of the form of other clients.
func (l *mcpList) addFile(name string) error {
	src, err := files.ReadRegular(l.env.absolute(name), maxMCPConfig)
	if err != nil {
		return fault.Usage("check the path and the current directory", "--mcp-config %s: %w", name, files.Reason(err))
	}
	entries, skipped, err := servers.Read(name, src, l.environment())
	if err != nil {
		return fault.AsUsage(err)
	}
	for _, s := range skipped {
		l.warnings = append(l.warnings, fmt.Sprintf("%s:%d: %s", name, s.Line, s.Text))
	}
	for _, e := range entries {
		l.add(e)
	}
	return nil
}

func (l *mcpList) environment() servers.Environment {
	return servers.Environment{Getenv: l.env.Getenv, Dir: l.env.Dir, Home: l.env.Home}
}

// add adds a server unless there is one of its name.
func (l *mcpList) add(e servers.Entry) {
	for _, secret := range e.Secrets {
		for _, part := range redact.Parts(secret.Value) {
			isHeader := strings.HasPrefix(secret.Name, "header ")
			if isHeader || redact.Holds(strings.TrimPrefix(secret.Name, "env "), part) || secret.Name == "client secret" {
				l.mask.Add(redact.Value{Name: secret.Name, Text: part})
			}
		}
	}
	l.mask.Add(inAddress("the URL of "+e.Name, e.URL)...)
	s := client.Server{Name: e.Name, URL: e.URL, Command: e.Command, Env: e.Env, SSE: e.SSE}
	if e.Dir != "" {
		s.Dir = l.env.absolute(e.Dir)
	}
	for _, h := range e.Headers {
		s.Headers = append(s.Headers, client.Header(h))
	}
	if !l.has(s.Name) {
		l.servers = append(l.servers, l.withLogin(s, e.OAuth))
	}
}

// withLogin adds how to log in to a server at a URL, unless its requests are authorized
// otherwise.
func (l *mcpList) withLogin(s client.Server, o servers.OAuth) client.Server {
	u, err := url.Parse(s.URL)
	hasHeader := slices.ContainsFunc(s.Headers, func(h client.Header) bool { return strings.EqualFold(h.Name, "Authorization") })
	authorized := hasHeader || err != nil || u.User != nil
	canLogin := s.URL != "" && !s.SSE && !o.Off
	if !canLogin || authorized {
		return s
	}
	login := client.LoginOptions{
		Server: s.Name, URL: s.URL, ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: o.Scopes, Port: o.Port, Credentials: o.Credentials,
		Secret: func(value string) { l.mask.Add(redact.Value{Name: "login to " + s.Name, Text: value}) },
	}
	if l.env.Config != "" {
		login.Folder = filepath.Join(l.env.Config, "skills", "tokens")
	}
	if l.person {
		login.Show = l.env.Note
	}
	s.Login = client.NewLogin(login)
	return s
}

// addUser adds the servers of the user's own configuration.
func (l *mcpList) addUser() error {
	path, user, err := userConfig(l.env)
	if err != nil {
		return err
	}
	for _, m := range user.MCP {
		wrong := func(err error) error {
			return fault.AsUsage(m.Wrong(path, config.ServerForm, fmt.Errorf("the MCP server %q: %w", m.Name, err)))
		}
		if m.Value != nil {
			e, use, err := servers.Parse(m.Name, m.Value, l.environment())
			switch {
			case err != nil:
				return wrong(err)
			case len(e.Command) > 0 && isRelative(e.Command[0]):
				return wrong(errRelative)
			case use:
				l.add(e)
			}
			continue
		}
		s, err := mcpServer(m.Name, m.Text, parseUserCommand)
		if err == nil && !isServerName(m.Name) {
			err = errors.New("its name may have letters, digits, - and _ only")
		}
		if err != nil {
			return wrong(err)
		}
		if !l.has(s.Name) {
			l.servers = append(l.servers, l.withLogin(s, servers.OAuth{}))
		}
	}
	return nil
}

// noteForeign names the lists of MCP servers in the working folder: they come from the
// repository, so only the user can choose to use them.
func noteForeign(env Env, o Options, notes *notes) {
	if o.Programs.MCPConfig != "" || o.Demo {
		return
	}
	for _, name := range []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"} {
		src, err := files.ReadRegular(env.absolute(name), maxMCPConfig)
		if err != nil {
			continue
		}
		if names := servers.Names(src); len(names) > 0 {
			list := printable.TruncateMiddle(printable.Line(strings.Join(names, ", ")), 200)
			notes.note(fmt.Sprintf("%s is not used: it names the MCP %s %s; --mcp-config %[1]s uses it", name, plural(len(names)), list))
		}
	}
}

func plural(n int) string {
	if n == 1 {
		return "server"
	}
	return "servers"
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
	servers, warnings, err := mcpServers(env, o, p.Mask)
	if err != nil {
		return nil, err
	}
	for _, text := range warnings {
		env.Warn("%s", p.Mask.Text(text))
	}
	noteForeign(env, o, notes)
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
