package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestProviders(t *testing.T) {
	var log []string
	first := &provider{
		name:    "first",
		context: agent.Context{Instructions: "rules of first", Messages: []agent.Message{{Role: agent.User, Source: agent.FromUser, Text: "from first"}}, Tools: []agent.Tool{echo("f"), echo("twice")}},
		invoking: func(in *agent.Invoking) error {
			log = append(log, "invoking first")
			if in.Context.Instructions != "base" || len(in.Input) != 1 || in.Input[0].Source != agent.FromUser {
				t.Errorf("first: invoking with %+v", in)
			}
			return nil
		},
		invoked: func(_ context.Context, out *agent.Invoked) error {
			log = append(log, "invoked first")
			if len(out.Request) != 1 || out.Request[0].Text != "hi" || out.Err != nil {
				t.Errorf("first: invoked with %+v", out)
			}
			if len(out.Response) != 1 || out.Response[0].Text != "ok" || len(out.All) != 3 || out.All[1].Provider != "first" {
				t.Errorf("first: invoked with the response %+v of %+v", out.Response, out.All)
			}
			return nil
		},
	}
	second := &provider{
		name:    "second",
		context: agent.Context{Instructions: "rules of second", Tools: []agent.Tool{echo("twice"), echo("g")}},
		invoking: func(in *agent.Invoking) error {
			log = append(log, "invoking second")
			if in.Context.Instructions != "base\n\nrules of first" || len(in.Context.Messages) != 1 || len(in.Context.Tools) != 2 {
				t.Errorf("second: invoking with %+v", in.Context)
			}
			return nil
		},
		invoked: func(context.Context, *agent.Invoked) error { log = append(log, "invoked second"); return nil },
	}
	server := openaitest.New(t, openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Instructions = "base"
		c.Providers = []agent.ContextProvider{first, &provider{name: "silent"}, second}
	})
	result, err := s.run(t, "hi")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"invoking first", "invoking second", "invoked second", "invoked first"}; !slices.Equal(log, want) {
		t.Errorf("order: got %q, want %q", log, want)
	}
	request := server.Requests()[0]
	if got := request.Messages[0].Text; got != "base\n\nrules of first\n\nrules of second" {
		t.Errorf("instructions: got %q", got)
	}
	if len(request.Messages) != 2 || request.Messages[1].Text != "hi"+inContext("from first") {
		t.Errorf("messages: got %+v", request.Messages)
	}
	var names []string
	for _, tool := range request.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"f", "twice", "g"}) {
		t.Errorf("tools: got %v", names)
	}
	if w := eventsOf[agent.WarningEvent](s); len(w) != 1 || !strings.Contains(w[0].Message, `"twice" of second`) {
		t.Errorf("warnings: got %v", w)
	}
	if m := result.Messages[1]; m.Source != agent.FromContext || m.Provider != "first" {
		t.Errorf("a provider's message is stamped %+v", m)
	}
}

func TestEphemeralMessagesAreFreshAndNotKept(t *testing.T) {
	n := 0
	list := &provider{name: "list", context: agent.Context{
		Tools: []agent.Tool{echo("f")},
		Ephemeral: func(context.Context) ([]agent.Message, error) {
			n++
			return []agent.Message{{Role: agent.User, Text: fmt.Sprintf("state %d", n)}}, nil
		},
	}}
	server := openaitest.New(t, openaitest.Do(call("a", "f", "")), openaitest.Do(call("b", "f", "")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Providers = []agent.ContextProvider{list} })
	result, err := s.run(t, "hi")
	if err != nil {
		t.Fatal(err)
	}
	for i, request := range server.Requests() {
		for j, m := range request.Messages {
			if isEphemeral, last := strings.Contains(m.Text, "state"), j == len(request.Messages)-1; isEphemeral != last {
				t.Errorf("request %d, message %d: got %q", i, j, m.Text)
			}
		}
		if last := request.Messages[len(request.Messages)-1]; !strings.HasSuffix(last.Text, inContext(fmt.Sprint("state ", i+1))) {
			t.Errorf("request %d ends with %q", i, last.Text)
		}
	}
	for _, m := range result.Messages {
		if strings.Contains(m.Text, "state") {
			t.Errorf("an ephemeral message was kept: %+v", m)
		}
	}
}

