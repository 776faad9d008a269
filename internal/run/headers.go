package run

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/lazyregexp"
	"skills/internal/lint/config"
	"skills/internal/redact"
)

// hiddenValue is shown instead of a header's value.
const hiddenValue = "[masked]"

// parseHeader splits NAME: VALUE of --header. Errors do not contain the value, which may
// be a key.
func parseHeader(text string) (name, value string, err error) {
	const form = "write it as --header 'NAME: VALUE'"
	name, value, found := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if !found {
		if first, _, spaced := strings.Cut(name, " "); spaced || strings.Contains(name, "=") {
			return "", "", fault.Usage(form, "--header: no colon after the name")
		} else if why, hint := config.CheckHeader(first, "x"); why != "" {
			return "", "", fault.Usage(hint, "--header: %s", why)
		}
		return "", "", fault.Usage(form, "--header %s: the header has no value", name)
	}
	why, hint := config.CheckHeader(name, value)
	if why != "" {
		return "", "", fault.Usage(hint, "--header: %s", why)
	}
	return name, strings.TrimSpace(value), nil
}

// headerVariable matches a variable in the value of a header, and $$, which is a dollar.
var headerVariable = lazyregexp.New(`\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// expand replaces the variables in the value of a header by those of the environment. A
// file of variables may come from a repository, so it is not asked. missing is the first
// variable that is not set.
func expand(env Env, value string) (out, missing string) {
	out = headerVariable().ReplaceAllStringFunc(value, func(match string) string {
		name := strings.Trim(match, "${}")
		if match == "$$" {
			return "$"
		}
		text := env.Getenv(name)
		if text == "" && missing == "" {
			missing = name
		}
		return text
	})
	return out, missing
}

// headersOf returns the headers of a server of the user's own configuration and of
// --header, which replaces one of the same name there.
func headersOf(env Env, path string, configured []config.Entry, flags []string) (all []agent.Header, err error) {
	add := func(name, text string) (missing string) {
		value, missing := expand(env, text)
		all = slices.DeleteFunc(all, func(h agent.Header) bool { return strings.EqualFold(h.Name, name) })
		all = append(all, agent.Header{Name: name, Value: value})
		return missing
	}
	for _, entry := range configured {
		missing := add(entry.Name, entry.Text)
		if missing != "" {
			err := fmt.Errorf("the header %s: the environment variable %s is not set", entry.Name, missing)
			return nil, fault.AsUsage(entry.Wrong(path, "set it in the environment", err))
		}
	}
	for _, text := range flags {
		name, value, err := parseHeader(text)
		if err != nil {
			return nil, err
		}
		missing := add(name, value)
		if missing != "" {
			return nil, fault.Usage("set it, or write $$ for a dollar", "--header %s: the environment variable %s is not set", name, missing)
		}
	}
	for _, h := range all {
		why, hint := config.CheckHeader(h.Name, h.Value)
		if why != "" {
			return nil, fault.Usage(hint+"; $VARIABLE is read from the environment", "%s", why)
		}
	}
	return all, nil
}

// hiddenHeaders returns headers for display.
func hiddenHeaders(headers []agent.Header) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, h := range headers {
		out[h.Name] = hiddenValue
	}
	return out
}

// secretHeaders returns the values of headers that output must not contain: those of
// --header and of all servers of the user's own configuration.
func secretHeaders(env Env, o ServerOptions, user config.User) (values []redact.Value) {
	add := func(name, text string) {
		value, _ := expand(env, text)
		for _, part := range redact.Parts(value) {
			values = append(values, redact.Value{Name: "header " + name, Text: part})
		}
		for _, match := range headerVariable().FindAllString(text, -1) {
			value := env.Getenv(strings.Trim(match, "${}"))
			values = append(values, redact.Value{Name: "header " + name, Text: value})
		}
	}
	for _, text := range o.Headers {
		name, value, err := parseHeader(text)
		if err == nil {
			add(name, value)
		}
	}
	for _, s := range user.Servers {
		for _, entry := range s.Headers {
			add(entry.Name, entry.Text)
		}
	}
	if o.Found != nil {
		for _, h := range o.Found.headers {
			for _, part := range redact.Parts(h.Value) {
				values = append(values, redact.Value{Name: "header " + h.Name, Text: part})
			}
		}
		values = append(values, redact.Value{Name: o.Found.KeyVariable, Text: o.Found.key})
	}
	return values
}

// HeaderNames are headers that servers and gateways usually want, for completion.
func HeaderNames() []string {
	return []string{"Authorization:", "api-key:", "x-api-key:", "Ocp-Apim-Subscription-Key:", "HTTP-Referer:", "X-Title:"}
}

// APIs are the values of --api.
func APIs() []string { return config.APIs() }
