package run

// The server, its key and the model, and the file of variables. How the server is chosen,
// and what may be sent to it, is in choose.go.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/files"
)

// The default model and server.
const (
	DefaultModel  = "gpt-5-mini"
	defaultServer = "https://api.openai.com/v1"
)

// Server is a server with its model.
type Server struct {
	Name           string // in the user's own configuration, or ""
	BaseURL, Model string
	API            string       // chat, responses or auto; "" is auto
	Window         int64        // tokens of the model's context by the configuration, or 0
	Price          *agent.Price // of a million input and output tokens by the configuration, or nil
	KeyVariable    string       // variable that contains the key, and its file, or ""
	Warning        string       // for the user

	key     string
	headers []agent.Header
	params  map[string]json.RawMessage // of the configuration

	serverInFile bool // only the file of variables names the server
	usesFile     bool // server, key or model are from that file
}

// Key returns the key for requests to the server, or "".
func (s Server) Key() string { return s.key }

// FindServer finds server, model and key in the options, the environment, the user's own
// configuration and the file of variables. A URL that is only in the file does not get a
// key or a header from elsewhere: a repository's .env must not be able to send it away. A
// key in the file is not sent to another server than the file's.
func FindServer(env Env, o ServerOptions, file Variables) (Server, error) {
	for _, w := range file.warnings {
		env.Warn("%s", w)
	}
	if file.err != nil {
		return Server{}, file.err
	}
	c, err := newChooser(env, o, file)
	if err != nil {
		return Server{}, err
	}
	n, ok, err := c.named()
	switch {
	case err != nil:
		return Server{}, err
	case ok:
		return c.server(n)
	}
	return c.unnamed()
}

// unnamed returns a server that is not in the user's own configuration.
func (c *chooser) unnamed() (s Server, err error) {
	o := c.o
	ownModel := c.user.Model.Text
	if server, _, _ := c.user.SplitModel(ownModel); server.Name != "" {
		ownModel = "" // it belongs to that server
	}
	fileModel := c.model.file.value
	s = Server{
		Model:   cmp.Or(o.Model, c.model.env.value, ownModel, fileModel, DefaultModel),
		BaseURL: cmp.Or(o.BaseURL, c.url.env.value, c.url.file.value, defaultServer), API: o.API,
	}
	byUser := cmp.Or(o.BaseURL, c.url.env.value) != ""
	s.serverInFile = !byUser && c.url.file.value != ""
	key, inFile, warning := c.keyOf(s, byUser, s.serverInFile)
	if s.serverInFile { // the folder's author chose the server
		warning = fmt.Sprintf("the server comes from %s: %s", c.file.name, PublicURL(s.BaseURL)) + warning
	}
	s.KeyVariable, s.key, s.Warning = key.name, key.value, warning
	s.usesFile = s.serverInFile || inFile || fileModel != "" && cmp.Or(o.Model, c.model.env.value, ownModel) == ""
	if len(o.Headers) > 0 && s.serverInFile && !c.fileNamed() {
		return s, fault.Usage("pass --base-url to name the server, or --env-file "+c.file.name, "--header is not sent to a server that only %s names: %s", c.file.name, PublicURL(s.BaseURL))
	}
	s.headers, err = headersOf(c.env, "", nil, o.Headers)
	if err != nil {
		return s, err
	}
	unset := o.KeyEnv != "" && s.key == "" && c.env.Getenv(o.KeyEnv) == ""
	nowhere := s.key == "" && !byUser && !s.serverInFile && !s.authorized()
	switch {
	case unset:
		return s, fault.Usage("set it, or omit --api-key-env for a server without a key", "the environment variable %s is not set", o.KeyEnv)
	case nowhere:
		return s, fault.Usage("three commands for a model on this machine, without a key: ollama serve; ollama pull qwen3:4b; "+
			"skills run --base-url http://localhost:11434/v1 -m qwen3:4b PROMPT; for OpenAI, set OPENAI_API_KEY; for a recording, skills run --demo",
			"there is no server to run with: none is named, and %s needs a key", defaultServer)
	}
	return s, s.check()
}

type variable struct{ name, value string }

// first returns the first variable that is set.
func first(get func(string) string, names []string) variable {
	for _, name := range names {
		if value := get(name); value != "" {
			return variable{name, value}
		}
	}
	return variable{}
}

// sameHost reports whether two addresses have the same scheme, host and port.
func sameHost(a, b string) bool {
	x, err := url.Parse(a)
	y, bad := url.Parse(b)
	return err == nil && bad == nil && x.Host != "" && strings.EqualFold(x.Scheme+"://"+x.Host, y.Scheme+"://"+y.Host)
}

// PublicURL returns a URL without user, password and the values of its query.
func PublicURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(an address that cannot be read)"
	}
	u.User, u.Fragment = nil, ""
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	return u.String()
}

// Variables are those of the file of variables.
type Variables struct {
	name     string
	values   map[string]string
	warnings []string
	err      error // the file cannot be read
}

const maxEnvFile = 64 << 10

// ReadVariables reads the file of --env-file, or the optional .env. It is called once,
// because the file may be a pipe. The file may come from a repository, so it is not
// trusted: only a regular file of limited size is read, and nothing in it is added to the
// environment.
func ReadVariables(ctx context.Context, env Env, o ServerOptions) Variables {
	f := Variables{name: cmp.Or(o.EnvFile, ".env")}
	if o.EnvFile == "" {
		info, err := os.Stat(env.absolute(f.name))
		if err != nil || !info.Mode().IsRegular() {
			return f
		}
	}
	text, err := env.file(ctx, "--env-file", f.name, maxEnvFile)
	switch {
	case err == nil:
		var problems []string
		f.values, problems = parseEnv(text)
		for _, p := range problems {
			f.warnings = append(f.warnings, f.name+":"+p)
		}
	case o.EnvFile == "" && !errors.As(err, new(*files.UnfinishedError)):
		f.warnings = []string{err.Error() + "; it is ignored"}
	default:
		f.err = err
	}
	return f
}

// parseEnv parses NAME=VALUE lines, with quotes, comments and a leading export; nothing
// is expanded. Double quotes support the escapes \n, \r, \t, \" and \\; an unquoted
// value ends at " #". Any other line is ignored and reported by its number, without its
// text, which may be a key.
func parseEnv(text string) (vars map[string]string, problems []string) {
	vars = map[string]string{}
	variable := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	quoted := regexp.MustCompile(`^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
	unescape := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`)
	text = strings.TrimPrefix(text, "\uFEFF")
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		match := quoted.FindStringSubmatch(value)
		switch {
		case !found || !variable.MatchString(name):
			problems = append(problems, fmt.Sprintf("%d: not a line of the form NAME=VALUE", i+1))
		case match != nil:
			vars[name] = unescape.Replace(match[1]) + match[2]
		case strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "'"):
			problems = append(problems, fmt.Sprintf("%d: the quote of %s is never closed", i+1, name))
		default:
			value, _, _ = strings.Cut(value, " #")
			vars[name] = strings.TrimSpace(value)
		}
	}
	return vars, problems
}

// variableName returns an error for a variable with a value where only its name is
// expected. It does not contain the value, which may be a key.
func variableName(flag string, values ...string) error {
	for _, value := range values {
		if name, _, ok := strings.Cut(value, "="); ok {
			return fault.Usage("set the variable in the environment, and write "+strings.TrimSpace(flag+" "+name), "%s takes the name of a variable, without a value", flag)
		}
	}
	return nil
}
