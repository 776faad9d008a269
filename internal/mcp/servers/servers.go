// Package servers reads lists of MCP servers in the form that other clients write: an object
// mcpServers (Claude, Cursor and most others) or servers (VS Code), of a name each with a
// command or a URL.
//
// A file is one of another program, so what is unknown in it is ignored, and an entry that
// cannot be used does not affect the others. Values may have variables: ${VAR}, ${VAR:-text},
// ${env:VAR}, and the folders of the editor.
package servers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
)

// Entry is a server of a list.
type Entry struct {
	Name string // letters, digits, - and _
	Line int    // in the file

	Command []string
	Env     []string // KEY=VALUE
	Dir     string

	URL     string
	SSE     bool // the older transport
	Headers []Header
	OAuth   OAuth

	// Secrets are values that output must not contain.
	Secrets []Secret
}

// Header is a header of HTTP requests.
type Header struct{ Name, Value string }

// Secret is a value and what it is.
type Secret struct{ Name, Value string }

// OAuth is how a client logs in. The zero value is a client that registers itself.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	Port                   int  // of the address to which the browser returns; 0 for any
	Credentials            bool // the client logs in by itself, without a person
	Off                    bool // requests are sent as they are
}

// Environment is where the values of variables come from.
type Environment struct {
	Getenv    func(name string) string
	Dir, Home string // the working folder and the home folder
}

// Skipped is an entry that cannot be used.
type Skipped struct {
	Line int
	Text string // names the server and the reason
}

// maxServers is the maximum number of entries that are used.
const maxServers = 50

// Read reads a list from a file. The error, a *fault.Error, is about the file as a whole.
func Read(path string, src []byte, env Environment) (entries []Entry, skipped []Skipped, err error) {
	const hint = `write it as {"mcpServers": {"NAME": {"command": "…"}}}`
	src = plainJSON(src)
	var checked map[string]any
	err = jsonpos.DecodeJSON(path, src, &checked, "fix it")
	if err != nil {
		return nil, nil, err
	}
	root := jsonpos.Parse(src)
	list := root.Field("mcpServers")
	if list == nil {
		list = root.Field("servers")
	}
	if list == nil {
		return nil, nil, &fault.Error{Path: path, Message: "has no mcpServers", Hint: hint}
	}
	fields, ok := list.Value.(map[string]*jsonpos.Node)
	if !ok {
		return nil, nil, jsonpos.ErrorAt(path, src, list.Start, "mcpServers is "+list.Kind()+", not an object", hint)
	}
	names := slices.SortedFunc(maps.Keys(fields), func(a, b string) int { return cmp.Compare(fields[a].Start, fields[b].Start) })
	taken := map[string]bool{}
	for _, name := range names {
		line := 1 + bytes.Count(src[:fields[name].Start], []byte("\n"))
		e, use, err := Parse(name, fields[name].Plain(), env)
		e.Line = line
		switch {
		case err != nil:
			skipped = append(skipped, Skipped{line, fmt.Sprintf("the MCP server %q is not used: %v", name, err)})
		case !use:
		case taken[e.Name]:
			skipped = append(skipped, Skipped{line, fmt.Sprintf("the MCP server %q is not used: another one has the name %s", name, e.Name)})
		case len(entries) == maxServers:
			skipped = append(skipped, Skipped{line, fmt.Sprintf("the MCP server %q is not used: at most %d are", name, maxServers)})
		default:
			taken[e.Name] = true
			entries = append(entries, e)
		}
	}
	return entries, skipped, nil
}

// Names returns the names in a list, whose values are not looked at.
func Names(src []byte) []string {
	var file struct{ MCPServers, Servers map[string]json.RawMessage }
	if json.Unmarshal(plainJSON(src), &file) != nil {
		return nil
	}
	if file.MCPServers == nil {
		file.MCPServers = file.Servers
	}
	return slices.Sorted(maps.Keys(file.MCPServers))
}

// Parse reads one entry; use is false if it is disabled there.
func Parse(name string, value any, env Environment) (e Entry, use bool, err error) {
	e.Name = cleanName(name)
	fields, ok := value.(map[string]any)
	if !ok {
		return e, false, fmt.Errorf("it is not an object")
	}
	if e.Name == "" {
		return e, false, fmt.Errorf("its name has no letter or digit")
	}
	if fields["disabled"] == true || fields["enabled"] == false {
		return e, false, nil
	}
	r := &reader{entry: &e, env: env, fields: fields}
	r.read()
	return e, r.err == nil, r.err
}

var notInName = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// cleanName returns a name of at most 40 letters, digits, - and _.
func cleanName(name string) string {
	name = strings.Trim(notInName().ReplaceAllString(name, "-"), "-")
	return name[:min(len(name), 40)]
}

