package probe

// What the model can do besides answering: each check is one request, whose prompt has only
// one right reaction.

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
	"skills/internal/printable"
	"skills/internal/spec/tokens"
)

// temperature is the tool that the model is asked to call.
const temperature = "get_temperature"

func temperatureTool() []object {
	return []object{{"type": "function", "function": object{
		"name": temperature, "description": "Returns the temperature in a city.",
		"parameters": object{
			"type": "object", "required": []string{"city"},
			"properties": object{"city": object{"type": "string", "description": "name of the city"}},
		},
	}}}
}

func said(role, text string) object { return object{"role": role, "content": text} }

// remedied returns what a run does after a refusal.
func remedied(failure *model.Error, otherwise string) string {
	_, change := model.Remedy(failure)
	if change != "" {
		return "repeats the request " + change
	}
	return otherwise
}

// jsonCalls is the flag for models without reliable tool calls.
const jsonCalls = "--tool-calls json"

// tools asks for two calls in one reply.
func (p *prober) tools(ctx context.Context) bool {
	messages := []object{
		said("system", "Use your tools to answer."),
		said("user", "What is the temperature in Paris and in Rome? Call "+temperature+" twice in one reply, once for each city."),
	}
	reply, failure := p.ask(ctx, object{"tools": temperatureTool(), "messages": messages})
	switch {
	case failure != nil && failure.RefusesTools():
		p.row("tool calls", Warning, failure.Message, "has the model write them as JSON", jsonCalls)
		return true
	case failure != nil:
		p.row("tool calls", Failed, failure.Message, remedied(failure, "cannot work without them: choose another model with -m"))
		return true
	}
	valid := 0
	for _, call := range reply.Calls {
		var arguments struct{ City string }
		if call.Name == temperature && json.Unmarshal([]byte(call.Arguments), &arguments) == nil && arguments.City != "" {
			valid++
		}
	}
	asText, _ := textcalls.Read(reply.Text, textcalls.Tools{{Name: temperature, Required: []string{"city"}}})
	switch n := len(reply.Calls); {
	case n > valid:
		p.row("tool calls", Warning, fmt.Sprintf("%d of %s have a wrong name or wrong arguments", n-valid, printable.Plural(n, "call")), "tells the model what is wrong")
	case n > 0:
		p.row("tool calls", OK, "yes", "")
	case len(asText) > 0:
		p.row("tool calls", Warning, "the model writes them as text", "reads them, then has the model write them as JSON", jsonCalls)
	case isWithout(reply, messages):
		p.row("tool calls", Warning, "the server or its chat template leaves the tools out: it counts "+printable.Plural(int(reply.Usage.InputTokens), "token"),
			"has the model write them as JSON", jsonCalls)
	default:
		p.row("tool calls", Warning, "the model made none", "works better if it writes them as JSON, or with another model (-m)", jsonCalls)
	}
	switch n := max(len(reply.Calls), len(asText)); {
	case n > 1:
		p.row("several at once", OK, "yes", "")
	case n == 1:
		p.row("several at once", OK, "no, one a reply", "needs more turns")
	}
	return true
}

// isWithout reports whether the tokens that a server counts are those of the messages alone.
// Tools take about as many again, and templates add their own words to them.
func isWithout(reply model.Reply, messages []object) bool {
	const perMessage, most = 8, 1.2 // tokens of a template, and how far the estimate is too low
	n := 0
	for _, m := range messages {
		text, _ := m["content"].(string)
		n += tokens.Estimate(text) + perMessage
	}
	return reply.Usage != nil && len(reply.Calls) == 0 && reply.Usage.InputTokens+reply.Usage.CachedTokens <= int64(most*float64(n))
}

// order sends a message of the user after the result of a call.
func (p *prober) order(ctx context.Context) bool {
	call := object{"id": "call00001", "type": "function", "function": object{"name": temperature, "arguments": `{"city":"Paris"}`}}
	_, failure := p.ask(ctx, object{"tools": temperatureTool(), "messages": []object{
		said("system", "Use your tools to answer."),
		said("user", "What is the temperature in Paris?"),
		{"role": "assistant", "content": "", "tool_calls": []object{call}},
		{"role": "tool", "tool_call_id": "call00001", "content": "21 degrees"},
		said("user", "Answer with the number only."),
	}})
	switch {
	case failure == nil:
		p.row("order of messages", OK, "any", "")
	case contains(failure.Message, "role", "alternat", "order", "user message", "jinja", "template"):
		p.row("order of messages", OK, "no message of the user after a result", "never sends one there: texts of its own are part of the result")
	default:
		p.row("order of messages", Warning, failure.Message, remedied(failure, "sends calls with their results only, which may be accepted"))
	}
	return true
}

