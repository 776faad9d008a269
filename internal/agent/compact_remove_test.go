package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/testing/openaitest"
)

// talked is a provider with the history of n exchanges of about 500 tokens, of which every
// second has a call.
type talked struct {
	provider
}

func (*talked) LoadsHistory() {}

func talkedFor(n int) *talked {
	h := &talked{provider{name: "past"}}
	add := func(m agent.Message) {
		m.Source = agent.FromHistory
		h.context.Messages = append(h.context.Messages, m)
	}
	for i := range n {
		add(agent.Message{Role: agent.User, Text: fmt.Sprintf("prompt %d: ", i) + varied(200)})
		if i%2 == 1 {
			id := fmt.Sprint("h", i)
			add(agent.Message{Role: agent.Assistant, Calls: []agent.ToolCall{{ID: id, Name: "f", Arguments: "{}"}}})
			add(agent.Message{Role: agent.ToolRole, CallID: id, Name: "f", Text: "result"})
			add(agent.Message{Role: agent.User, Provider: "other", Text: "context"})
		}
		add(agent.Message{Role: agent.Assistant, Text: fmt.Sprintf("answer %d", i)})
	}
	return h
}

// TestRemoveExchanges checks that the oldest exchanges are removed from requests, that
// calls and results stay together, and that the conversation itself keeps all.
func TestRemoveExchanges(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("c1", "f", "{}")), openaitest.Text("done"))
	s := start(t, server, func(c *agent.Config) {
		c.Instructions, c.Window = "the system text", 4000
		c.Providers = []agent.ContextProvider{talkedFor(20), recallable(2000)[0]}
	})
	result, err := s.run(t, "the last prompt")
	if err != nil || result.Text != "done" || len(result.Messages) != 10*2+10*5+4 {
		t.Fatalf("got %d messages, %v", len(result.Messages), err)
	}
	events := eventsOf[agent.CompactionEvent](s)
	if len(events) != 1 || events[0].Turn != 1 || events[0].Exchanges < 10 || events[0].Exchanges > 19 || events[0].AfterTokens > 2000 || events[0].Steps != 0 {
		t.Fatalf("got %+v", events)
	}
	n := events[0].Exchanges
	for i, r := range server.Requests() {
		body := string(r.Body)
		note := fmt.Sprintf("[%d earlier exchanges of this conversation were removed to save space.", n)
		if !strings.Contains(r.Messages[1].Text, note) || strings.Contains(body, fmt.Sprintf("prompt %d:", n-1)) || !strings.Contains(body, fmt.Sprintf("prompt %d:", n)) {
			t.Errorf("request %d begins with %.300q", i+1, r.Messages[1].Text)
		}
		if !strings.HasPrefix(r.Messages[0].Text, "the system text") || !strings.Contains(body, "the last prompt") {
			t.Errorf("request %d lacks the system text or the prompt", i+1)
		}
	}
}

// TestRemoveAgain checks that a second compaction replaces the note of the first.
func TestRemoveAgain(t *testing.T) {
	var replies []openaitest.Reply
	for i := range 12 {
		replies = append(replies, openaitest.Do(call(fmt.Sprint("c", i), "f", "{}")))
	}
	server := openaitest.New(t, append(replies, openaitest.Text("done"))...)
	s := start(t, server, func(c *agent.Config) {
		c.Window, c.Providers = 4000, []agent.ContextProvider{talkedFor(6), &provider{name: "f", context: agent.Context{Tools: []agent.Tool{text(2000)}}}}
	})
	if _, err := s.run(t, "the last prompt"); err != nil {
		t.Fatal(err)
	}
	exchanges, steps := 0, 0
	for _, e := range eventsOf[agent.CompactionEvent](s) {
		exchanges, steps = exchanges+e.Exchanges, steps+e.Steps
		if e.AfterTokens > 2000 && e.Turn < 13 {
			t.Errorf("got %+v", e)
		}
	}
	last := server.Requests()[12]
	if exchanges != 6 || steps < 6 {
		t.Errorf("removed %d exchanges and %d steps", exchanges, steps)
	}
	want := fmt.Sprintf("[6 earlier exchanges of this conversation were removed to save space. What you still need of it, such as a skill or a file, get again.]\n\nthe last prompt\n\n"+
		"<context>\n[%d earlier steps of this task were removed", steps)
	if !strings.HasPrefix(last.Messages[0].Text, want) || strings.Count(string(last.Body), "removed to save space") != 2 {
		t.Errorf("got %.600q", last.Messages[0].Text)
	}
	if id := last.Messages[len(last.Messages)-1].CallID; id != "c11" {
		t.Errorf("the last result is of %s", id)
	}
}

