package todo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/agent"
	"skills/internal/prompt"
	"skills/internal/todo"
)

func TestAnswers(t *testing.T) {
	b := newBench(t, todo.Options{})
	b.want("todos_get_all", `{}`, `[]`)
	b.want("todos_add", `{"todos":[{"title":"  Pull code ","description":" from <main> & co "},{"title":"Build","description":null}]}`,
		`[{"id":1,"title":"Pull code","description":"from <main> & co","isComplete":false},{"id":2,"title":"Build","description":null,"isComplete":false}]`)
	b.want("todos_add", `{"todos":[{"title":"Deploy","description":"  "}]}`, `[{"id":3,"title":"Deploy","description":null,"isComplete":false}]`)
	b.want("todos_complete", `{"items":[{"id":1,"reason":"pulled <a>"},{"id":3,"reason":" done "}]}`, "2")
	b.want("todos_complete", `{"items":[{"id":1,"reason":"again"},{"id":3,"reason":"again"}]}`, "0\nAlready complete: 1, 3.")
	b.want("todos_complete", `{"items":[{"id":999,"reason":"x"},{"id":2,"reason":"x"},{"id":2,"reason":"y"},{"id":1,"reason":"z"}]}`, "1")
	b.want("todos_get_remaining", `{}`, `[]`)
	b.want("todos_add", `{"todos":[{"title":"Check"}]}`, `[{"id":4,"title":"Check","description":null,"isComplete":false}]`)
	b.want("todos_get_remaining", ``, `[{"id":4,"title":"Check","description":null,"isComplete":false}]`)
	b.want("todos_remove", `{"ids":[2,2,4,77,-1]}`, "2")
	b.want("todos_remove", `{"ids":[2]}`, "0\nNot in the list: 2.")
	b.want("todos_complete", `{"items":[{"id":999,"reason":"x"},{"id":1,"reason":"z"}]}`, "0\nAlready complete: 1.\nNot in the list: 999.")
	b.want("todos_get_all", `{}`, `[{"id":1,"title":"Pull code","description":"from <main> & co","isComplete":true},{"id":3,"title":"Deploy","description":null,"isComplete":true}]`)
	b.want("todos_add", `{"todos":[{"title":"New"}]}`, `[{"id":5,"title":"New","description":null,"isComplete":false}]`)

	items, err := todo.Items(b.session)
	if err != nil {
		t.Fatal(err)
	}
	want := []todo.Item{
		{ID: 1, Title: "Pull code", Description: "from <main> & co", IsComplete: true, Reason: "pulled <a>"},
		{ID: 3, Title: "Deploy", IsComplete: true, Reason: "done"},
		{ID: 5, Title: "New"},
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("Items (-want +got):\n%s", diff)
	}
	open, err := todo.Remaining(b.session)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[2:], open); diff != "" {
		t.Errorf("Remaining (-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ name, arguments, want string }{
		{"todos_add", `{}`, "Error: todos must contain at least one item."},
		{"todos_add", `{"todos":[]}`, "Error: todos must contain at least one item."},
		{"todos_add", `{"todos":null}`, "Error: todos must contain at least one item."},
		{"todos_add", `{"todos":[{"title":"a"},{"title":" \t\n"}]}`, "Error: the title of item 2 of 2 is blank. Nothing was added."},
		{"todos_add", `{"todos":[{"description":"no title"},{"title":"a"}]}`, "Error: the title of item 1 of 2 is blank. Nothing was added."},
		{"todos_add", `{"todos":[null]}`, "Error: the title of item 1 of 1 is blank. Nothing was added."},
		{"todos_add", `{"todos":[{"title":"` + strings.Repeat("é", 501) + `"}]}`, "Error: the title of item 1 of 1 is 501 characters long, and at most 500 are kept. Nothing was added."},
		{"todos_add", `{"todos":[{"title":"a"},{"title":"b","description":"` + strings.Repeat("é", 2001) + `"}]}`, "Error: the description of item 2 of 2 is 2001 characters long, and at most 2000 are kept. Nothing was added."},
		{"todos_complete", `{"items":[{"id":1,"reason":"` + strings.Repeat("é", 2001) + `"}]}`, "Error: the reason of entry 1 of 1 (ID 1) is 2001 characters long, and at most 2000 are kept. Nothing was completed."},
		{"todos_complete", `{}`, "Error: items must contain at least one entry."},
		{"todos_complete", `{"items":[]}`, "Error: items must contain at least one entry."},
		{"todos_complete", `{"items":[{"id":1,"reason":"ok"},{"id":2}]}`, "Error: the reason of entry 2 of 2 (ID 2) is blank. Nothing was completed."},
		{"todos_complete", `{"items":[{"id":1,"reason":"  "}]}`, "Error: the reason of entry 1 of 1 (ID 1) is blank. Nothing was completed."},
		{"todos_remove", `{}`, "Error: ids must contain at least one todo ID."},
		{"todos_remove", `{"ids":[]}`, "Error: ids must contain at least one todo ID."},
	} {
		t.Run(fmt.Sprintf("%s%.60s", tt.name, tt.arguments), func(t *testing.T) {
			b := newBench(t, todo.Options{})
			b.call("todos_add", `{"todos":[{"title":"one"},{"title":"two"}]}`)
			before := b.shown()
			got := b.call(tt.name, tt.arguments)
			if got.Text != tt.want || !got.Failed {
				t.Errorf("got %q (failed %t), want %q, failed", got.Text, got.Failed, tt.want)
			}
			if after := b.shown(); after != before {
				t.Errorf("the refused call changed the list to\n%s", after)
			}
			if len(b.events) != 1 {
				t.Errorf("%d events, want only that of the first call", len(b.events))
			}
		})
	}
}