// structured asks for an answer that matches a schema.
func (p *prober) structured(ctx context.Context) bool {
	schema := object{
		"type": "object", "required": []string{"sum"}, "additionalProperties": false,
		"properties": object{"sum": object{"type": "integer", "description": "the sum"}},
	}
	reply, failure := p.ask(ctx, object{
		"messages":        []object{said("user", "What is 2 + 3?")},
		"response_format": object{"type": "json_schema", "json_schema": object{"name": "answer", "schema": schema}},
	})
	var answer struct{ Sum *int }
	switch {
	case failure != nil:
		p.row("structured output", Warning, failure.Message, remedied(failure, "--json-schema fails with this server"))
	case json.Unmarshal([]byte(strings.TrimSpace(reply.Text)), &answer) == nil && answer.Sum != nil:
		p.row("structured output", OK, "yes", "")
	default:
		p.row("structured output", Warning, "the schema is ignored", "checks the answer of --json-schema, and asks once more")
	}
	return true
}

// images sends a picture that is all red.
func (p *prober) images(ctx context.Context) bool {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{R: 220, A: 255}), image.Point{}, draw.Src)
	var data bytes.Buffer
	_ = png.Encode(&data, picture) // to memory
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(data.Bytes())
	reply, failure := p.ask(ctx, object{"messages": []object{{"role": "user", "content": []object{
		{"type": "text", "text": "Which colour is this picture? Answer with one word."},
		{"type": "image_url", "image_url": object{"url": url}},
	}}}})
	switch {
	case failure != nil:
		p.row("images", OK, "no", "fails with --image")
	case contains(reply.Text, "red", "crimson", "scarlet", "rouge", "rot", "rojo", "红"):
		p.row("images", OK, "yes", "")
	default:
		p.row("images", Unknown, "accepted, but the model did not name the colour", "sends them with --image")
	}
	found := "none seen"
	if len(p.thought) > 0 {
		found = strings.Join(slices.Sorted(maps.Keys(p.thought)), ", ")
	}
	p.row("reasoning", OK, found, "keeps it apart from the answer, and sends it back")
	return true
}

// context finds out the size of the context: from the list of models, from a page of this
// kind of server, or from the refusal of a reply that is too long for it.
func (p *prober) context(ctx context.Context) bool {
	kind := p.client.Kind()
	if p.window.tokens == 0 {
		switch kind.Name {
		case "llama.cpp":
			p.page(ctx, "/props", func(m map[string]any) int64 { return number(m["n_ctx"]) })
		case "Ollama":
			p.page(ctx, "/api/ps", func(m map[string]any) int64 {
				name, _ := m["name"].(string)
				if (listedModel{id: name}).is(p.Model) {
					return number(m["context_length"])
				}
				return 0
			})
		case "LM Studio":
			p.page(ctx, "/api/v0/models/"+p.Model, windowIn)
		default:
			_, failure := p.ask(ctx, object{"messages": []object{said("user", "Say yes.")}, "max_tokens": 100_000_000})
			if failure != nil {
				p.window = window{model.RefusedWindow(failure), "a refused request"}
			}
		}
	}
	known := model.Window(p.Model)
	if p.target.Window > 0 {
		known = p.target.Window
	}
	const small = 8192
	n := p.window.tokens
	size := printable.Grouped(n) + " tokens, from " + p.window.source
	var flags []string
	if n != known {
		flags = []string{fmt.Sprintf("--context-window %d", n)}
	}
	switch {
	case n == 0 && known > 0:
		p.row("context", OK, printable.Grouped(known)+" tokens, by its name or the configuration", "removes old results before it is full")
		n = known
	case n == 0:
		p.row("context", Unknown, "the server does not say", "sends everything until the server refuses it; --context-window N sets the size")
	case n < small:
		p.row("context", Warning, size, "has little room for skills; "+kind.Setting(4*small), flags...)
	default:
		p.row("context", OK, size, "removes old results before it is full", flags...)
	}
	p.Window = n
	return true
}

// page reads the size of the context from a page of the server.
func (p *prober) page(ctx context.Context, path string, size func(map[string]any) int64) {
	page, failure := p.get(ctx, path)
	if failure != nil {
		return
	}
	found := find(page, func(m map[string]any) bool { return size(m) > 0 })
	if found != nil {
		p.window = window{size(found), path}
	}
}
