package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// watcher records what it observes, and fails at the message with the text full.
type watcher struct {
	provider
	full  string
	added []agent.Message
}

// LoadsHistory lets it bring back an earlier message.
func (w *watcher) LoadsHistory() {}

func (w *watcher) OnMessages(ctx context.Context, _ *agent.Session, messages []agent.Message) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.added = append(w.added, messages...)
	for _, m := range messages {
		if w.full != "" && m.Text == w.full {
			return errors.New("the disk is full")
		}
	}
	return nil
}

// TestObserver checks that an observer gets every message once, before it is used.
func TestObserver(t *testing.T) {
	w := &watcher{provider: provider{name: "w", context: agent.Context{
		Messages: []agent.Message{{Role: agent.User, Source: agent.FromHistory, Text: "earlier"}, {Role: agent.User, Text: "added"}},
		Ephemeral: func(context.Context) ([]agent.Message, error) {
			return []agent.Message{{Role: agent.User, Text: "ephemeral"}}, nil
		},
	}}}
	look := echo("look")
	look.Prepare = calls(func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		if last := w.added[len(w.added)-1]; last.Role != agent.Assistant || len(last.Calls) != 1 {
			t.Errorf("when the call runs, the last message observed is %+v", last)
		}
		return agent.ToolResult{Text: "seen"}, nil
	})
	w.context.Tools = []agent.Tool{look}
	server := openaitest.New(t, openaitest.Do(openaitest.Call{Name: "look"}), openaitest.Text(""), openaitest.Text("done"))
	s := start(t, server, func(c *agent.Config) { c.Providers = []agent.ContextProvider{w} })
	result, err := s.run(t, "hi")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range w.added {
		got = append(got, string(m.Role)+" "+string(m.Source)+" "+m.Text)
	}
	want := []string{"user user hi", "user context added", "assistant model ", "tool tool seen", "user context ", "assistant model done"}
	for i := range got {
		if i < len(want) && strings.HasPrefix(got[i], want[i]) {
			got[i] = want[i]
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("observed %q, want %q", got, want)
	}
	if len(result.Messages) != len(want)+1 || result.Messages[0].Text != "earlier" {
		t.Errorf("the conversation is %+v", result.Messages)
	}
}

// TestObserverFails checks that a run fails if a message could not be stored, and that
// every call still has its result.
func TestObserverFails(t *testing.T) {
	ran := 0
	count := echo("count")
	count.Prepare = calls(func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		ran++
		return agent.ToolResult{Text: "full"}, nil
	})
	w := &watcher{full: "full", provider: provider{name: "w", context: agent.Context{Tools: []agent.Tool{count}}}}
	server := openaitest.New(t, openaitest.Do(openaitest.Call{Name: "count"}, openaitest.Call{Name: "count"}))
	s := start(t, server, func(c *agent.Config) { c.Providers = []agent.ContextProvider{w} })
	result, err := s.run(t, "hi")
	if result.Status != agent.Failed || err == nil || !strings.Contains(err.Error(), "w: saving a message: the disk is full") {
		t.Errorf("status %s, error %v", result.Status, err)
	}
	if n := len(result.Messages); ran != 1 || n != 4 || result.Messages[n-1].CallID == "" || !strings.HasPrefix(result.Messages[n-1].Text, "Skipped: ") {
		t.Errorf("%d calls ran; messages %+v", ran, result.Messages)
	}
}

// TestObserverFailsAtCalls checks that the calls of a reply that cannot be stored are
// not run, and that each reported call has a result.
func TestObserverFailsAtCalls(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		forbidden := echo("count")
		forbidden.Prepare = calls(func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			t.Error("a call ran")
			return agent.ToolResult{}, nil
		})
		w := &watcher{full: "full", provider: provider{name: "w", context: agent.Context{Tools: []agent.Tool{forbidden}}}}
		server := openaitest.New(t, openaitest.Reply{Text: "full", Calls: []openaitest.Call{{ID: "a", Name: "count"}, {ID: "b", Name: "count"}}})
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Providers = stream, !stream, []agent.ContextProvider{w}
		})
		result, err := s.run(t, "hi")
		if result.Status != agent.Failed || err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("status %s, error %v", result.Status, err)
		}
		var open []string
		for _, c := range eventsOf[agent.ToolCallEvent](s) {
			open = append(open, c.ID)
		}
		var answered []string
		for _, r := range eventsOf[agent.ToolResultEvent](s) {
			answered = append(answered, r.ID)
		}
		if !slices.Equal(open, []string{"a", "b"}) || !slices.Equal(answered, open) || result.ToolCalls != 2 || len(results(result)) != 2 {
			t.Errorf("calls %q, results %q, %+v", open, answered, result)
		}
	})
}