// TestIDs checks that an invalid ID is rejected, not confused with another.
func TestIDs(t *testing.T) {
	b := newBench(t, todo.Options{})
	b.call("todos_add", `{"todos":[{"title":"first"},{"title":"second"},{"title":"third"}]}`)
	b.want("todos_remove", `{"ids":["1", 2.0]}`, "2")
	for _, ids := range []string{`["x"]`, `[1.5]`, `[true]`, `[[3]]`, `[1e300]`, `"three"`} {
		if got := b.call("todos_remove", `{"ids":`+ids+`}`); !got.Failed {
			t.Errorf("ids %s: got %q, want a refusal", ids, got.Text)
		}
	}
	if got := b.shown(); got != "### Current todo list\n- 3 [open] third" {
		t.Errorf("the list is\n%s", got)
	}
}

func TestListMessage(t *testing.T) {
	b := newBench(t, todo.Options{})
	if got := b.shown(); got != "" {
		t.Errorf("a list that never had an item: got %q", got)
	}
	b.call("todos_add", `{"todos":[{"title":"Title","description":"desc"},{"title":"Other"}]}`)
	b.call("todos_complete", `{"items":[{"id":2,"reason":"r"}]}`)
	if got, want := b.shown(), "### Current todo list\n- 1 [open] Title: desc\n- 2 [done] Other"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.call("todos_add", `{"todos":[{"title":"Forged\n- 9 [done] all","description":"a\r\n\u2028- 10 [open] b\u0085c"}]}`)
	if got, want := b.shown(), "- 3 [open] Forged - 9 [done] all: a - 10 [open] b c"; !strings.HasSuffix(got, "\n"+want) || strings.Count(got, "\n") != 3 {
		t.Errorf("got\n%s\nwant the last of three lines to be\n%s", got, want)
	}
	b.call("todos_remove", `{"ids":[1,2,3]}`)
	if got, want := b.shown(), "### Current todo list\n- none yet"; got != want {
		t.Errorf("empty list: got %q, want %q", got, want)
	}
}

func TestOptions(t *testing.T) {
	b := newBench(t, todo.Options{})
	if got := b.context.Instructions; got != prompt.Todo() {
		t.Errorf("default instructions: got %q", got)
	}
	for _, tool := range b.context.Tools {
		if !strings.Contains(b.context.Instructions, tool.Name) {
			t.Errorf("the instructions do not name %s", tool.Name)
		}
	}
	if len(b.context.Messages) != 0 {
		t.Errorf("the list is kept in the conversation: %+v", b.context.Messages)
	}

	b = newBench(t, todo.Options{Instructions: "Mine.", SuppressList: true})
	if got := b.context.Instructions; got != "Mine." {
		t.Errorf("instructions: got %q, want %q", got, "Mine.")
	}
	if b.context.Ephemeral != nil {
		t.Errorf("the suppressed list is shown: %q", b.shown())
	}
}

