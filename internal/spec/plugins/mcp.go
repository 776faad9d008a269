package plugins

// A fault of mcp.json as a whole turns the MCP servers of a plugin off; a fault of one
// server skips that server. Nothing here starts or contacts a server.

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec/secrets"
)

const (
	serversOff   = "clients load none of the plugin's MCP servers"
	serverSkip   = "clients skip this server"
	pluginRoot   = "${PLUGIN_ROOT}"
	pluginData   = "${PLUGIN_DATA}"
	stdioServer  = "stdio"
	httpServer   = "streamable-http"
	sseServer    = "sse"
	tokenPattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
)

// serverFields are the fields of each type of server; the first one besides type is
// required.
var serverFields = map[string][]string{
	stdioServer: {"command", "args", "env", "cwd"},
	httpServer:  {"url", "headers"},
	sseServer:   {"url", "headers"},
}

var (
	headerName  = lazyregexp.New(tokenPattern)
	placeholder = lazyregexp.New(`\$\{[^}]*\}`)
	variable    = lazyregexp.New(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)
)

// servers checks the mcp.json of a plugin whose manifest has the given $schema.
func (c portable) servers(manifest string) {
	at := c.stat(mcpFile)
	switch {
	case at.outside:
		c.report(c.file(mcpFile, nil), pathRule, 0, 0, "put the file itself into the plugin", "%s is a link out of the plugin: %s", mcpFile, serversOff)
		return
	case at.broken:
		c.report(c.file(mcpFile, nil), pathRule, 0, 0, "repair or delete the link", "%s is a link to a file that does not exist: %s", mcpFile, serversOff)
		return
	case at.FileInfo == nil:
		return
	}
	f := c.readJSON(mcpFile, mcpRule, serversOff)
	if f.json == nil {
		return
	}
	if !c.schema(f, mcpSchema, "load none of the plugin's MCP servers") {
		return
	}
	if manifest != pluginSchema && manifest != "" {
		if schema := f.json.Field("$schema"); text(schema) == mcpSchema {
			c.report(f, mcpRule, schema.Start, schema.End, "use the same version in both files", "$schema has another version than that of %s: %s", manifestFile, serversOff)
		}
	}
	for _, m := range f.json.Members() {
		if m.Key != "$schema" && m.Key != "mcpServers" {
			c.report(f, mcpRule, m.KeyStart, m.KeyEnd, "delete it", "%s may not be in %s: %s", printable.Quote(m.Key), mcpFile, serversOff)
		}
	}
	servers := f.json.Field("mcpServers")
	if servers == nil {
		c.report(f, mcpRule, f.json.Start, f.json.Start+1, `add "mcpServers": { … }`, "mcpServers is missing: %s", serversOff)
		return
	}
	if !c.wantKind(f, mcpRule, servers, "mcpServers", "an object", serversOff) {
		return
	}
	c.repeated(f, mcpRule, servers, "the server")
	for _, m := range servers.Members() {
		c.server(f, m)
	}
}

// server checks one server.
func (c portable) server(f *file, m jsonpos.Member) {
	s := server{checker: c.checker, file: f, name: m.Key, node: m.Node}
	if m.Fields() == nil {
		s.skip(m.Node, "write an object with a type", "is %s, not an object", m.Kind())
		return
	}
	kind := m.Field("type")
	fields, known := serverFields[text(kind)]
	switch {
	case kind == nil:
		c.report(f, mcpRule, m.KeyStart, m.KeyEnd, `add "type": "stdio", "streamable-http" or "sse"`, "server %s has no type: %s", printable.Quote(m.Key), serverSkip)
		return
	case !known:
		s.skip(kind, "write stdio, streamable-http or sse", "has the type %s, which is unknown", printable.Quote(printable.Line(text(kind))))
		return
	}
	for _, field := range m.Members() {
		if field.Key != "type" && !slices.Contains(fields, field.Key) {
			c.report(f, mcpRule, field.KeyStart, field.KeyEnd, "keep "+strings.Join(fields, ", "), "server %s has the field %s, which a server of type %s may not have: %s",
				printable.Quote(m.Key), printable.Quote(field.Key), text(kind), serverSkip)
		}
	}
	required := m.Field(fields[0])
	switch {
	case required == nil:
		c.report(f, mcpRule, m.KeyStart, m.KeyEnd, "add "+fields[0], "server %s has no %s: %s", printable.Quote(m.Key), fields[0], serverSkip)
	case required.Kind() != "a string" || text(required) == "":
		s.skip(required, "write a string", "has a %s that is not a string with text", fields[0])
	case text(kind) == stdioServer:
		s.command(required)
	default:
		s.url(required)
	}
	if text(kind) == stdioServer {
		s.process()
		return
	}
	s.headers(m.Field("headers"))
}

// server is a server whose fields are checked.
type server struct {
	*checker
	file *file
	name string
	node *jsonpos.Node
}

// skip reports a fault of a value that makes clients skip the server.
func (s server) skip(n *jsonpos.Node, help, format string, args ...any) {
	s.report(s.file, mcpRule, n.Start, n.End, help, "server %s "+format+": %s", append(append([]any{printable.Quote(s.name)}, args...), serverSkip)...)
}

// escape reports a path that leaves the plugin.
func (s server) escape(n *jsonpos.Node, field string) {
	s.report(s.file, pathRule, n.Start, n.End, "name a file inside the plugin", "server %s has a %s outside the plugin: %s", printable.Quote(s.name), field, serverSkip)
}

