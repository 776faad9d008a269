package agent_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/history"
	"skills/internal/testing/openaitest"
)

const signature = `{"google":{"thought_signature":"c2lnbmVk"}}`

// thinking is a reply with the fields that servers want back.
func thinking() openaitest.Reply {
	first := call("c1", "one", "{}")
	first.Extra = signature
	return openaitest.Reply{Reasoning: "I need one, then two.", Calls: []openaitest.Call{first, call("c2", "one", `{"n":2}`)}}
}

// sentBack checks the assistant message of a request.
func sentBack(t *testing.T, r openaitest.Request) {
	t.Helper()
	for _, m := range r.Messages {
		if m.Role != "assistant" || len(m.Calls) == 0 {
			continue
		}
		if m.Reasoning != "I need one, then two." || m.Calls[0].Extra != signature || m.Calls[1].Extra != "" {
			t.Errorf("sent back: %+v", m)
		}
		return
	}
	t.Errorf("no assistant message with calls in %+v", r.Messages)
}

// continued runs an agent that continues a session file.
func continued(t *testing.T, server *openaitest.Server, path string, change func(*agent.Config), run func(*setup, *agent.Session)) {
	t.Helper()
	file, err := history.Open(path, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := start(t, server, func(c *agent.Config) { c.Providers = []agent.ContextProvider{file}; change(c) })
	run(s, file.Session)
}

// TestReasoningIsSentBack checks that the reasoning of a reply and the extra content of
// its calls are sent back, within a run and in one that continues its session.
func TestReasoningIsSentBack(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, thinking(), openaitest.Text("done"), openaitest.Text("more"))
		path := filepath.Join(t.TempDir(), "session.jsonl")
		for _, prompt := range []string{"go", "and now?"} {
			continued(t, server, path, func(c *agent.Config) {
				c.Stream, c.Server.NoStream, c.Providers = stream, !stream, append(c.Providers, tools(echo("one"))...)
			}, func(s *setup, session *agent.Session) {
				if _, err := s.agent.Run(t.Context(), session, prompt); err != nil {
					t.Fatal(err)
				}
			})
		}
		for _, r := range server.Requests()[1:] {
			sentBack(t, r)
		}
	})
}

// TestReasoningIsRecorded checks that recordings keep reasoning and extra content, and
// that a playback returns them.
func TestReasoningIsRecorded(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		var out bytes.Buffer
		recorder := replay.NewRecorder(nil, &out, nil)
		s := start(t, openaitest.New(t, thinking(), openaitest.Text("done")), func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Server.Transport, c.Providers = stream, !stream, recorder, tools(echo("one"))
		})
		if _, err := s.run(t, "go"); err != nil {
			t.Fatal(err)
		}
		playback, err := replay.NewPlayback(strings.NewReader(out.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		s = start(t, openaitest.New(t), func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Server.Transport, c.Providers = stream, !stream, playback, tools(echo("one"))
		})
		result, err := s.run(t, "go")
		if err != nil {
			t.Fatal(err)
		}
		if m := result.Messages[1]; m.Reasoning != "I need one, then two." || m.Calls[0].Extra != signature || m.Calls[1].Extra != "" {
			t.Errorf("played: %+v", m)
		}
	})
}
