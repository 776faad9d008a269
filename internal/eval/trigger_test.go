package eval_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/clients"
	"skills/internal/eval"
	"skills/internal/testing/openaitest"
)

// TestClientCatalogue checks that --client measures the catalogue as that client shows it:
// Codex lists all of these skills, run only as many as its catalogue has room for. Both
// shorten descriptions.
func TestClientCatalogue(t *testing.T) {
	f := newFixture(t, map[string]string{"evals/triggers.json": `[{"query": "a", "should_trigger": true}]`},
		func(request) openaitest.Reply { return openaitest.Reply{Text: "no"} })
	words := strings.TrimSpace(strings.Repeat("long words ", 90))
	for i := range 60 {
		f.write(fmt.Sprintf("../skill-%d/SKILL.md", i), fmt.Sprintf("---\nname: skill-%d\ndescription: %s\n---\nBody\n", i, words))
	}
	for _, client := range []*clients.Client{nil, clients.Find("codex")} {
		e, skills, err := eval.OpenTriggers(t.Context(), f.env(), f.o, eval.TriggerOptions{Client: client})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		before := f.server.count()
		r, err := skills[0].Measure(t.Context())
		if err != nil || r.Control.Runs != 1 || len(r.Siblings) != 60 {
			t.Fatalf("%+v, %v", r, err)
		}
		text := f.server.seen[before].text
		listed := 0
		for i := range 60 {
			if strings.Contains(text, fmt.Sprintf("skill-%d: ", i)) || strings.Contains(text, fmt.Sprintf("<name>skill-%d</name>", i)) {
				listed++
			}
		}
		parts := strings.Count(text, "long words")
		switch {
		case parts == 0 || strings.Contains(text, words):
			t.Errorf("%v: %d parts of descriptions, or a whole one", client, parts)
		case client == nil && (listed == 0 || listed == 60), client != nil && listed != 60:
			t.Errorf("%v: %d of 60 skills listed", client, listed)
		}
	}
}

// TestTriggerUnmeasured checks that a query whose runs all fail makes the report
// incomplete, also if few runs fail, and that each skill has its own calls and tokens.
func TestTriggerUnmeasured(t *testing.T) {
	list := `[{"query": "Query 0", "should_trigger": true}`
	for i := range 6 {
		list += fmt.Sprintf(`,{"query": "Query %d", "should_trigger": true}`, i+1)
	}
	f := newFixture(t, map[string]string{"evals/triggers.json": list + "]"}, func(r request) openaitest.Reply {
		if strings.Contains(r.text, "Query 3") {
			return openaitest.Reply{Status: 500}
		}
		return skilful(r)
	})
	f.write("../other/SKILL.md", "---\nname: other\ndescription: Is another. Use it for nothing.\n---\nBody\n")
	f.write("../other/evals/triggers.json", `[{"query": "x", "should_trigger": false}]`)
	f.o.Paths = []string{filepath.Dir(f.dir)}
	e, skills, err := eval.OpenTriggers(t.Context(), f.env(), f.o, eval.TriggerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	calls, tokens := 0, int64(0)
	for i, want := range []string{"all runs of 1 of 7 queries failed", "the model does not load the skill even if the prompt names it"} {
		r, err := skills[i].Measure(t.Context())
		if err != nil || r.Incomplete() != want {
			t.Errorf("%v, incomplete: %q, want %q", err, r.Incomplete(), want)
		}
		calls, tokens = calls+r.Calls, tokens+r.Tokens
	}
	if n := f.server.count() - 1; calls != n || tokens != int64(100*n) {
		t.Errorf("%d calls with %d tokens, but the server answered %d requests", calls, tokens, n)
	}
}
