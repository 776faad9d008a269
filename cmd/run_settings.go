package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/printable"
	"skills/internal/safefile"
)

// The model and server used when nothing names another.
const (
	defaultModel  = "gpt-5-mini"
	defaultServer = "https://api.openai.com/v1"
)

// check refuses flags that cannot be meant.
func (f *runFlags) check() error {
	if f.empty != nil {
		return f.empty
	}
	for _, name := range f.passEnv {
		if err := onlyName("--pass-env", name); err != nil {
			return err
		}
	}
	if err := onlyName("--api-key-env", f.keyEnv); err != nil {
		return err
	}
	if f.yes && f.approve != "" && f.approve != string(skills.Always) {
		return wrongUsage("choose one of the two", "-y and --approve %s together", f.approve)
	}
	switch {
	case f.yes:
		f.approve = string(skills.Always)
	case f.approve == "":
		f.approve = string(skills.Ask)
	}
	for _, c := range []struct{ flag, value, choices string }{
		{"--approve", f.approve, "ask, always, never"},
		{"--sandbox", f.sandbox, "auto, require, off"},
		{"--format", f.format, strings.Join(runFormats, ", ")},
	} {
		names := strings.Split(c.choices, ", ")
		if !slices.Contains(names, c.value) {
			return wrongUsage(nearestHint(c.value, names), "unknown value %q of %s", c.value, c.flag)
		}
	}
	switch {
	case f.maxTurns < 1:
		return wrongUsage("give at least 1", "--max-turns %d leaves the model no turn", f.maxTurns)
	case f.timeout < 0:
		return wrongUsage("give a time such as 90s or 10m, or 0 for no limit", "--timeout %s is negative", f.timeout)
	case f.scriptTimeout <= 0:
		return wrongUsage("give a time such as 90s", "--script-timeout %s leaves a script no time", f.scriptTimeout)
	case f.maxTokens < 0:
		return wrongUsage("give a number of tokens, or 0 for no limit", "--max-tokens %d is negative", f.maxTokens)
	case f.finishTodos < 0:
		return wrongUsage("give how often to ask, or 0 for never", "--finish-todos %d is negative", f.finishTodos)
	case f.finishTodos > 0 && f.noTodo:
		return wrongUsage("choose one of the two", "--finish-todos without a todo list (--no-todo)")
	case f.idleTimeout < 0:
		return wrongUsage("give a time such as 30s, or 0 for no limit", "--idle-timeout %s is negative", f.idleTimeout)
	case f.retries < 0:
		return wrongUsage("give a number, 0 for never", "--retries %d is negative", f.retries)
	case f.maxToolCalls < 0:
		return wrongUsage("give a number of calls, or 0 for no limit", "--max-tool-calls %d is negative", f.maxToolCalls)
	case f.maxRepeats < 0 || f.maxRepeats == 1:
		return wrongUsage("give at least 2, or 0 for no limit", "--max-repeats %d is less than 2: a call is repeated with the second", f.maxRepeats)
	case f.maxFailures < 0:
		return wrongUsage("give a number of turns, or 0 to end at the first that fails", "--max-failures %d is negative", f.maxFailures)
	case f.replay != "" && f.record != "":
		return wrongUsage("record a run with a server, then play it back", "--record and --replay together")
	case f.demo && f.session != "":
		return wrongUsage("leave --session out", "--demo with --session: the demo is one recorded conversation")
	case f.demo && f.noBuiltin:
		return wrongUsage("leave --no-builtin out", "--demo with --no-builtin: the demo is about a built-in skill")
	case f.demo && (f.replay != "" || f.record != "" || len(f.skills) > 0):
		return wrongUsage("the demo has its own skill and its own recording", "--demo with --replay, --record or --skills")
	}
	return nil
}

// server is where the model is and what it is told.
type server struct {
	baseURL, key, model string
	keyName             string // variable the key came from, "" without one
	warning             string
}

