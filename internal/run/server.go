package run

// The server, its key and the model are chosen by flags, the environment, or a file of
// variables, in this order. A server that only the file names gets no key from the
// environment.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
)

// The default model and server.
const (
	DefaultModel  = "gpt-5-mini"
	defaultServer = "https://api.openai.com/v1"
)

// Server is a chat-completions server with its model.
type Server struct {
	BaseURL, Model string
	KeyVariable    string // variable that contains the key, and its file, or ""
	Warning        string // for the user
	key            string

	serverInFile bool // only the file of variables names the server
	usesFile     bool // server, key or model are from that file
}

// Key returns the key for requests to the server, or "".
func (s Server) Key() string { return s.key }

// FindServer finds model, URL and key in the options, the environment, and the file of
// variables, in this order. A URL that is only in the file does not get a key from the
// environment: a repository's .env must not be able to send it elsewhere.
func FindServer(env Env, o ServerOptions, file Variables) (Server, error) {
	for _, w := range file.warnings {
		env.Warn("%s", w)
	}
	if file.err != nil {
		return Server{}, file.err
	}
	// find returns the first of the variables in the environment, and in the file.
	find := func(names ...string) (inEnv, inFile variable) {
		return first(env.Getenv, names), first(func(name string) string { return file.values[name] }, names)
	}
	envModel, fileModel := find("OPENAI_MODEL", "MODEL")
	envURL, fileURL := find("OPENAI_BASE_URL", "OPENAI_URL")
	envKey, key := find("OPENAI_API_KEY", "API_KEY")
	if o.KeyEnv != "" {
		envKey, key = find(o.KeyEnv)
	}
	if key.value != "" {
		key.name += " in " + file.name
	}
	s := Server{
		Model:   cmp.Or(o.Model, envModel.value, fileModel.value, DefaultModel),
		BaseURL: cmp.Or(o.BaseURL, envURL.value, fileURL.value, defaultServer),
	}
	byUser := cmp.Or(o.BaseURL, envURL.value) != ""
	switch {
	case !byUser && fileURL.value != "": // the folder's author chose the server
		s.Warning = fmt.Sprintf("the server comes from %s: %s", file.name, PublicURL(s.BaseURL))
		if key.value == "" && envKey.value != "" {
			s.Warning += fmt.Sprintf("; it gets no key, because %s is set in the environment only (pass --base-url to use it)", envKey.name)
		}
	case envKey.value != "":
		key = envKey
	}
	s.KeyVariable, s.key = key.name, key.value
	s.serverInFile = !byUser && fileURL.value != ""
	modelInFile := o.Model == "" && envModel.value == "" && fileModel.value != ""
	keyInFile := key.value != "" && key != envKey
	s.usesFile = s.serverInFile || modelInFile || keyInFile
	unset := o.KeyEnv != "" && s.key == "" && envKey.value == ""
	nowhere := s.key == "" && !byUser && fileURL.value == ""
	switch {
	case unset:
		return s, fault.Usage("set it, or omit --api-key-env for a server without a key", "the environment variable %s is not set", o.KeyEnv)
	case nowhere:
		return s, fault.Usage("set OPENAI_API_KEY, name a local server with --base-url http://localhost:11434/v1, or try skills run --demo",
			"no key for %s", defaultServer)
	case strings.ContainsFunc(s.key, func(r rune) bool { return r < 0x21 || r > 0x7E }):
		return s, fault.Usage("remove line feeds, spaces and quotes", "the key from %s has invalid characters", s.KeyVariable)
	}
	return s, nil
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
