package eval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/eval"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// trigger measures the skill of the fixture.
func (f *fixture) trigger(ctx context.Context, only eval.TriggerOptions) (*eval.TriggerReport, []string, error) {
	f.t.Helper()
	e, skills, err := eval.OpenTriggers(ctx, f.env(), f.o, only)
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	r, err := skills[0].Measure(ctx)
	return r, eval.Outcome(e), err
}

// triggerFile returns a file of a folder of eval trigger.
func (f *fixture) triggerFile(n int, name string) string {
	return filepath.Join(f.dir+"-workspace", fmt.Sprint("trigger-", n), name)
}

// queries returns a trigger list of so many queries, of which every second should trigger.
func queries(n int) map[string]string {
	list := []string{}
	for i := range n {
		list = append(list, fmt.Sprintf(`{"query": "Color %02d?", "should_trigger": %v}`, i, i%2 == 0))
	}
	return map[string]string{"evals/triggers.json": "[" + strings.Join(list, ",") + "]"}
}

// TestTriggerResume checks that an interrupted measurement is resumed in its folder with the
// runs that are missing, that the next one repeats nothing, and that --no-cache and a changed
// description do. What an interrupted one left of another description is removed.
func TestTriggerResume(t *testing.T) {
	var n, stop atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, queries(4), func(r request) openaitest.Reply {
		if n.Add(1) == stop.Load() {
			cancel()
		}
		return skilful(r)
	})
	f.o.Jobs, f.o.Runs = 1, 2
	stop.Store(8)
	if _, _, err := f.trigger(ctx, eval.TriggerOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	_, lines, err := f.trigger(t.Context(), eval.TriggerOptions{})
	if err != nil || !strings.Contains(strings.Join(lines, "\n"), "color-names: 3 of 10 runs reused") {
		t.Errorf("%v, %q", err, lines)
	}
	if n.Load() != 20+2 { // each run loads the skill; one was interrupted
		t.Errorf("%d requests", n.Load())
	}
	for _, step := range []struct {
		name     string
		do       func()
		requests int64
	}{
		{"equal", func() {}, 0},
		{"another query", func() { f.write("evals/triggers.json", queries(5)["evals/triggers.json"]) }, 4},
		{"no cache", func() { f.o.NoCache = true }, 24},
		{"another description", func() {
			f.o.NoCache = false
			text := filetest.Read(t, filepath.Join(f.dir, "SKILL.md"))
			f.write("SKILL.md", strings.Replace(text, "house names", "names", 1))
		}, 24},
	} {
		step.do()
		before := n.Load()
		if _, _, err := f.trigger(t.Context(), eval.TriggerOptions{}); err != nil || n.Load()-before != step.requests {
			t.Errorf("%s: %v, %d requests, want %d", step.name, err, n.Load()-before, step.requests)
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	stop.Store(n.Load() + 9)
	f.o.NoCache = true
	if _, _, err := f.trigger(ctx, eval.TriggerOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	f.write("evals/triggers.json", `[{"query": "Another?", "should_trigger": true}]`)
	if _, _, err := f.trigger(t.Context(), eval.TriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(f.triggerFile(6, ""))
	if err != nil || len(left) != 4 { // control, the query, and two files
		t.Errorf("%v, %v", left, err)
	}
}

// TestTriggerStops checks that a key that the server refuses ends a measurement at once, and
// that a budget ends it with what was measured; the next one does the rest only.
func TestTriggerStops(t *testing.T) {
	refuse := true
	f := newFixture(t, queries(4), nil)
	f.server = newServer(t, func(r request) openaitest.Reply {
		if refuse {
			return openaitest.Reply{Status: 401}
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL, f.o.Jobs = f.server.URL+"/v1", 1
	_, _, err := f.trigger(t.Context(), eval.TriggerOptions{})
	if exitCode(err) != fault.Failed || !strings.Contains(err.Error(), "stopped at the first refusal") || f.server.count() != 1 {
		t.Errorf("%v after %d requests", err, f.server.count())
	}
	refuse = false
	f.o.Budget = eval.Budget{Cost: 0.0005, Price: [2]float64{1, 1}}
	r, _, err := f.trigger(t.Context(), eval.TriggerOptions{})
	if err != nil || r.Incomplete() != "budget reached (--max-cost 0.0005)" || r.Calls != 4 || len(r.Queries) != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	f.o.Offline = true
	played, _, err := f.trigger(t.Context(), eval.TriggerOptions{})
	if diff := cmp.Diff(r, played); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	f.o.Budget, f.o.Offline = eval.Budget{}, false
	r, _, err = f.trigger(t.Context(), eval.TriggerOptions{})
	if err != nil || r.Incomplete() != "" || r.Calls != 10 || f.server.count() != 12 {
		t.Errorf("%v, %d requests, %+v", err, f.server.count(), r)
	}
}

// TestTriggerSuggestStored checks that the runs of a search for a description are stored,
// counted and played: the second search asks nothing, and the recordings give the same
// result and change no file.
func TestTriggerSuggestStored(t *testing.T) {
	const better = "Knows colors in every language. Use for any color."
	list := strings.ReplaceAll(queries(24)["evals/triggers.json"], "false", "true")
	f := newFixture(t, map[string]string{"evals/triggers.json": list}, func(r request) openaitest.Reply {
		switch {
		case strings.Contains(r.text, "Requests with the wrong result"):
			return openaitest.Text(better)
		case strings.Contains(r.text, "Use the skill color-names"), strings.Contains(r.text, better):
			return skilful(r)
		}
		return openaitest.Text("no")
	})
	f.o.Budget.Price = [2]float64{1, 1}
	only := eval.TriggerOptions{Suggest: true}
	r, _, err := f.trigger(t.Context(), only)
	if err != nil || r.Suggestion == nil || r.Suggestion.Description != better || !strings.Contains(r.Suggestion.Diff, "+description: \""+better) {
		t.Fatalf("%+v, %v", r, err)
	}
	groups := []string{}
	for _, u := range r.Usage {
		groups = append(groups, u.Configuration)
		if u.Tokens == nil || u.Cost == nil {
			t.Errorf("usage %+v", u)
		}
	}
	if diff := cmp.Diff([]string{"control", "queries", "candidates", "proposals", "total"}, groups); diff != "" || r.Calls != f.server.count() {
		t.Errorf("%s, %d calls of %d", diff, r.Calls, f.server.count())
	}
	asked := f.server.count()
	again, _, err := f.trigger(t.Context(), only)
	if err != nil || f.server.count() != asked || again.Suggestion == nil || again.Calls != r.Calls {
		t.Errorf("%v, %d requests", err, f.server.count()-asked)
	}
	all := contents(t, f.dir+"-workspace")
	f.server.Close()
	f.o.Run.Server.BaseURL, f.o.Run.Server.Model, f.o.Offline, f.o.Budget.Price = "", "", true, [2]float64{}
	played, _, err := f.trigger(t.Context(), only)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again, played); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all, contents(t, f.dir+"-workspace")); diff != "" {
		t.Error(diff)
	}
}

// TestTriggerFailedRun checks that a run that failed is an error in the recordings too, and is
// repeated by the next measurement.
func TestTriggerFailedRun(t *testing.T) {
	down := true
	f := newFixture(t, queries(4), nil)
	f.server = newServer(t, func(r request) openaitest.Reply {
		if down && strings.Contains(r.text, "Color 02?") {
			return openaitest.Reply{Status: 500}
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	r, _, err := f.trigger(t.Context(), eval.TriggerOptions{})
	if err != nil || r.Incomplete() != "all runs of 1 of 4 queries failed" {
		t.Fatalf("%v, %+v", err, r)
	}
	asked := f.server.count()
	f.o.Offline = true
	played, _, err := f.trigger(t.Context(), eval.TriggerOptions{})
	if diff := cmp.Diff(r, played); diff != "" || err != nil || f.server.count() != asked {
		t.Errorf("%v %s", err, diff)
	}
	down, f.o.Offline = false, false
	r, _, err = f.trigger(t.Context(), eval.TriggerOptions{})
	if err != nil || r.Incomplete() != "" || f.server.count() != asked+2 {
		t.Errorf("%v, %d requests, %+v", err, f.server.count()-asked, r)
	}
}
