package session

import (
	"path/filepath"
	"slices"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// texts are the messages of a conversation, each with its source.
func texts(messages []agent.Message) (out []string) {
	for _, m := range messages {
		out = append(out, string(m.Source)+":"+m.Text)
	}
	return out
}

// TestHistories: a history in memory continues the conversation without the run that
// failed; a session file and an audit beside it keep theirs, the audit also what another
// provider adds and what a failed run asked.
func TestHistories(t *testing.T) {
	file := opened(t, filepath.Join(t.TempDir(), "s.jsonl"))
	memory := NewMemory("memory", true, agent.Filters{})
	audit := NewMemory("audit", false, agent.Filters{Store: func(m agent.Message) bool { return m.Source != agent.FromHistory }})
	server := openaitest.New(t, openaitest.Text("Hello Ann"), openaitest.Reply{Status: 400, Text: "no"}, openaitest.Text("Ann"))
	a, err := agent.New(agent.Config{
		Server: agent.Server{BaseURL: server.URL}, Model: "m",
		Providers: []agent.ContextProvider{memory, file, audit, &adder{agent.Message{Role: agent.User, Text: "a fact"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"I am Ann", "fail", "Who am I?"} {
		if prompt == "Who am I?" { // the file would load what memory has
			file.messages = nil
		}
		if _, err := a.Run(t.Context(), file.Session, prompt); (err != nil) != (prompt == "fail") {
			t.Fatalf("%s: %v", prompt, err)
		}
	}
	var sent []string
	for _, m := range server.Requests()[2].Messages {
		sent = append(sent, m.Role+":"+m.Text)
	}
	if want := []string{"user:I am Ann", "assistant:Hello Ann", "user:Who am I?", "user:a fact"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	for _, tt := range []struct {
		history *Memory
		want    []string
	}{
		{memory, []string{"user:I am Ann", "model:Hello Ann", "user:Who am I?", "model:Ann"}},
		{audit, []string{"user:I am Ann", "context:a fact", "model:Hello Ann", "user:fail", "context:a fact", "user:Who am I?", "context:a fact", "model:Ann"}},
	} {
		got, err := tt.history.Messages(file.Session)
		if err != nil || !slices.Equal(texts(got), tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.history.Name(), texts(got), err, tt.want)
		}
	}
	if saved, err := file.Session.Snapshot(); err != nil || string(saved["memory"]) != "{}" {
		t.Errorf("the session file gets %s, %v", saved["memory"], err)
	}
}
