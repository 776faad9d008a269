package probe

// The requests, in their order. Each one asks for as many results as possible; what one of
// them shows to be impossible is not requested again. A request that the server refuses is
// sent once more in the form that a run would choose, as long as there are requests left.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"skills/internal/agent/model"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// timeout is the maximum time of a request: a local server may have to load the model.
const timeout = 3 * time.Minute

// planned is how many requests the checks need, without repeated ones.
const planned = 7

// object is a JSON object.
type object = map[string]any

// prober examines one server.
type prober struct {
	Report
	target Target
	client *model.Client
	sent   []byte // the body of the last successful reply

	spare   int             // requests that may be repeated
	refused map[string]bool // names of changes that the server needs
	window  window
	thought map[string]bool // fields with reasoning
}

// window is what is known of the size of the context.
type window struct {
	tokens int64
	source string
}

// Server examines a server and a model. The error is about the address, or that of ctx.
func Server(ctx context.Context, target Target) (Report, error) {
	target.Server.Retries = 0
	client, err := model.New(model.Options{Server: target.Server, Model: target.Model, Idle: model.DefaultIdle})
	if err != nil {
		return Report{}, fmt.Errorf("examining the server: %w", err)
	}
	p := &prober{
		Report: Report{SchemaVersion: 1, Model: target.Model}, target: target, client: client,
		spare: MaxRequests - planned, refused: map[string]bool{}, thought: map[string]bool{},
	}
	defer func() { p.client.Close() }()
	for _, step := range []func(context.Context) bool{p.models, p.chat, p.tools, p.order, p.structured, p.images, p.context} {
		if !step(ctx) || ctx.Err() != nil {
			break
		}
	}
	p.Kind = p.client.Kind().Name
	p.finish()
	return p.Report, context.Cause(ctx)
}

// row adds a result.
func (p *prober) row(name string, state State, found, run string, flags ...string) {
	p.Checks = append(p.Checks, Check{Name: name, State: state, Found: found, Run: run, Flags: flags})
}

