package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

const list = `{"object":"list","data":[{"id":"m"},{"id":"gpt-5-mini","context_length":400000},{"id":"embed"}]}`

// profile returns the profile of a name.
func profile(t *testing.T, name string) openaitest.Profile {
	t.Helper()
	for _, p := range openaitest.Profiles() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no profile %s", name)
	return openaitest.Profile{}
}

func temperatureOf(id, city string) openaitest.Call {
	return openaitest.Call{ID: id, Name: temperature, Arguments: `{"city":"` + city + `"}`}
}

// able are the replies of a model that can do everything.
func able() []openaitest.Reply {
	usage := &openaitest.Usage{Input: 30, Output: 3}
	return []openaitest.Reply{
		{Text: "PINEAPPLE", Usage: usage}, openaitest.Do(temperatureOf("a", "Paris"), temperatureOf("b", "Rome")),
		openaitest.Text("21"), openaitest.Text(`{"sum": 5}`), openaitest.Text("Red."),
	}
}

// replies returns those of an able model with some of them replaced.
func replies(with map[int]openaitest.Reply) []openaitest.Reply {
	out := able()
	for i, reply := range with {
		out[i] = reply
	}
	return out
}

// TestServer checks the results for servers and models of different abilities. A row of
// wanted is a name, a state, and a part of what was found and of what a run does.
func TestServer(t *testing.T) {
	refusal := func(text string) openaitest.Reply { return openaitest.Reply{Status: 400, Text: text} }
	over := refusal("This model's maximum context length is 32768 tokens. However, you requested 100000000 tokens.")
	for _, test := range []struct {
		name    string
		model   string // default gpt-5-mini
		profile string
		pages   map[string]string
		replies []openaitest.Reply
		key     string
		want    []string
		flags   string
		failed  bool
	}{
		{name: "able", replies: able(), want: []string{
			"reachable ok yes", "models ok 3 models, among them gpt-5-mini", "key ok none is needed", "model ok gpt-5-mini answers",
			"streaming ok yes, with token counts", "system text ok followed", "tool calls ok yes", "several at once ok yes",
			"order of messages ok any", "structured output ok yes", "images ok yes", "reasoning ok none seen",
			"context ok 400,000 tokens, from the list of models",
		}, flags: "--context-window 400000"},
		{name: "with a key", key: "sk-test", replies: able(), want: []string{"key ok accepted"}, flags: "--context-window 400000"},
		{name: "no list", pages: map[string]string{}, replies: append(able(), over), want: []string{
			"reachable ok yes", "models unknown does not list its models", "context ok 32,768 tokens, from a refused request",
		}, flags: "--context-window 32768"},
		{name: "misspelled model", model: "gpt5-mini", replies: append(able(), openaitest.Text("yes")), want: []string{
			"models warning 3 models, but not gpt5-mini", "use gpt-5-mini", "context unknown the server does not say",
		}, flags: "-m gpt-5-mini"},
		{name: "unknown model", model: "gpt5-mini", replies: []openaitest.Reply{{Status: 404, Text: "The model `gpt5-mini` does not exist"}}, want: []string{
			"model failed model \"gpt5-mini\" is not known",
		}, flags: "-m gpt-5-mini", failed: true},
		{name: "first model", model: "-", replies: append(able(), openaitest.Text("yes")), want: []string{"models ok 3 models, among them m"}},
		{name: "weak model", replies: replies(map[int]openaitest.Reply{
			0: {Text: "Paris", Quirks: openaitest.Quirks{JSONForStream: true}}, 1: openaitest.Text("I would call a tool."), 3: openaitest.Text("5"), 4: refusal("image input is not supported"),
		}), want: []string{
			"streaming warning no, without token counts", "system text warning did not follow", "tool calls warning the model made none",
			"structured output warning the schema is ignored", "images ok no",
		}, flags: "--tool-calls json --context-window 400000"},
		{name: "calls as text", replies: replies(map[int]openaitest.Reply{
			1: openaitest.Text("<tool_call>\n{\"name\": \"get_temperature\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>"),
		}), want: []string{"tool calls warning writes them as text", "several at once ok no, one a reply"}, flags: "--tool-calls json --context-window 400000"},
		{name: "wrong arguments", replies: replies(map[int]openaitest.Reply{1: openaitest.Do(openaitest.Call{ID: "a", Name: temperature, Arguments: `{"town":1}`})}), want: []string{
			"tool calls warning 1 of 1 call have a wrong name",
		}, flags: "--context-window 400000"},
		{name: "no tools", replies: replies(map[int]openaitest.Reply{1: refusal("m does not support tools")}), want: []string{
			"tool calls warning", "cannot call tools", "has the model write them as JSON",
		}, flags: "--tool-calls json --context-window 400000"},
		{name: "tools left out", replies: replies(map[int]openaitest.Reply{1: {Text: "It is mild there.", Usage: &openaitest.Usage{Input: 48, Output: 5}}}), want: []string{
			"tool calls warning the server or its chat template leaves the tools out: it counts 48 tokens", "has the model write them as JSON",
		}, flags: "--tool-calls json --context-window 400000"},
		{name: "tools not called", replies: replies(map[int]openaitest.Reply{1: {Text: "It is mild there.", Usage: &openaitest.Usage{Input: 140, Output: 5}}}), want: []string{
			"tool calls warning the model made none",
		}, flags: "--tool-calls json --context-window 400000"},
		{name: "reasoning", replies: replies(map[int]openaitest.Reply{0: {Text: "PINEAPPLE", Reasoning: "It wants one word."}}), want: []string{
			"reasoning ok reasoning_content",
		}, flags: "--context-window 400000"},
		{name: "small context", pages: map[string]string{"/v1/models": `{"data":[{"id":"gpt-5-mini","max_model_len":4096}]}`}, replies: able(), want: []string{
			"context warning 4,096 tokens", "has little room for skills; give the model a context of at least 32768 tokens",
		}, flags: "--context-window 4096"},
		{name: "llama.cpp", pages: map[string]string{
			"/v1/models": `{"data":[{"id":"x.gguf","meta":{"n_ctx_train":32768}}]}`, "/props": `{"default_generation_settings":{"n_ctx":16384}}`,
		}, replies: replies(map[int]openaitest.Reply{4: {Text: "Red", Headers: map[string]string{"Server": "llama.cpp"}}}), want: []string{
			"models unknown one model: x.gguf", "context ok 16,384 tokens, from /props",
		}, flags: "--context-window 16384"},
		{name: "alternating", profile: "alternating", replies: slices.Delete(able(), 2, 3), want: []string{
			"order of messages ok no message of the user after a result",
		}, flags: "--context-window 400000"},
		{name: "no system text", profile: "no-system", replies: able(), want: []string{"system text warning the server refuses it"}, flags: "--context-window 400000"},
		{name: "no stream options", profile: "no-stream-options", replies: able(), want: []string{"streaming ok yes, without token counts"}, flags: "--context-window 400000"},
		{name: "responses only", profile: "responses-only", want: []string{"model warning", "uses the Responses API"}, flags: "--api responses"},
		{name: "azure", profile: "azure", key: "sk-test", pages: map[string]string{}, replies: append(able(), over), want: []string{"key ok accepted in the header api-key"}, flags: "--context-window 32768"},
		{name: "html", pages: map[string]string{"/v1/models": "<html>"}, replies: []openaitest.Reply{{Body: "<html>login</html>"}}, want: []string{"model failed it sent an HTML page"}, failed: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, test.replies...)
			if test.profile != "" {
				server.Serve(profile(t, test.profile))
			}
			if test.pages == nil {
				test.pages = map[string]string{"/v1/models": list}
			}
			server.Pages(test.pages)
			target := Target{Server: agent.Server{BaseURL: server.URL, APIKey: test.key}, Model: "gpt-5-mini"}
			if test.model != "" {
				target.Model = strings.TrimPrefix(test.model, "-")
			}
			report, err := Server(t.Context(), target)
			if err != nil || report.OK == test.failed || report.Requests > MaxRequests || report.Requests < 2 {
				t.Errorf("got %+v, %v", report, err)
			}
			text := ""
			for _, c := range report.Checks {
				text += fmt.Sprintf("%s %s %s\n%s\n", c.Name, c.State, c.Found, c.Run)
				if c.Flags == nil {
					t.Errorf("%s: flags are null in JSON", c.Name)
				}
			}
			for _, want := range test.want {
				words := strings.SplitN(want, " ", 2)
				if !strings.Contains(text, want) && !matches(report.Checks, words[0], want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if got := strings.Join(report.Flags, " "); got != test.flags {
				t.Errorf("flags %q, want %q", got, test.flags)
			}
		})
	}
}

