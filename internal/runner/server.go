package runner

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
)

// The model and server used when nothing names another.
const (
	DefaultModel  = "gpt-5-mini"
	defaultServer = "https://api.openai.com/v1"
)

// Server is a chat-completions server and how it is asked.
type Server struct {
	BaseURL, Model string
	KeyVariable    string // that the key came from, "" without one
	Warning        string // for the person
	key            string
}

// FindServer finds model, address and key: flags, then the environment, then the
// .env file. What is only in the file is not trusted with a key from the
// environment: a repository's .env must not be able to send it elsewhere.
func (r *Runner) FindServer(ctx context.Context) (Server, error) {
	file := r.readEnv(ctx)
	for _, w := range file.warnings {
		r.warnf("%s", w)
	}
	if file.err != nil {
		return Server{}, file.err
	}
	inFile := func(name string) string { return file.vars[name] }
	pick := func(flag string, names ...string) (value string, fromFile bool) {
		_, inEnv := first(r.Getenv, names...)
		if value = cmp.Or(flag, inEnv); value != "" {
			return value, false
		}
		_, value = first(inFile, names...)
		return value, value != ""
	}
	var s Server
	s.Model, _ = pick(r.Model, "OPENAI_MODEL", "MODEL")
	s.Model = cmp.Or(s.Model, DefaultModel)
	var urlFromFile bool // the folder's author names the server
	s.BaseURL, urlFromFile = pick(r.BaseURL, "OPENAI_BASE_URL", "OPENAI_URL")
	isDefault := s.BaseURL == ""
	s.BaseURL = cmp.Or(s.BaseURL, defaultServer)
	keyNames := []string{"OPENAI_API_KEY", "API_KEY"}
	if r.KeyEnv != "" {
		keyNames = []string{r.KeyEnv}
	}
	inEnv, envKey := first(r.Getenv, keyNames...)
	s.KeyVariable, s.key = first(inFile, keyNames...)
	switch {
	case urlFromFile:
		s.Warning = fmt.Sprintf("the server comes from %s: %s", file.name, PublicURL(s.BaseURL))
		if s.key == "" && envKey != "" {
			s.Warning += "; " + fmt.Sprintf("it gets no key, because %s is set in the environment only (pass --base-url to use it)", inEnv)
		}
	case envKey != "":
		s.KeyVariable, s.key = inEnv, envKey
	}
	switch {
	case r.KeyEnv != "" && s.key == "" && envKey == "":
		return s, Refuse("set it, or omit --api-key-env for a server without a key", "the environment variable %s is not set", r.KeyEnv)
	case s.key == "" && isDefault:
		return s, Refuse("set OPENAI_API_KEY, name a local server with --base-url http://localhost:11434/v1, or try skills run --demo",
			"no key for %s", defaultServer)
	case strings.ContainsFunc(s.key, func(r rune) bool { return r < 0x21 || r > 0x7E }):
		return s, Refuse("remove line feeds, spaces and quotes", "the key in %s has invalid characters", s.KeyVariable)
	}
	return s, nil
}

// first returns the first variable that is set, and its value.
func first(get func(string) string, names ...string) (name, value string) {
	for _, n := range names {
		if v := get(n); v != "" {
			return n, v
		}
	}
	return "", ""
}

// PublicURL is an address without what may be secret in it: user, password and
// the values of its query.
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