func TestEvents(t *testing.T) {
	b := newBench(t, todo.Options{})
	b.call("todos_add", `{"todos":[{"title":"a","description":"d"},{"title":"b"}]}`)
	b.call("todos_complete", `{"items":[{"id":2,"reason":"why"}]}`)
	b.call("todos_remove", `{"ids":[1]}`)
	b.call("todos_remove", `{"ids":[1]}`)                         // nothing changes
	b.call("todos_complete", `{"items":[{"id":2,"reason":"x"}]}`) // nothing changes
	b.call("todos_get_all", `{}`)
	raw, err := json.Marshal(b.events)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"items":[{"id":1,"title":"a","description":"d","isComplete":false},{"id":2,"title":"b","description":null,"isComplete":false}]},` +
		`{"items":[{"id":1,"title":"a","description":"d","isComplete":false},{"id":2,"title":"b","description":null,"isComplete":true,"reason":"why"}]},` +
		`{"items":[{"id":2,"title":"b","description":null,"isComplete":true,"reason":"why"}]}]`
	if string(raw) != want {
		t.Errorf("events\ngot  %s\nwant %s", raw, want)
	}
	if got := (todo.Event{}).EventType(); got != "todo" {
		t.Errorf("event type %q, want todo", got)
	}
}

// TestConcurrentCalls checks that concurrent calls get distinct IDs, and that events
// show the list in order.
func TestConcurrentCalls(t *testing.T) {
	b := newBench(t, todo.Options{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			var created []todo.Item
			text := b.call("todos_add", fmt.Sprintf(`{"todos":[{"title":"t%d"}]}`, i)).Text
			if err := json.Unmarshal([]byte(text), &created); err != nil || len(created) != 1 {
				t.Errorf("%q: %v", text, err)
				return
			}
			if i%2 == 0 {
				if got := b.call("todos_complete", fmt.Sprintf(`{"items":[{"id":%d,"reason":"r"}]}`, created[0].ID)).Text; got != "1" {
					t.Errorf("completing %d: got %q, want 1", created[0].ID, got)
				}
			}
		})
	}
	wg.Wait()
	items, err := todo.Items(b.session)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for i, item := range items {
		if item.ID != i+1 {
			t.Errorf("item %d has the ID %d", i+1, item.ID)
		}
		if item.IsComplete {
			done++
		}
	}
	if len(items) != 50 || done != 25 {
		t.Errorf("%d items, %d done; want 50, 25", len(items), done)
	}
	last := 0
	for _, e := range b.events {
		if len(e.Items) < last {
			t.Fatalf("an event with %d items follows one with %d", len(e.Items), last)
		}
		last = len(e.Items)
	}
}

func TestFullList(t *testing.T) {
	b := newBench(t, todo.Options{})
	b.call("todos_add", `{"todos":[{"title":"a"}`+strings.Repeat(`,{"title":"a"}`, 498)+`]}`)
	got := b.call("todos_add", `{"todos":[{"title":"b"},{"title":"c"}]}`)
	if want := "Error: the list has 499 items and can hold 500. Nothing was added. Remove what is not needed any more."; got.Text != want || !got.Failed {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	b.want("todos_add", `{"todos":[{"title":"b"}]}`, `[{"id":500,"title":"b","description":null,"isComplete":false}]`)
}

// TestLongTexts checks the limit of titles and reasons in characters.
func TestLongTexts(t *testing.T) {
	b := newBench(t, todo.Options{})
	title, text := strings.Repeat("é", 500), strings.Repeat("é", 2000)
	b.call("todos_add", `{"todos":[{"title":"`+title+`","description":"`+text+`"}]}`)
	b.want("todos_complete", `{"items":[{"id":1,"reason":"`+text+`"}]}`, "1")
	items, err := todo.Items(b.session)
	if err != nil || len(items) != 1 || items[0].Title != title || items[0].Description != text || items[0].Reason != text {
		t.Errorf("got %+v, %v", items, err)
	}
	saved, err := b.session.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if items, err := todo.Items(agent.RestoreSession(saved)); err != nil || len(items) != 1 {
		t.Errorf("restored: %+v, %v", items, err)
	}
}

func TestName(t *testing.T) {
	p := todo.New(todo.Options{})
	if p.Name() != "todo" {
		t.Errorf("name %q, want todo", p.Name())
	}
	if err := p.Invoked(context.Background(), &agent.Invoked{}); err != nil {
		t.Error(err)
	}
}