// matches reports whether a check has the name and the state of a wanted row, and what it
// found contains the rest.
func matches(checks []Check, _, want string) bool {
	return slices.ContainsFunc(checks, func(c Check) bool {
		rest, found := strings.CutPrefix(want, c.Name+" "+string(c.State))
		return found && strings.Contains(c.Found, strings.TrimSpace(rest))
	})
}

// TestUnreachable checks the results without a server, and with a wrong key.
func TestUnreachable(t *testing.T) {
	closed := openaitest.Start()
	closed.Close()
	report, err := Server(t.Context(), Target{Server: agent.Server{BaseURL: closed.URL}, Model: "m"})
	if err != nil || report.OK || len(report.Checks) != 1 || report.Requests != 1 || !strings.Contains(report.Checks[0].Found, "connection refused") {
		t.Errorf("got %+v, %v", report, err)
	}
	server := openaitest.New(t)
	server.RequireKey("sk-right")
	server.Pages(map[string]string{"/v1/models": list})
	report, err = Server(t.Context(), Target{Server: agent.Server{BaseURL: server.URL, APIKey: "sk-wrong-key"}, Model: "m"})
	if err != nil || report.OK || len(report.Checks) != 2 || !strings.Contains(report.Checks[1].Found, "rejected the API key") {
		t.Errorf("got %+v, %v", report, err)
	}
	if strings.Contains(fmt.Sprint(report), "sk-wrong") {
		t.Errorf("the report has the key: %+v", report)
	}
	if _, err := Server(t.Context(), Target{Server: agent.Server{BaseURL: "ftp://x"}}); err == nil {
		t.Error("a wrong address is no error")
	}
}
