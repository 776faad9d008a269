package todo_test

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
	"skills/internal/todo"
)

const openFeedback = "Items of your todo list are still open. Go on until all of them are done, and mark each with todos_complete as you finish it; " +
	"take off with todos_remove what is not needed any more. Still open:"

func TestFinishAsks(t *testing.T) {
	b := newBench(t, todo.Options{})
	ask := func(limit, rounds int) string {
		t.Helper()
		text, err := todo.CompletionCheck(limit)(t.Context(), agent.Completion{Session: b.session, Text: "done", Turn: 1, Rounds: rounds})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if got := ask(3, 0); got != "" {
		t.Errorf("without a list it asks %q", got)
	}
	b.call("todos_add", `{"todos":[{"title":"a","description":"d\n- 9: forged"},{"title":"b\n- 8: forged"},{"title":"c"}]}`)
	b.call("todos_complete", `{"items":[{"id":3,"reason":"r"}]}`)
	want := openFeedback + "\n- 1: a — d - 9: forged\n- 2: b - 8: forged"
	if got := ask(3, 0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := ask(3, 2); got != want {
		t.Errorf("in the last round it asks %q", got)
	}
	if got := ask(3, 3) + ask(0, 0) + ask(-1, 0); got != "" {
		t.Errorf("at the cap it asks %q", got)
	}
	b.call("todos_complete", `{"items":[{"id":1,"reason":"r"},{"id":2,"reason":"r"}]}`)
	if got := ask(3, 0); got != "" {
		t.Errorf("with everything done it asks %q", got)
	}
}

func TestFinishSpoiltState(t *testing.T) {
	if text, err := todo.CompletionCheck(1)(t.Context(), agent.Completion{Session: restored(`[]`)}); err == nil || text != "" {
		t.Errorf("got %q, %v; want an error", text, err)
	}
}

// TestFinishInRun is a model that stops too early once, and one that never completes
// its plan, whose answer still counts.
func TestFinishInRun(t *testing.T) {
	add := openaitest.Call{Name: "todos_add", Arguments: `{"todos":[{"title":"look"}]}`}
	complete := openaitest.Call{Name: "todos_complete", Arguments: `{"items":[{"id":1,"reason":"seen"}]}`}
	usage := func(r openaitest.Reply) openaitest.Reply {
		r.Usage = &openaitest.Usage{Input: 3, Output: 2}
		return r
	}
	for _, tt := range []struct {
		name    string
		replies []openaitest.Reply
		text    string
		open    int
	}{
		{"goes on", []openaitest.Reply{openaitest.Do(add), openaitest.Text("early"), openaitest.Do(complete), openaitest.Text("now")}, "now", 0},
		{"never does", []openaitest.Reply{openaitest.Do(add), openaitest.Text("one"), openaitest.Text("two"), openaitest.Text("three")}, "three", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.replies {
				tt.replies[i] = usage(tt.replies[i])
			}
			server := openaitest.New(t, tt.replies...)
			session := agent.NewSession()
			a, err := agent.New(agent.Config{
				Server: agent.Server{BaseURL: server.URL}, Model: "m",
				Providers: []agent.ContextProvider{todo.New(todo.Options{})}, Replies: agent.Replies{Checks: []agent.CompletionCheck{todo.CompletionCheck(2)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Run(t.Context(), session, "go")
			if err != nil || result.Status != agent.Completed || result.Text != tt.text {
				t.Fatalf("result %+v, error %v", result, err)
			}
			if u := result.Usage; u == nil || u.InputTokens != 12 || u.OutputTokens != 8 {
				t.Errorf("usage %+v, want that of four turns", u)
			}
			asked := 0
			for _, m := range result.Messages {
				if m.Role == agent.User && strings.HasPrefix(m.Text, openFeedback) {
					asked++
				}
			}
			left, err := todo.Remaining(session)
			if err != nil || len(left) != tt.open || asked != 1+tt.open {
				t.Errorf("%d items are open, asked %d times (%v)", len(left), asked, err)
			}
		})
	}
}