// TestFinish checks that an answer does not end the run while a check returns feedback,
// which becomes a message of the conversation.
func TestFinish(t *testing.T) {
	var seen []agent.Completion
	server := openaitest.New(t, openaitest.Text("one"), openaitest.Text("two"), openaitest.Text("three"))
	s := start(t, server, func(c *agent.Config) {
		c.Checks = []agent.CompletionCheck{
			func(context.Context, agent.Completion) (string, error) { return "", nil },
			func(_ context.Context, f agent.Completion) (string, error) {
				seen = append(seen, f)
				if f.Rounds == 2 {
					return "", nil
				}
				return "go on after " + f.Text, nil
			},
		}
	})
	result, err := s.run(t, "hi")
	if err != nil || result.Text != "three" || result.Turns != 3 {
		t.Fatalf("result %+v, error %v", result, err)
	}
	for i, f := range seen {
		if f.Session == nil || f.Turn != i+1 || f.Rounds != i {
			t.Errorf("round %d was shown %+v", i, f)
		}
	}
	if m := server.Requests()[2].Messages; len(m) != 5 || m[4].Role != "user" || m[4].Text != "go on after two" {
		t.Errorf("the third request holds %+v", m)
	}
}

// TestNext checks that the user says the next text after an answer that the checks accept, in
// the same conversation, and that the last answer is the result.
func TestNext(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("one"), openaitest.Text("two"), openaitest.Do(call("c", "f", "")), openaitest.Text("three"), openaitest.Text("four"))
	s := start(t, server, func(c *agent.Config) {
		c.Next, c.Providers = []string{"second", "third"}, tools(echo("f"))
		c.Checks = []agent.CompletionCheck{func(_ context.Context, f agent.Completion) (string, error) {
			if f.Text == "one" {
				return "again", nil
			}
			return "", nil
		}}
	})
	result, err := s.run(t, "first")
	if err != nil || result.Text != "four" || result.Turns != 5 {
		t.Fatalf("result %+v, error %v", result, err)
	}
	var said []string
	for _, m := range eventsOf[agent.MessageEvent](s) {
		if m.Role == agent.User {
			said = append(said, string(m.Source)+" "+m.Text)
		}
	}
	if want := []string{"user first", "context again", "user second", "user third"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	texts := []string{}
	for _, m := range server.Requests()[4].Messages {
		texts = append(texts, m.Role+" "+m.Text)
	}
	if !slices.Contains(texts, "user first") || texts[len(texts)-1] != "user third" {
		t.Errorf("the last request has %q", texts)
	}
}

// TestAnswerIsKept checks that an earlier answer is kept if the continued run does not
// give another one.
func TestAnswerIsKept(t *testing.T) {
	once := func(_ context.Context, f agent.Completion) (string, error) {
		if f.Rounds > 0 {
			return "", nil
		}
		return "more", nil
	}
	for _, test := range []struct {
		replies []openaitest.Reply
		turns   int
		status  agent.Status
		text    string
	}{
		{[]openaitest.Reply{openaitest.Text("first"), openaitest.Text(""), openaitest.Text("")}, 0, agent.Completed, "first"},
		{[]openaitest.Reply{{Text: "first", Finish: "length"}, openaitest.Text(""), openaitest.Text("")}, 0, agent.Completed, "first"},
		{[]openaitest.Reply{openaitest.Text("first"), {Status: 400}}, 0, agent.Failed, "first"},
		{[]openaitest.Reply{openaitest.Text("first"), openaitest.Do(call("c", "f", "")), openaitest.Text("")}, 2, agent.LimitHit, "first"},
		{[]openaitest.Reply{openaitest.Text("first"), openaitest.Text("second")}, 0, agent.Completed, "second"},
	} {
		s := start(t, openaitest.New(t, test.replies...), func(c *agent.Config) {
			c.Checks, c.Limits.Turns, c.Providers = []agent.CompletionCheck{once}, test.turns, tools(echo("f"))
		})
		result, err := s.run(t, "go")
		if result.Status != test.status || result.Text != test.text || (err == nil) != (test.status == agent.Completed) {
			t.Errorf("got %+v, %v, want %s %q", result, err, test.status, test.text)
		}
		if result.Cut != test.replies[0].Finish {
			t.Errorf("cut: got %q", result.Cut)
		}
	}
}

func TestFinishFails(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("one"))
	s := start(t, server, func(c *agent.Config) {
		c.Checks = []agent.CompletionCheck{func(context.Context, agent.Completion) (string, error) { panic("boom") }}
	})
	if result, err := s.run(t, "hi"); result.Status != agent.Failed || result.Text != "one" || err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("result %+v, error %v", result, err)
	}
}
