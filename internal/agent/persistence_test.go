package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestHistoryAndSession(t *testing.T) {
	server := openaitest.New(t,
		openaitest.Do(call("a", "f", `{"n":1}`)), openaitest.Text("first answer"),
		openaitest.Do(call("a", "f", `{"n":2}`)), openaitest.Text("second answer"),
		openaitest.Reply{Status: 400},
	)
	path := filepath.Join(t.TempDir(), "session.jsonl")
	withTool := func(c *agent.Config) { c.Providers = append(c.Providers, tools(echo("f"))...) }
	continued(t, server, path, withTool, func(s *setup, session *agent.Session) {
		if _, err := s.agent.Run(t.Context(), session, "one"); err != nil {
			t.Fatal(err)
		}
	})
	continued(t, server, path, withTool, func(s *setup, session *agent.Session) {
		result, err := s.agent.Run(t.Context(), session, "two")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range result.Messages {
			got = append(got, fmt.Sprintf("%s/%s", m.Role, m.Source))
		}
		want := []string{"user/history", "assistant/history", "tool/history", "assistant/history", "user/user", "assistant/model", "tool/tool", "assistant/model"}
		if !slices.Equal(got, want) {
			t.Errorf("messages: got %v, want %v", got, want)
		}
		if id := result.Messages[5].Calls[0].ID; id == "a" {
			t.Error("an id of an earlier run was used again")
		}
		for _, e := range eventsOf[agent.MessageEvent](s) {
			if e.Source == agent.FromHistory {
				t.Errorf("an old message was emitted again: %+v", e)
			}
		}
	})
	continued(t, server, path, withTool, func(s *setup, session *agent.Session) {
		if _, err := s.agent.Run(t.Context(), session, "three"); err == nil {
			t.Error("want an error")
		}
	})
	last := server.Requests()[4].Messages
	if len(last) != 9 || last[8].Text != "three" {
		t.Errorf("third run: got %d messages", len(last))
	}
}

func reload(t *testing.T, s *agent.Session) *agent.Session {
	t.Helper()
	saved, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	var loaded map[string]json.RawMessage
	if err := json.Unmarshal(data, &loaded); err != nil {
		t.Fatal(err)
	}
	return agent.RestoreSession(loaded)
}

func TestSession(t *testing.T) {
	state := agent.NewState("count", func() int { return 40 })
	session := agent.NewSession()
	boom := errors.New("boom")
	if err := state.Update(session, func(n *int) error { *n += 2; return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	session = reload(t, session)
	saved, err := session.Snapshot() // an unused value is kept
	if err != nil || string(saved["count"]) != "42" {
		t.Errorf("got %s, %v", saved, err)
	}
	if err := state.View(session, func(n int) {
		if n != 42 {
			t.Errorf("got %d", n)
		}
	}); err != nil {
		t.Error(err)
	}
	other := agent.NewState("count", func() []string { return nil })
	if err := other.View(reload(t, session), func([]string) { t.Error("was shown") }); err == nil {
		t.Error("a value of another type was taken")
	}
	bad := agent.NewState("bad", func() any { return func() {} })
	if err := bad.View(session, func(any) {}); err != nil {
		t.Error(err)
	}
	if _, err := session.Snapshot(); err == nil || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("got %v", err)
	}
}
