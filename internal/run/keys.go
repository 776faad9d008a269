package run

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/lint/config"
	"skills/internal/printable"
	"skills/internal/redact"
)

// ReadKeys finds the keys that output must not contain, in the environment and the
// variables of a file, and passes a masker to env.Masked.
func ReadKeys(env Env, o ServerOptions, servers []string, file Variables) *redact.Masker {
	var values []redact.Value
	add := func(name, value string) {
		if name == o.KeyEnv || redact.Holds(name, value) {
			for _, part := range redact.Parts(value) {
				values = append(values, redact.Value{Name: name, Text: part})
			}
		}
		values = append(values, inAddress(name, value)...)
	}
	for _, entry := range env.Environ {
		name, value, _ := strings.Cut(entry, "=")
		add(name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(file.values)) {
		add(name, file.values[name])
	}
	values = append(values, inAddress("--base-url", o.BaseURL)...)
	_, user, _ := userConfig(env) // its error is reported later
	values = append(values, secretHeaders(env, o, user)...)
	for _, server := range user.Servers {
		values = append(values, inAddress("base-url", server.BaseURL)...)
		values = append(values, redact.Value{Name: server.KeyEnv, Text: env.Getenv(server.KeyEnv)})
	}
	for _, text := range slices.Concat(servers, printable.Map(user.MCP, func(m config.Entry) string { return m.Text })) {
		if i := strings.Index(text, "http"); i >= 0 {
			values = append(values, inAddress("--mcp", text[i:])...)
		}
	}
	slices.SortStableFunc(values, func(a, b redact.Value) int { return cmp.Compare(a.Name, b.Name) })
	mask := redact.New(values)
	env.Masked(mask)
	return mask
}

// inAddress returns the password of a URL, and the keys in its query.
func inAddress(name, value string) []redact.Value {
	if !strings.Contains(value, "://") {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil {
		return nil
	}
	var out []redact.Value
	if password, ok := u.User.Password(); ok {
		out = append(out, redact.Value{Name: "password in " + name, Text: password})
	}
	query := u.Query()
	for _, key := range slices.Sorted(maps.Keys(query)) {
		for _, text := range query[key] {
			if redact.Holds(key, text) {
				out = append(out, redact.Value{Name: key + " in " + name, Text: text})
			}
		}
	}
	return out
}

// maskedCalls adds masking to the calls: outermost, so that the model sees no key, and
// innermost, so that hooks see none either.
func maskedCalls(m *redact.Masker, between []agent.Middleware) []agent.Middleware {
	mask := func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			result, err := next(ctx, inv)
			result.Text, result.Shown = m.Text(result.Text), m.Text(result.Shown)
			for i := range result.Messages {
				result.Messages[i].Text = m.Text(result.Messages[i].Text)
			}
			if err != nil && m.Text(err.Error()) != err.Error() {
				err = &maskedError{m.Text(err.Error()), err}
			}
			return result, err
		}
	}
	return slices.Concat([]agent.Middleware{mask}, between, []agent.Middleware{mask})
}

type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }
