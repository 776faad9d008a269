package runner

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/lint/config"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/transcript"
)

// ReadKeys finds the keys that output must not contain, in the environment and the file
// of variables, and passes a masker to Env.Masked.
func (r *Runner) ReadKeys(ctx context.Context) {
	file := r.readEnv(ctx).vars
	var values []redact.Value
	add := func(name, value string) {
		if name == r.KeyEnv || redact.Holds(name, value) {
			for _, part := range redact.Parts(value) {
				values = append(values, redact.Value{Name: name, Text: part})
			}
		}
		values = append(values, inAddress(name, value)...)
	}
	for _, entry := range r.Environ {
		name, value, _ := strings.Cut(entry, "=")
		add(name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		add(name, file[name])
	}
	values = append(values, inAddress("--base-url", r.BaseURL)...)
	_, user, _ := r.userConfig() // its error is reported later
	for _, text := range slices.Concat(r.MCP, printable.Map(user.MCP, func(m config.Entry) string { return m.Text })) {
		if i := strings.Index(text, "http"); i >= 0 {
			values = append(values, inAddress("--mcp", text[i:])...)
		}
	}
	slices.SortStableFunc(values, func(a, b redact.Value) int { return cmp.Compare(a.Name, b.Name) })
	r.mask = redact.New(values)
	r.Masked(r.mask)
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
			result.Text = m.Text(result.Text)
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

// maskedPrinter wraps a printer that writes through a mask. It joins the pieces of
// streamed text first, because each is a line in JSON Lines.
type maskedPrinter struct {
	transcript.Printer
	deltas  *redact.Stream
	writers []*redact.Writer
}

// Event implements [transcript.Printer].
func (p *maskedPrinter) Event(e agent.Event) error {
	if delta, ok := e.(agent.MessageDelta); ok {
		return p.delta(p.deltas.Next(delta.Text))
	}
	if err := p.delta(p.deltas.Rest()); err != nil {
		return err
	}
	return p.Printer.Event(e)
}

func (p *maskedPrinter) delta(text string) error {
	if text == "" {
		return nil
	}
	return p.Printer.Event(agent.MessageDelta{Text: text})
}

// Finish implements [transcript.Printer].
func (p *maskedPrinter) Finish(r transcript.Result) error {
	err := p.delta(p.deltas.Rest())
	if err == nil {
		err = p.Printer.Finish(r)
	}
	for _, w := range p.writers {
		err = cmp.Or(err, w.Close())
	}
	return err
}

// masked returns a request for approval without keys.
func masked(req skills.Request, mask func(string) string) skills.Request {
	source := req.Source
	req.Source = func() (string, error) {
		text, err := source()
		return mask(text), err
	}
	for _, text := range []*string{&req.Skill, &req.Script, &req.Dir, &req.AllowedTools} {
		*text = mask(*text)
	}
	req.Arguments = []byte(mask(string(req.Arguments)))
	for _, list := range []*[]string{&req.Command, &req.Args, &req.NotEnforced, &req.Unseen} {
		*list = printable.Map(*list, mask)
	}
	return req
}