// server finds model, address and key: flags, then the environment, then the
// .env file. What stands only in the file is not trusted with a key from the
// environment: a repository's .env must not be able to send it elsewhere.
func (a *app) server(ctx context.Context, f runFlags) (server, error) {
	file, err := a.envFile(ctx, f.envFile)
	if err != nil {
		return server{}, err
	}
	inFile := func(name string) string { return file.vars[name] }
	pick := func(flag string, names ...string) (value string, fromFile bool) {
		if flag != "" {
			return flag, false
		}
		if _, v := first(a.Getenv, names...); v != "" {
			return v, false
		}
		_, v := first(inFile, names...)
		return v, v != ""
	}
	var s server
	s.model, _ = pick(f.model, "OPENAI_MODEL", "MODEL")
	if s.model == "" {
		s.model = defaultModel
	}
	var urlFromFile bool // the folder's author names the server
	s.baseURL, urlFromFile = pick(f.baseURL, "OPENAI_BASE_URL", "OPENAI_URL")
	isDefault := s.baseURL == ""
	if isDefault {
		s.baseURL = defaultServer
	}
	keyNames := []string{"OPENAI_API_KEY", "API_KEY"}
	if f.keyEnv != "" {
		keyNames = []string{f.keyEnv}
	}
	inEnv, envKey := first(a.Getenv, keyNames...)
	named, fileKey := first(inFile, keyNames...)
	switch {
	case urlFromFile:
		s.keyName, s.key = named, fileKey
		s.warning = fmt.Sprintf("the server is the one that %s names: %s", file.name, publicURL(s.baseURL))
		if fileKey == "" && envKey != "" {
			s.warning += "; " + fmt.Sprintf("it gets no key, for %s is set in the environment and not there (name the server with --base-url to use it)", inEnv)
		}
	case envKey != "":
		s.keyName, s.key = inEnv, envKey
	default:
		s.keyName, s.key = named, fileKey
	}
	switch {
	case f.keyEnv != "" && s.key == "" && envKey == "":
		return s, wrongUsage("set it, or leave --api-key-env out for a server without a key", "the variable %s is not set", f.keyEnv)
	case s.key == "" && isDefault:
		return s, wrongUsage("set OPENAI_API_KEY, name a local server with --base-url http://localhost:11434/v1, or try skills run --demo",
			"no key for %s", defaultServer)
	case strings.ContainsFunc(s.key, func(r rune) bool { return r < 0x21 || r > 0x7E }):
		return s, wrongUsage("check it for line feeds, spaces and quotes", "the key in %s holds characters that no key has", s.keyName)
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

// text returns a flag's value, read from a file where it starts with @.
func (a *app) text(ctx context.Context, flag, value string) (string, error) {
	name, isFile := strings.CutPrefix(value, "@")
	switch {
	case !isFile:
		return value, nil
	case name == "":
		return "", wrongUsage("write "+flag+" @FILE, or the text itself", "%s @: it names no file", flag)
	}
	return a.file(ctx, flag, name)
}

// maxTextFile is the most that is read of a file that a flag names.
const maxTextFile = 1 << 20

// file reads a file that a flag names.
func (a *app) file(ctx context.Context, flag, name string) (string, error) {
	data, err := safefile.Wait(ctx, flag+": "+name, func() ([]byte, error) { return readBounded(a.absolute(name), maxTextFile) })
	switch {
	case errors.As(err, new(*safefile.UnfinishedError)):
		return "", err
	case errors.Is(err, fs.ErrNotExist):
		return "", wrongUsage("check the spelling, and the folder this was started in", "%s: %s does not exist", flag, name)
	case err != nil:
		return "", wrongUsage("name a readable text file", "%s: reading %s: %w", flag, name, err)
	}
	return string(data), nil
}

// limits turns the flags into the agent's.
func (f *runFlags) limits() agent.Limits {
	l := agent.Limits{Turns: f.maxTurns, Tokens: f.maxTokens, Idle: f.idleTimeout, Failures: f.maxFailures}
	if l.Idle == 0 {
		l.Idle, l.ReplyTime = -1, -1
	}
	if l.Failures == 0 {
		l.Failures = -1 // where 0 is the default
	}
	return l
}

// attempts is how often the agent sends a request again; its zero is a default.
func (f *runFlags) attempts() int {
	if f.retries == 0 {
		return -1
	}
	return f.retries
}

// brakes are the limits that concern single calls.
func (f *runFlags) brakes() []agent.Middleware {
	var out []agent.Middleware
	if f.maxToolCalls > 0 {
		out = append(out, agent.LimitCalls(f.maxToolCalls))
	}
	if f.maxRepeats > 0 {
		out = append(out, agent.LimitRepeats(f.maxRepeats))
	}
	return out
}

// streams reports whether the run asks for server-sent events.
func (a *app) streams(f runFlags) bool {
	if f.streamSet {
		return f.stream
	}
	return f.format == "text" && !f.quiet && isTerminal(a.Stdout)
}

// warn prints what a person should know.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.Stderr, "warning: %s\n", printable.Line(a.mask.Text(fmt.Sprintf(format, args...))))
}

// absolute returns path seen from the working folder.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}

// deadline is when the run has to end; ok is false without a limit.
func (f *runFlags) deadline(now time.Time) (t time.Time, ok bool) {
	return now.Add(f.timeout), f.timeout > 0
}

// publicURL is an address without what may be secret in it: user, password and
// the values of its query.
func publicURL(address string) string {
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
