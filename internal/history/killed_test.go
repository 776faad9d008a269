package history

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
	"skills/internal/todo"
)

// conversation is a session with two calls in one turn, states and odd text.
func conversation(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whole.jsonl")
	server := openaitest.New(t,
		openaitest.Do(openaitest.Call{ID: "a", Name: "todos_add", Arguments: `{"todos":[{"title":"ünë\n\"two\""}]}`}, openaitest.Call{ID: "b", Name: "nope"}),
		openaitest.Text("done\n{\"type\":\"message\"}"))
	if _, err := ask(t, server, path, "go \x1b[31m on"); err != nil {
		t.Fatal(err)
	}
	return []byte(filetest.Read(t, path))
}

// TestEveryPrefix truncates a session at every byte. Each time it can be continued with
// all complete messages, as a conversation that servers accept.
func TestEveryPrefix(t *testing.T) {
	whole := conversation(t)
	full, err := parse("s.jsonl", whole)
	if err != nil || len(full.messages) != 5 {
		t.Fatalf("got %+v, %v", full, err)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, noon, nil)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		// The end of a line alone may be missing from a whole message.
		want := bytes.Count(whole[:n], []byte("\n{\"type\":\"message\""))
		if last := whole[bytes.LastIndexByte(whole[:n], '\n')+1 : n]; bytes.HasPrefix(last, []byte(`{"type":"message"`)) && !(n < len(whole) && whole[n] == '\n') {
			want-- // begun, and cut
		}
		kept := len(f.messages) - len(missing(f))
		if kept != want || !slices.EqualFunc(f.messages[:want], full.messages[:want], sameMessage) {
			t.Fatalf("%d bytes: %d messages %+v, want %d", n, kept, f.messages, want)
		}
		if torn := n > 0 && whole[n-1] != '\n' && !(n < len(whole) && whole[n] == '\n'); (f.Warning != "") != torn {
			t.Fatalf("%d bytes: warning %q", n, f.Warning)
		}
		valid(t, f.messages)
		together(t, n, f)
		if err := f.OnMessages(t.Context(), f.Session, []agent.Message{userMessage("more")}); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		had := f.messages
		f.Close()
		again, err := Read(path)
		if err != nil || !slices.EqualFunc(again.messages, had, sameMessage) {
			t.Fatalf("%d bytes, continued: %+v, want %+v (%v)", n, again.messages, had, err)
		}
		together(t, n, again)
	}
}

// together checks that the list has an item for each result of a call that adds one, also
// if a killed run had written the list without its result. bytes is the size of the file.
func together(t *testing.T, bytes int, f *File) {
	t.Helper()
	items, err := todo.Items(f.Session)
	results := 0
	for _, m := range f.messages {
		if m.Name == "todos_add" && m.Text != interrupted {
			results++
		}
	}
	if err != nil || len(items) != results {
		t.Fatalf("%d bytes: %d items and %d results that report one, %v", bytes, len(items), results, err)
	}
}

// missing are the results that a file's conversation was completed with.
func missing(f *File) []any {
	return slices.DeleteFunc(slices.Clone(f.lead), func(r any) bool { return r.(record).Message == nil })
}

func sameMessage(a, b agent.Message) bool {
	return a.Role == b.Role && a.Source == b.Source && a.Text == b.Text && a.CallID == b.CallID && slices.Equal(a.Calls, b.Calls)
}

// valid checks that every call is answered right after it.
func valid(t *testing.T, messages []agent.Message) {
	t.Helper()
	open := 0
	for _, m := range messages {
		switch {
		case m.Role == agent.ToolRole:
			open--
		case open != 0:
			t.Errorf("%d calls have no result before %+v", open, m)
		}
		open += len(m.Calls)
	}
	if open != 0 {
		t.Errorf("%d calls at the end have no result in %+v", open, messages)
	}
}

func TestInterruptedCalls(t *testing.T) {
	calls := agent.Message{Role: agent.Assistant, Source: agent.FromModel, Calls: []agent.ToolCall{{ID: "a", Name: "f"}, {ID: "b", Name: "g"}}}
	result := agent.Message{Role: agent.ToolRole, Source: agent.FromTool, Text: "ok", CallID: "a", Name: "f"}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, head, line(t, userMessage("go")), line(t, calls), line(t, result))
	before := filetest.Read(t, path)
	server := openaitest.New(t, openaitest.Text("ok"))
	if _, err := ask(t, server, path, "and now"); err != nil {
		t.Fatal(err)
	}
	m := server.Requests()[0].Messages
	if len(m) != 7 || m[4].CallID != "b" || m[4].Text != "Error: the run was interrupted before this call ended." || m[6].Role != "user" || m[6].Text != "and now" {
		t.Errorf("asked %+v", m)
	}
	added := strings.TrimPrefix(filetest.Read(t, path), before)
	if !strings.HasPrefix(added, `{"type":"message","role":"tool","source":"tool","text":"Error: the run was interrupted`) || strings.Count(added, `"tool_call_id"`) != 1 {
		t.Errorf("added\n%s", added)
	}
	// A first state without its result is undone, in the file too.
	write(t, path, head, line(t, userMessage("go")), line(t, calls), `{"type":"state","key":"todo","value":{"items":[{"id":1,"title":"x","description":null,"isComplete":false}],"nextId":2}}`)
	first := opened(t, path)
	if err := first.OnMessages(t.Context(), first.Session, []agent.Message{userMessage("more")}); err != nil {
		t.Fatal(err)
	}
	again, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	together(t, 0, first)
	together(t, 0, again)
	// The conversation is complete even if the line was removed by hand.
	write(t, path, head, line(t, calls), line(t, userMessage("go on")))
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, f.messages)
}