// command checks an executable: one word without a path, or a path that starts with ./.
func (s server) command(n *jsonpos.Node) {
	value := text(n)
	relative := strings.HasPrefix(value, "./")
	name, in := inside(value)
	switch {
	case placeholder().MatchString(value):
		s.skip(n, "start the path with ./, which is the plugin's folder", "has a placeholder in its command, where none is expanded")
	case relative && !in, relative && s.stat(name).outside, strings.HasPrefix(value, "../"):
		s.escape(n, "command")
	case relative:
	case strings.ContainsAny(value, " \t\r\n"):
		s.skip(n, "put the arguments into args", "has a command of several words")
	case strings.ContainsAny(value, `/\`):
		s.skip(n, "write a program's name, or a path that starts with ./", "has a command that is neither a program's name nor a path that starts with ./")
	}
}

// process checks the other fields of a program.
func (s server) process() {
	if args := s.node.Field("args"); args != nil {
		bad := args.Kind() != "a list" || slices.ContainsFunc(args.Items(), func(n *jsonpos.Node) bool { return n.Kind() != "a string" })
		if bad {
			s.skip(args, "write a list of strings", "has args that are not a list of strings")
		}
	}
	if env := s.node.Field("env"); env != nil {
		if env.Fields() == nil {
			s.skip(env, "write an object of strings", "has an env that is not an object")
		}
		for _, m := range env.Members() {
			switch {
			case m.Key == "PLUGIN_ROOT" || m.Key == "PLUGIN_DATA":
				s.skip(m.Node, "delete it: clients set it", "sets %s, which is reserved", m.Key)
			case m.Kind() != "a string":
				s.skip(m.Node, "write a string", "has an env value that is %s, not a string", m.Kind())
			case variable().MatchString(text(m.Node)) && text(m.Node) != pluginRoot && text(m.Node) != pluginData:
				s.advise(s.file, mcpRule, m.Start, m.End, "delete it if the client's own environment has the variable",
					"the value of %s is passed as it is written: clients expand only %s and %s", printable.Line(m.Key), pluginRoot, pluginData)
			}
			s.secret(m, "env")
		}
	}
	if cwd := s.node.Field("cwd"); cwd != nil {
		s.cwd(cwd)
	}
}

// cwd checks a working directory.
func (s server) cwd(n *jsonpos.Node) {
	value := text(n)
	rest, root := strings.CutPrefix(value, pluginRoot)
	if !root {
		rest, root = strings.CutPrefix(value, pluginData)
	}
	switch {
	case strings.HasPrefix(value, "./"):
		rest = value
	case root && (rest == "" || rest[0] == '/'):
		rest = "." + rest
	default:
		s.skip(n, "start it with ./, "+pluginRoot+" or "+pluginData, "has a cwd in a form that is not allowed")
		return
	}
	name, in := inside(rest)
	inPlugin := !strings.HasPrefix(value, pluginData)
	if !in || inPlugin && s.stat(name).outside {
		s.escape(n, "cwd")
	}
}

// url checks the address of a server.
func (s server) url(n *jsonpos.Node) {
	value := text(n)
	u, err := url.Parse(value)
	help := "write an absolute address that starts with https://"
	switch {
	case placeholder().MatchString(value):
		s.skip(n, "write the address itself", "has a placeholder in its url, where none is expanded")
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "":
		s.skip(n, help, "has a url that is not an absolute http or https address")
	case u.User != nil:
		s.skip(n, "delete the part before @", "has a url with a user name")
	case strings.Contains(value, "#"):
		s.skip(n, "delete the part from #", "has a url with a fragment")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		s.skip(n, "write https://", "has a url without encryption that is not on this machine")
	}
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// headers checks the fixed headers of a server.
func (s server) headers(n *jsonpos.Node) {
	if n == nil {
		return
	}
	if n.Fields() == nil {
		s.skip(n, "write an object of strings", "has headers that are not an object")
		return
	}
	seen := map[string]bool{}
	for _, m := range n.Members() {
		name := strings.ToLower(m.Key)
		value := text(m.Node)
		switch {
		case seen[name]:
			s.report(s.file, mcpRule, m.KeyStart, m.KeyEnd, "keep one of them", "server %s has the header %s twice: %s", printable.Quote(s.name), printable.Quote(m.Key), serverSkip)
		case !headerName().MatchString(m.Key):
			s.report(s.file, mcpRule, m.KeyStart, m.KeyEnd, "write a name such as X-Tenant", "server %s has an invalid header name %s: %s", printable.Quote(s.name), printable.Quote(m.Key), serverSkip)
		case m.Kind() != "a string":
			s.skip(m.Node, "write a string", "has a header that is %s, not a string", m.Kind())
		case value != strings.Trim(value, " \t"), strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }):
			s.skip(m.Node, "delete control characters and outer spaces", "has an invalid header value")
		case placeholder().MatchString(value):
			s.advise(s.file, mcpRule, m.Start, m.End, "leave the header to the client's own login",
				"the header %s is sent as it is written: clients expand nothing in headers", printable.Line(m.Key))
		}
		seen[name] = true
		s.secret(m, "headers")
	}
}

// secret reports a key in a value: everyone who installs the plugin can read it.
func (s server) secret(m jsonpos.Member, field string) {
	if secrets.Contains(text(m.Node)) {
		s.report(s.file, mcpRule, m.Start, m.End, "leave the key to the user's own environment or login, and revoke this one",
			"%s of server %s has a key in %s, which everyone who installs the plugin can read", printable.Line(m.Key), printable.Quote(s.name), field)
	}
}

// servers checks that the .mcp.json of a plugin of Claude Code is JSON.
func (c client) servers(base string) {
	name := path.Join(base, ".mcp.json")
	if c.stat(name).FileInfo != nil {
		c.readJSON(name, mcpRule, "Claude Code loads none of the plugin's MCP servers")
	}
}
