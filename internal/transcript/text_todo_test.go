package transcript

import (
	"bytes"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/todo"
)

// changes shows the events of a list, one call each, and returns what follows
// each result, and the end.
func changes(t *testing.T, r Result, lists ...[]todo.Item) string {
	t.Helper()
	var out bytes.Buffer
	var es []agent.Event
	for _, items := range lists {
		es = append(es, todo.Event{Items: items}, agent.ToolResultEvent{Name: "t", ID: "c", OK: true, Output: "1"})
	}
	showTo(t, Text(&out, TextOptions{Width: 30}), es, r)
	var kept []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "── message") && !strings.HasPrefix(line, "result of") && line != "  1\n" && line != "\n" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestChecklist(t *testing.T) {
	one, two, three := todo.Item{ID: 1, Title: "one"}, todo.Item{ID: 2, Title: "two\nlines"}, todo.Item{ID: 3, Title: "three"}
	done := func(i todo.Item) todo.Item { i.IsComplete, i.Reason = true, "so"; return i }
	for _, tt := range []struct {
		name  string
		open  []todo.Item
		lists [][]todo.Item
		want  string
	}{
		{"only what changed, and all at the end", nil,
			[][]todo.Item{{one, two}, {done(one), two}, {done(one), done(two)}},
			"todo list · 0 of 2 done\n  [ ] 1 one\n  [ ] 2 two␊lines\n" +
				"todo list · 1 of 2 done\n  [x] 1 one — so\n" +
				"todo list · 2 of 2 done\n  [x] 2 two␊lines — so\n" +
				"── todo list · 2 of 2 done ───\n  [x] 1 one — so\n  [x] 2 two␊lines — so\n"},
		{"all was just shown", nil, [][]todo.Item{{one}, {done(one)}},
			"todo list · 0 of 1 done\n  [ ] 1 one\ntodo list · 1 of 1 done\n  [x] 1 one — so\n"},
		{"added and removed", []todo.Item{three}, [][]todo.Item{{one, two}, {two, three}, {three}},
			"todo list · 0 of 2 done\n  [ ] 1 one\n  [ ] 2 two␊lines\n" +
				"todo list · 0 of 2 done\n  [ ] 3 three\n  [-] 1 one — removed\n" +
				"todo list · 0 of 1 done\n  [-] 2 two␊lines — removed\n" +
				"── todo list · 0 of 1 done, 1 left open \n  [ ] 3 three\n"},
		{"emptied", nil, [][]todo.Item{{one}, {}},
			"todo list · 0 of 1 done\n  [ ] 1 one\ntodo list · empty\n  [-] 1 one — removed\n"},
		{"from an earlier run", []todo.Item{two}, nil, "── todo list · 0 of 1 done, 1 left open \n  [ ] 2 two␊lines\n"},
		{"no list", nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := changes(t, Result{TodosOpen: tt.open}, tt.lists...); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A list whose IDs are as large as a session's file allows takes no time.
func TestChecklistLargeIDs(t *testing.T) {
	big := todo.Item{ID: 1 << 31, Title: "big"}
	if got := changes(t, Result{}, []todo.Item{big}, []todo.Item{}); !strings.Contains(got, "[-] 2147483648 big — removed") {
		t.Errorf("got\n%s", got)
	}
}