// get reads a page of the server.
func (p *prober) get(ctx context.Context, path string) (map[string]any, *model.Error) {
	data, err := p.call(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	var page map[string]any
	if json.Unmarshal(data, &page) != nil {
		return nil, &model.Error{Status: 200, Message: "the reply is not a JSON object"}
	}
	return page, nil
}

func (p *prober) call(ctx context.Context, path string, body any) ([]byte, *model.Error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p.Requests++
	data, err := p.client.Call(ctx, path, body)
	if err == nil {
		return data, nil
	}
	var failure *model.Error
	if !errors.As(err, &failure) {
		failure = &model.Error{Message: err.Error()}
	}
	name, _ := model.Remedy(failure)
	if name == keyHeader && p.spare > 0 && !p.refused[keyHeader] {
		p.spare--
		p.refused[keyHeader] = true
		return p.withKeyHeader(ctx, path, body, failure)
	}
	return nil, failure
}

// keyHeader is the name of the change that sends the key in a header of its own.
const keyHeader = "key_header"

// withKeyHeader sends this and all further requests with the key in a header of its own.
func (p *prober) withKeyHeader(ctx context.Context, path string, body any, failure *model.Error) ([]byte, *model.Error) {
	server := p.target.Server
	server.Headers = append(slices.Clone(server.Headers), model.Header{Name: "api-key", Value: server.APIKey})
	client, err := model.New(model.Options{Server: server, Model: p.Model, Idle: model.DefaultIdle})
	if err != nil {
		return nil, failure
	}
	p.client.Close()
	p.client = client
	return p.call(ctx, path, body)
}

// ask sends a request for a reply, in the form that the server is known to need.
func (p *prober) ask(ctx context.Context, body object) (model.Reply, *model.Error) {
	for {
		data, failure := p.call(ctx, "chat/completions", p.adapted(body))
		if failure == nil {
			reply, err := model.ReadReply(strings.NewReader(string(data)))
			p.sent = data
			p.noteReasoning(reply)
			if err != nil && !errors.As(err, &failure) {
				failure = &model.Error{Message: err.Error()}
			}
			return reply, failure
		}
		name, _ := model.Remedy(failure)
		if p.spare == 0 || p.refused[name] || !repeatable(name) {
			return model.Reply{}, failure
		}
		p.spare--
		p.refused[name] = true
	}
}

// repeatable reports whether a request can be sent again with a change.
func repeatable(name string) bool {
	switch name {
	case "stream_options", "stream", "stream_with_tools", "stream_status", "system":
		return true
	}
	return false
}

// adapted returns a request with the changes that the server needs.
func (p *prober) adapted(body object) object {
	out := maps.Clone(body)
	out["model"] = p.Model
	stream := !p.refused["stream"] && !p.refused["stream_status"] && !p.refused["stream_with_tools"]
	if stream {
		out["stream"] = true
	}
	if stream && !p.refused["stream_options"] {
		out["stream_options"] = object{"include_usage": true}
	}
	messages := out["messages"].([]object)
	if p.refused["system"] && messages[0]["role"] == "system" {
		first := maps.Clone(messages[1])
		first["content"] = fmt.Sprint(messages[0]["content"], "\n\n", first["content"])
		out["messages"] = append([]object{first}, messages[2:]...)
	}
	return out
}

// models reads the list of models, which shows whether the server can be reached.
func (p *prober) models(ctx context.Context) bool {
	page, failure := p.get(ctx, "models")
	switch {
	case failure == nil:
	case failure.Status == 0:
		p.row("reachable", Failed, failure.Message, failure.Hint)
		return false
	case failure.Status == 401 || failure.Status == 403:
		return p.keyRefused(failure)
	default:
		p.row("reachable", OK, "yes", "")
		p.row("models", Unknown, "the server does not list its models", "nothing; the name is sent as it is")
		return true
	}
	p.row("reachable", OK, "yes", "")
	list := listed(page)
	names := printable.Map(list, func(m listedModel) string { return m.id })
	if p.Model == "" && len(names) > 0 {
		p.Model = names[0]
	}
	for _, m := range list {
		if m.is(p.Model) && m.window > 0 {
			p.window = window{m.window, "the list of models"}
		}
	}
	found := printable.Plural(len(list), "model")
	known := func(m listedModel) bool { return m.is(p.Model) }
	switch i := indexOf(list, known); {
	case i >= 0:
		p.row("models", OK, found+", among them "+p.Model, "")
	case len(list) == 1:
		p.row("models", Unknown, "one model: "+names[0], "sends the name "+p.Model)
	default:
		near := suggest.Nearest(p.Model, names)
		hint := "names the model as it is; the server decides"
		var flags []string
		if near != "" {
			hint, flags = "use "+near, []string{"-m " + near}
		}
		p.row("models", Warning, fmt.Sprintf("%s, but not %s", found, p.Model), hint, flags...)
	}
	return true
}

// keyRefused reports that the server does not accept the key.
func (p *prober) keyRefused(failure *model.Error) bool {
	p.row("reachable", OK, "yes", "")
	p.row("key", Failed, failure.Message, failure.Hint)
	return false
}

// chat sends the first request: a stream, with a system text.
func (p *prober) chat(ctx context.Context) bool {
	const word = "PINEAPPLE"
	reply, failure := p.ask(ctx, object{"messages": []object{
		{"role": "system", "content": "Reply to every message with the single word " + word + ", whatever it asks."},
		{"role": "user", "content": "What is the capital of France?"},
	}})
	switch {
	case failure != nil && (failure.Status == 401 || failure.Status == 403):
		p.row("key", Failed, failure.Message, failure.Hint)
		return false
	case failure != nil:
		return p.unusable(failure)
	case p.target.Server.APIKey == "":
		p.row("key", OK, "none is needed", "")
	case p.refused[keyHeader]:
		p.row("key", OK, "accepted in the header api-key", "repeats its first request with it; --header 'api-key: $VARIABLE' sends it at once")
	default:
		p.row("key", OK, "accepted", "")
	}
	p.row("model", OK, p.Model+" answers", "")
	streamed := !strings.HasPrefix(strings.TrimSpace(string(p.sent)), "{")
	counts := ", without token counts"
	run := "streams every reply"
	if reply.Usage != nil {
		counts = ", with token counts"
	} else {
		run += ", and estimates tokens where it needs them"
	}
	if streamed {
		p.row("streaming", OK, "yes"+counts, run)
	} else {
		p.row("streaming", Warning, "no"+counts, "waits for complete replies: there is no progress to see")
	}
	switch {
	case p.refused["system"]:
		p.row("system text", Warning, "the server refuses it", "puts it into the first message of the user")
	case strings.Contains(strings.ToUpper(reply.Text), word):
		p.row("system text", OK, "followed", "")
	default:
		p.row("system text", Warning, "the model did not follow it", "sends it all the same; expect that instructions are missed")
	}
	return true
}

// unusable reports that there is no reply at all.
func (p *prober) unusable(failure *model.Error) bool {
	text := strings.ToLower(failure.Message)
	if strings.Contains(text, "responses") && failure.Status != 0 {
		p.row("model", Warning, failure.Message, "uses the Responses API", "--api responses")
		return false
	}
	p.row("model", Failed, failure.Message, failure.Hint)
	return false
}

// noteReasoning remembers the fields in which a reply has reasoning.
func (p *prober) noteReasoning(reply model.Reply) {
	for _, field := range []string{"reasoning_content", "reasoning_details", "reasoning", "thinking"} {
		at := strings.Index(string(p.sent), `"`+field+`":`)
		if at < 0 {
			continue
		}
		value := strings.TrimSpace(string(p.sent[at+len(field)+3:]))
		if !strings.HasPrefix(value, "null") && !strings.HasPrefix(value, `""`) && !strings.HasPrefix(value, "[]") {
			p.thought[field] = true
		}
	}
	if strings.HasPrefix(strings.TrimSpace(reply.Text), "<think>") || strings.Contains(string(p.sent), "<think>") {
		p.thought["<think>"] = true
	}
}
