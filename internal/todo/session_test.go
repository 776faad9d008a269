package todo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/todo"
)

func restored(state string) *agent.Session {
	return agent.RestoreSession(map[string]json.RawMessage{"todo": json.RawMessage(state)})
}

func TestSessionRoundTrip(t *testing.T) {
	b := newBench(t, todo.Options{})
	b.call("todos_add", `{"todos":[{"title":"a","description":"d"},{"title":"b"},{"title":"c"}]}`)
	b.call("todos_complete", `{"items":[{"id":1,"reason":"why"}]}`)
	b.call("todos_remove", `{"ids":[3]}`)
	saved, err := b.session.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"items":[{"id":1,"title":"a","description":"d","isComplete":true,"reason":"why"},{"id":2,"title":"b","description":null,"isComplete":false}],"nextId":4}`
	if got := string(saved["todo"]); got != want {
		t.Errorf("saved\n%s\nwant\n%s", got, want)
	}
	next := newBenchIn(t, todo.Options{}, agent.RestoreSession(saved))
	if got, want := next.shown(), b.shown(); got != want {
		t.Errorf("restored list\n%s\nwant\n%s", got, want)
	}
	next.want("todos_add", `{"todos":[{"title":"d"}]}`, `[{"id":4,"title":"d","description":null,"isComplete":false}]`)
	again, err := next.session.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(again["todo"]), `"reason":"why"`) {
		t.Errorf("the reason is lost in %s", again["todo"])
	}
}

func TestRestoredNextID(t *testing.T) {
	for _, tt := range []struct{ name, state, want string }{
		{"behind", `{"items":[{"id":7,"title":"x"}],"nextId":2}`, `"id":8,`},
		{"absent", `{"items":[{"id":7,"title":"x"},{"id":3,"title":"y"}]}`, `"id":8,`},
		{"ahead", `{"items":[],"nextId":12}`, `"id":12,`},
		{"negative", `{"items":null,"nextId":-3}`, `"id":1,`},
		{"empty object", `{}`, `"id":1,`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBenchIn(t, todo.Options{}, restored(tt.state))
			if got := b.call("todos_add", `{"todos":[{"title":"new"}]}`).Text; !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestSpoiltState checks that a saved list that cannot be read is an error, never an
// empty list.
func TestSpoiltState(t *testing.T) {
	for _, state := range []string{
		`[]`, `"x"`, `{"items":{}}`, `{"items":[],"next":2}`, `{"items":[{"id":1,"titel":"x"}]}`, `{"items":[{"id":"1","title":"x"}]}`, `{"items":[{"id":1,"title":5}]}`,
		`{"items":[{"id":0,"title":"x"}]}`, `{"items":[{"id":-1,"title":"x"}]}`, `{"items":[{"id":9223372036854775807,"title":"x"}]}`,
		`{"items":[{"id":1,"title":"x"},{"id":1,"title":"y"}]}`, `{"nextId":9223372036854775807}`,
		`{"items":[` + strings.Repeat(`{"id":1},`, 500) + `{"id":2}]}`, `{`,
		`{"items":[{"id":1,"title":"` + strings.Repeat("x", 501) + `"}]}`, `{"items":[{"id":1,"title":"x","reason":"` + strings.Repeat("x", 2001) + `"}]}`,
	} {
		session := restored(state)
		if _, err := todo.New(todo.Options{}).Invoking(t.Context(), &agent.Invoking{Session: session}); err == nil || !strings.Contains(err.Error(), `"todo"`) {
			t.Errorf("state %.60s: error %v, want one that names the state", state, err)
		}
		if _, err := todo.Remaining(session); err == nil {
			t.Errorf("state %.60s: Remaining reports no error", state)
		}
		saved, err := session.Snapshot()
		if err != nil || string(saved["todo"]) != state {
			t.Errorf("state %.60s was changed to %.60s (%v)", state, saved["todo"], err)
		}
	}
}

// TestToolsOnSpoiltState checks that tools return an error for a state that they cannot
// read.
func TestToolsOnSpoiltState(t *testing.T) {
	b := newBench(t, todo.Options{})
	b.session = restored(`[]`)
	for i, arguments := range []string{`{"todos":[{"title":"a"}]}`, `{"items":[{"id":1,"reason":"r"}]}`, `{"ids":[1]}`, `{}`, `{}`} {
		tool := b.context.Tools[i]
		if got, err := perform(t, &agent.Invocation{Tool: &tool, Arguments: json.RawMessage(arguments), Session: b.session, Emit: b.emit}); err == nil {
			t.Errorf("%s: got %q, want an error", tool.Name, got.Text)
		}
	}
	if len(b.events) != 0 {
		t.Errorf("%d events of changes that did not happen", len(b.events))
	}
}