// TestSummary checks that the model is asked for a line about what is removed, and that a
// failure is a warning.
func TestSummary(t *testing.T) {
	for name, test := range map[string]struct {
		reply openaitest.Reply
		want  string
		warns bool
	}{
		"line":  {openaitest.Reply{Text: "The user\n likes numbers. ", Usage: &openaitest.Usage{Input: 100, Output: 10}}, "\nIn short: The user likes numbers.\n\n", false},
		"error": {openaitest.Reply{Status: 400, Text: "no"}, "get again.]\n\n", true},
		"empty": {openaitest.Text(" "), "get again.]\n\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			server := openaitest.New(t, test.reply, openaitest.Reply{Text: "done", Usage: &openaitest.Usage{Input: 1900, Output: 10}})
			s := start(t, server, func(c *agent.Config) {
				c.Window, c.Summarize, c.Providers = 4000, true, []agent.ContextProvider{talkedFor(20), recallable(100)[0]}
			})
			result, err := s.run(t, "the last prompt")
			if err != nil || result.Text != "done" || result.Turns != 1 {
				t.Fatalf("got %+v, %v", result, err)
			}
			asked, sent := server.Requests()[0], server.Requests()[1]
			if len(asked.Tools) != 0 || !strings.Contains(asked.Messages[1].Text, "user: prompt 0:") || len(asked.Messages[1].Text) > 5000 {
				t.Errorf("asked %.300q", asked.Messages[1].Text)
			}
			if first := sent.Messages[1].Text; !strings.Contains(first, test.want) {
				t.Errorf("sent %.300q, want %q", first, test.want)
			}
			if warns := len(eventsOf[agent.WarningEvent](s)) > 0; warns != test.warns {
				t.Errorf("warned: %v", warns)
			}
			if test.reply.Usage != nil && result.Usage.InputTokens != 2000 {
				t.Errorf("usage: got %+v", result.Usage)
			}
		})
	}
}

// TestRecordRemoval checks that a recording does not depend on what was removed, and has no
// summaries.
func TestRecordRemoval(t *testing.T) {
	var recorded [2]bytes.Buffer
	for i, window := range []int64{0, 4000} {
		recorder := replay.NewRecorder(nil, &recorded[i], nil)
		replies := []openaitest.Reply{openaitest.Do(call("c1", "f", "{}")), openaitest.Text("done")}
		if window > 0 {
			replies = slices.Insert(replies, 0, openaitest.Text("in short"))
		}
		s := start(t, openaitest.New(t, replies...), func(c *agent.Config) {
			c.Window, c.Summarize, c.Server.Transport = window, true, recorder
			c.Providers = []agent.ContextProvider{talkedFor(20), recallable(100)[0]}
		})
		if _, err := s.run(t, "go"); err != nil || recorder.Err() != nil {
			t.Fatal(err, recorder.Err())
		}
	}
	if recorded[0].String() != recorded[1].String() {
		t.Errorf("recorded\n%.2000s\nwithout removal\n%.2000s", recorded[1].String(), recorded[0].String())
	}
	if !json.Valid(bytes.Split(recorded[1].Bytes(), []byte("\n"))[0]) {
		t.Error("no recording")
	}
}