// reader reads an entry. The first error stays.
type reader struct {
	entry  *Entry
	env    Environment
	fields map[string]any
	err    error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) read() {
	e, kind := r.entry, r.text("type", r.fields["type"])
	if kind == "" {
		kind = r.text("transport", r.fields["transport"])
	}
	address := r.text("url", r.fields["url"])
	for _, other := range []string{"serverUrl", "httpUrl"} { // Windsurf, Gemini CLI
		if address == "" {
			address = r.text(other, r.fields[other])
		}
	}
	command := r.text("command", r.fields["command"])
	switch {
	case r.err != nil:
	case address == "" && command == "":
		r.fail("it has neither a command nor a url")
	case address != "" && command != "":
		r.fail("it has a command and a url")
	case address != "":
		r.remote(address, strings.ToLower(kind))
	default:
		e.Command = []string{command}
		for i, arg := range r.list("args") {
			e.Command = append(e.Command, r.text(fmt.Sprintf("args[%d]", i), arg))
		}
		for name, value := range r.object("env") {
			if name == "" || strings.ContainsAny(name, "=\x00") {
				r.fail("%q is no name of a variable", name)
			}
			e.Env = append(e.Env, name+"="+r.scalar("env "+name, value))
			r.secret("env "+name, value)
		}
		e.Dir = r.text("cwd", r.fields["cwd"])
		if r.fields["envFile"] != nil {
			r.fail("envFile is not read; write its variables into env")
		}
	}
}

// remote reads the fields of a server at a URL.
func (r *reader) remote(address, kind string) {
	e := r.entry
	u, err := url.Parse(address)
	switch {
	case err != nil:
		r.fail("its url cannot be read") // the error would contain it
		return
	case (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		r.fail("its url is not an address with http or https")
		return
	}
	e.URL, e.SSE = address, kind == "sse"
	for name, value := range r.object("headers") {
		text := r.text("header "+name, value)
		if !headerName().MatchString(name) || strings.ContainsAny(text, "\r\n\x00") {
			r.fail("the header %q cannot be sent", name)
		}
		e.Headers = append(e.Headers, Header{name, text})
		r.secret("header "+name, value)
	}
	r.oauth()
}

var headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// oauth reads how the client logs in.
func (r *reader) oauth() {
	o := &r.entry.OAuth
	if r.fields["oauth"] == false {
		o.Off = true
		return
	}
	for _, key := range []string{"oauth", "auth"} {
		for name, value := range r.object(key) {
			what := key + "." + name
			switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
			case "clientid":
				o.ClientID = r.text(what, value)
			case "clientsecret":
				o.ClientSecret = r.text(what, value)
				r.secret("client secret", value)
			case "granttype":
				grant := r.text(what, value)
				o.Credentials = grant == "client_credentials"
				if !o.Credentials && grant != "authorization_code" && r.err == nil {
					r.fail("%s is neither authorization_code nor client_credentials", what)
				}
			case "callbackport":
				number, _ := value.(json.Number)
				port, err := number.Int64()
				if err != nil || port < 1 || port > 65535 {
					r.fail("%s is not a port", what)
				}
				o.Port = int(port)
			case "scopes", "scope":
				if list, ok := value.([]any); ok {
					for _, one := range list {
						o.Scopes = append(o.Scopes, r.text(what, one))
					}
				} else {
					o.Scopes = append(o.Scopes, strings.Fields(r.text(what, value))...)
				}
			}
		}
	}
	if o.Credentials && (o.ClientID == "" || o.ClientSecret == "") {
		r.fail("client_credentials need clientId and clientSecret")
	}
}

// object yields the members of a field in the order of their names.
func (r *reader) object(key string) func(yield func(string, any) bool) {
	value := r.fields[key]
	members, ok := value.(map[string]any)
	if value != nil && !ok {
		r.fail("%s is not an object", key)
	}
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !yield(name, members[name]) {
				return
			}
		}
	}
}

// list returns the elements of a field.
func (r *reader) list(key string) []any {
	value := r.fields[key]
	list, ok := value.([]any)
	if value != nil && !ok {
		r.fail("%s is not a list", key)
	}
	return list
}

// text returns a text with its variables replaced, "" for none.
func (r *reader) text(what string, value any) string {
	text, ok := value.(string)
	if !ok {
		if value != nil {
			r.fail("%s is not a text", what)
		}
		return ""
	}
	expanded, err := r.env.expand(text)
	if err != nil {
		r.fail("%s: %v", what, err)
	}
	if strings.ContainsRune(expanded, 0) {
		r.fail("%s has a NUL character", what)
	}
	return expanded
}

// scalar returns a text, or a number or a truth value as text.
func (r *reader) scalar(what string, value any) string {
	switch value := value.(type) {
	case json.Number:
		return value.String()
	case bool:
		return fmt.Sprint(value)
	}
	return r.text(what, value)
}

// secret records a value, and the variables in it.
func (r *reader) secret(name string, value any) {
	text, ok := value.(string)
	if !ok {
		return
	}
	expanded, err := r.env.expand(text)
	if err == nil {
		r.entry.Secrets = append(r.entry.Secrets, Secret{name, expanded})
	}
	for _, match := range variable().FindAllStringSubmatch(text, -1) {
		one, err := r.env.value(match[1])
		if err == nil {
			r.entry.Secrets = append(r.entry.Secrets, Secret{name, one})
		}
	}
}