func TestProviderErrors(t *testing.T) {
	boom := errors.New("boom")
	var invoked []string
	watch := func(name string) *provider {
		return &provider{name: name, invoked: func(_ context.Context, out *agent.Invoked) error {
			invoked = append(invoked, fmt.Sprint(name, out.Err != nil))
			return nil
		}}
	}
	calls := 0
	for _, test := range []struct {
		name     string
		provider *provider
		replies  []openaitest.Reply
		want     string
		invoked  []string
	}{
		{"invoking", &provider{name: "bad", invoking: func(*agent.Invoking) error { return boom }}, nil,
			"bad: boom", []string{"beforetrue"}},
		{"invoking panics", &provider{name: "bad", invoking: func(*agent.Invoking) error { panic("oh") }}, nil,
			"bad: panic: oh", []string{"beforetrue"}},
		{"ephemeral", &provider{name: "bad", context: agent.Context{Ephemeral: func(context.Context) ([]agent.Message, error) { return nil, boom }}}, nil,
			"bad: boom", []string{"aftertrue", "beforetrue"}},
		{"later ephemeral", &provider{name: "bad", context: agent.Context{Ephemeral: func(context.Context) ([]agent.Message, error) {
			calls++
			if calls > 1 {
				panic("later")
			}
			return nil, nil
		}}}, []openaitest.Reply{openaitest.Text("")},
			"bad: panic: later", []string{"aftertrue", "beforetrue"}},
		{"invoked", &provider{name: "bad", invoked: func(context.Context, *agent.Invoked) error { return boom }}, []openaitest.Reply{{Text: "ok"}},
			"bad: at the end of the run: boom", []string{"afterfalse", "beforefalse"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			invoked = nil
			server := openaitest.New(t, test.replies...)
			s := start(t, server, func(c *agent.Config) {
				c.Providers = []agent.ContextProvider{watch("before"), test.provider, watch("after")}
			})
			result, err := s.run(t, "hi")
			if err == nil || err.Error() != test.want || result.Status != agent.Failed {
				t.Errorf("got %v (%s), want %q", err, result.Status, test.want)
			}
			if !slices.Equal(invoked, test.invoked) {
				t.Errorf("invoked: got %q, want %q", invoked, test.invoked)
			}
		})
	}
}

func TestInvokedErrorAfterAnother(t *testing.T) {
	server := openaitest.New(t, openaitest.Reply{Status: 400, Text: "no"})
	s := start(t, server, func(c *agent.Config) {
		c.Providers = []agent.ContextProvider{&provider{name: "bad", invoked: func(context.Context, *agent.Invoked) error { return errors.New("late") }}}
	})
	_, err := s.run(t, "hi")
	var failure *agent.Error
	if !errors.As(err, &failure) || failure.Status != 400 {
		t.Errorf("got %v", err)
	}
	if w := eventsOf[agent.WarningEvent](s); len(w) != 1 || !strings.Contains(w[0].Message, "late") {
		t.Errorf("warnings: got %v", w)
	}
}

func TestPrepare(t *testing.T) {
	server := openaitest.New(t)
	p := &provider{name: "p", context: agent.Context{
		Instructions: "rules", Tools: []agent.Tool{echo("f")}, Messages: []agent.Message{{Role: agent.User, Text: "extra"}},
		Ephemeral: func(context.Context) ([]agent.Message, error) {
			return []agent.Message{{Role: agent.User, Text: "ephemeral"}}, nil
		},
	}}
	s := start(t, server, func(c *agent.Config) { c.Providers = []agent.ContextProvider{p}; c.Instructions = "base" })
	request, err := s.agent.Prepare(t.Context(), nil, "hi")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range request.Messages {
		texts = append(texts, m.Text)
	}
	if request.Model != "test-model" || request.Instructions != "base\n\nrules" || len(request.Tools) != 1 ||
		!slices.Equal(texts, []string{"hi", "extra", "ephemeral"}) {
		t.Errorf("got %+v", request)
	}
	if len(server.Requests()) != 0 || len(s.events) != 0 {
		t.Error("something was sent or emitted")
	}
	p.invoking = func(*agent.Invoking) error { return errors.New("boom") }
	if _, err := s.agent.Prepare(t.Context(), agent.NewSession(), "hi"); err == nil {
		t.Error("a provider's error was lost")
	}
}

func TestUsageAdd(t *testing.T) {
	var none *agent.Usage
	a := &agent.Usage{InputTokens: 1, OutputTokens: 2}
	if none.Add(nil) != nil || *none.Add(a) != *a || *a.Add(nil) != *a || *a.Add(a) != (agent.Usage{InputTokens: 2, OutputTokens: 4}) {
		t.Error("wrong sum")
	}
	if none.Add(a) == a {
		t.Error("the sum shares memory with its part")
	}
}

// TestRefresh checks that a refreshed contribution replaces the previous one, and that
// without changes the beginning of the request stays the same.
func TestRefresh(t *testing.T) {
	calls := 0
	skills := &provider{name: "skills", context: agent.Context{
		Instructions: "old", Tools: []agent.Tool{echo("f")},
		Refresh: func(context.Context) (*agent.Update, error) {
			calls++
			if calls != 2 {
				return nil, nil
			}
			return &agent.Update{Instructions: "new", Tools: []agent.Tool{echo("f"), echo("h")}, Note: "changed"}, nil
		},
	}}
	server := openaitest.New(t, openaitest.Do(openaitest.Call{Name: "f", Arguments: `{}`}), openaitest.Do(openaitest.Call{Name: "f", Arguments: `{}`}), openaitest.Do(openaitest.Call{Name: "h", Arguments: `{}`}), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Instructions = "base"
		c.Providers = []agent.ContextProvider{skills, &provider{name: "last", context: agent.Context{Instructions: "end", Tools: []agent.Tool{echo("g")}}}}
	})
	if _, err := s.run(t, "hi"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range server.Requests() {
		text := strings.ReplaceAll(r.Messages[0].Text, "\n\n", " ")
		for _, tool := range r.Tools {
			text += " " + tool.Name
		}
		got = append(got, text)
	}
	if want := []string{"base old end f g", "base old end f g", "base new end f h g", "base new end f h g"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if notes := eventsOf[agent.NoteEvent](s); len(notes) != 1 || notes[0].Message != "changed" {
		t.Errorf("notes: got %v", notes)
	}
}
