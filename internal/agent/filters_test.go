package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// describeMessages returns the messages of a conversation, each with its source and
// provider.
func describeMessages(messages []agent.Message) (out []string) {
	for _, m := range messages {
		out = append(out, string(m.Source)+m.Provider+":"+m.Text)
	}
	return out
}

// filtered is a provider whose creator chooses what it works with.
type filtered struct {
	agent.Filters
	provider
}

// TestFilters: without filters a provider is given the user's messages, and of the
// response those of the model and its tools, not those of other providers; with filters
// it is given what they choose.
func TestFilters(t *testing.T) {
	past := &loader{provider{name: "past", context: agent.Context{Messages: []agent.Message{{Role: agent.User, Source: agent.FromHistory, Text: "before"}}}}}
	fact := &provider{name: "fact", context: agent.Context{Messages: []agent.Message{{Role: agent.User, Text: "it rains"}}}}
	got := map[string][]string{}
	watch := func(name string, f agent.Filters) *filtered {
		return &filtered{f, provider{
			name:     name,
			invoking: func(in *agent.Invoking) error { got[name+" input"] = describeMessages(in.Input); return nil },
			invoked: func(_ context.Context, out *agent.Invoked) error {
				got[name+" request"], got[name+" response"], got[name+" all"] = describeMessages(out.Request), describeMessages(out.Response), describeMessages(out.All)
				return nil
			},
		}}
	}
	server := openaitest.New(t, openaitest.Do(call("a", "f", "{}")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = append(tools(echo("f")), past, fact, watch("plain", agent.Filters{}), watch("own", agent.Filters{
			Input: func(m agent.Message) bool { return m.Source != agent.FromContext },
			Store: func(m agent.Message) bool { return m.Provider == "fact" },
		}))
	})
	if _, err := s.run(t, "hi"); err != nil {
		t.Fatal(err)
	}
	response := []string{"model:", "tool:f{}", "model:ok"}
	all := append([]string{"history:before", "user:hi", "contextfact:it rains"}, response...)
	for name, want := range map[string][]string{
		"plain input": {"user:hi"}, "plain request": {"user:hi"}, "plain response": response, "plain all": all,
		"own input": {"history:before", "user:hi"}, "own request": {"contextfact:it rains"}, "own response": response, "own all": all,
	} {
		if !slices.Equal(got[name], want) {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

// TestReplace: a provider that replaces changes what the agent and earlier providers
// contributed, keeps where messages come from, and ends the updates of those providers;
// later ones add to what it returned.
func TestReplace(t *testing.T) {
	past := &loader{provider{name: "past", context: agent.Context{Messages: []agent.Message{{Role: agent.User, Source: agent.FromHistory, Text: "my key is 123"}}}}}
	first := &provider{name: "first", context: agent.Context{
		Instructions: "rules of first", Tools: []agent.Tool{echo("f"), echo("g")}, Messages: []agent.Message{{Role: agent.User, Text: "from first"}},
		Refresh: func(context.Context) (*agent.Update, error) { return nil, errors.New("it was asked for updates") },
	}}
	editor := &editing{name: "editor"}
	last := &provider{name: "last", context: agent.Context{Instructions: "rules of last", Tools: []agent.Tool{echo("h")}}}
	server := openaitest.New(t, openaitest.Do(call("a", "g", "{}")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Instructions = "base"
		c.Providers = []agent.ContextProvider{past, first, editor, last}
	})
	result, err := s.run(t, "hi")
	if err != nil {
		t.Fatal(err)
	}
	request := server.Requests()[1]
	if got := request.Messages[0].Text; got != "BASE\n\nRULES OF FIRST\n\nrules of last" {
		t.Errorf("instructions: got %q", got)
	}
	if len(request.Tools) != 2 || request.Tools[0].Name != "g" || request.Tools[1].Name != "h" {
		t.Errorf("tools: got %+v", request.Tools)
	}
	want := []string{"history:my key is ***", "user:hi", "contextfirst:from first", "contexteditor:edited", "model:", "tool:g{}", "model:ok"}
	if got := describeMessages(result.Messages); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// editing is a provider that changes what it is shown.
type editing struct{ name string }

func (e *editing) Name() string { return e.name }

func (e *editing) Invoking(_ context.Context, in *agent.Invoking) (agent.Context, error) {
	c := in.Context
	c.Replace, c.Instructions, c.Tools = true, strings.ToUpper(c.Instructions), c.Tools[1:]
	for i := range c.Messages {
		c.Messages[i].Text = strings.ReplaceAll(c.Messages[i].Text, "123", "***")
	}
	c.Messages = append(c.Messages, agent.Message{Role: agent.User, Text: "edited"})
	return c, nil
}

func (*editing) Invoked(context.Context, *agent.Invoked) error { return nil }
