package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// byModel answers as model old, which needs the skill, and as model new, which does not. A
// model named gone is refused.
func byModel(r request) openaitest.Reply {
	switch r.Model {
	case "gone":
		return openaitest.Reply{Status: 404}
	case "new":
		return openaitest.Text("carmine")
	}
	return skilful(r)
}

// session evaluates the skill with several models.
func (f *fixture) session(ctx context.Context) (*store.Models, []string, error) {
	f.t.Helper()
	s, err := eval.Open(ctx, f.env(), f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	defer s.Close()
	results, err := s.Run(ctx)
	if len(results.Tables) == 0 {
		return nil, nil, err
	}
	return results.Tables[0], s.Outcome(), err
}

// rows returns the models of a table with their verdicts or errors.
func rows(t *store.Models) (all []string) {
	for _, m := range t.Models {
		all = append(all, fmt.Sprint(m.Model, " ", m.Directory, " ", m.Verdict, m.Error))
	}
	return all
}

// TestModels checks that each model is measured in both arms and stored in a folder of its
// own, that a model which no longer needs the skill is named, that equal runs are reused,
// also by an eval of one model, and that the recordings give the same files.
func TestModels(t *testing.T) {
	f := newFixture(t, sixCases(), byModel)
	f.o.Run.Server.Model = "old, new"
	f.o.Budget.Price = [2]float64{1, 1}
	table, lines, err := f.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rows(table)); got != "[old models/old better new models/new inconclusive]" {
		t.Error(got)
	}
	if m := table.Models[0]; *m.With != 1 || *m.Baseline != 0 || *m.Delta != 1 || *m.Tokens != 1800 || fmt.Sprintf("%.4f", *m.Cost) != "0.0018" || m.Time == nil {
		t.Errorf("%+v", m)
	}
	if c := table.Comparisons[0]; !c.NoLonger || !strings.Contains(c.Conclusions[0], "With new no help is seen any more") {
		t.Errorf("%+v", c)
	}
	if text := strings.Join(lines, "\n"); strings.Count(text, "used: 30 requests, 3,000 tokens of runs and judge, cost 0.0030") != 1 || strings.Count(text, "report: ") != 1 {
		t.Error(text)
	}
	want := map[string]string{}
	for _, name := range []string{"models.json", "report.html", "benchmark.md", "models/new/benchmark.json", "models/old/eval-1/with_skill/run-1/recording.jsonl"} {
		want[name] = filetest.Read(t, f.iteration("1", name))
	}
	asked := f.server.count()
	f.o.Offline = true
	if _, _, err := f.session(t.Context()); err != nil || f.server.count() != asked {
		t.Errorf("%v, %d requests", err, f.server.count()-asked)
	}
	for name, text := range want {
		if got := filetest.Read(t, f.iteration("1", name)); got != text {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, text)
		}
	}
	f.o.Run.Server.Model = ""
	for _, c := range [][2]string{{"", "has recordings of several models"}, {"new,other", "has no recordings of other"}} {
		f.o.Run.Server.Model = c[0]
		if _, err := eval.Open(t.Context(), f.env(), f.o); fault.Hint(err) == "" || exitCode(err) != fault.Misuse || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%q: %v", c[0], err)
		}
	}
	f.o.Offline, f.o.Run.Server.Model = false, "new"
	f.must()
	if f.server.count() != asked {
		t.Errorf("one model: %d requests", f.server.count()-asked)
	}
	filetest.Read(t, f.iteration("2", "benchmark.json"))
}

// TestModelFormats checks that every format has each model.
func TestModelFormats(t *testing.T) {
	f := newFixture(t, sixCases(), byModel)
	f.o.Run.Server.Model = "old,new,gone"
	table, _, err := f.session(t.Context())
	if exitCode(err) != fault.Failed {
		t.Fatal(err)
	}
	for format, want := range map[string][]string{
		"text":     {"color-names: 3 models", "\n  old    1.00  0.00      +1.00  +1.00 to +1.00  better        1,800   –     ", "\n- gone failed: stopped at the first refusal", "  1     1.00 (+1.00)  1.00 (+0.00)\n"},
		"markdown": {"| old | 1.00 | 0.00 | +1.00 |", "| gone | – | – | – | – | failed |"},
		"html":     {"<a href=\"#cases-1\">old</a>", "no help is seen any more"},
		"json":     {`"executor_model": "new"`, `"no_longer_helps": true`, `"verdict": "better"`},
		"jsonl":    {`{"type":"run","executor_model":"old","eval_id":1`, `{"type":"benchmark","executor_model":"new"`, `{"type":"models","schema_version":1`},
		"junit":    {`<testsuite name="old: 1"`, `<testsuite name="new: 6"`, `<testsuite name="gone" tests="1" failures="0" errors="1">`},
	} {
		var out bytes.Buffer
		if err := report.WriteModels(&out, format, report.Target{}, table); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s: %q is missing in\n%.3000s", format, text, out.String())
			}
		}
		if format == "json" && !json.Valid(out.Bytes()) {
			t.Error("invalid JSON")
		}
	}
}

// TestModelFails checks that a server which refuses one model does not end the others, whose
// results are stored, and that the same eval continues with what is missing.
func TestModelFails(t *testing.T) {
	refused := true
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if r.Model == "gone" && !refused {
			return openaitest.Text("red")
		}
		return byModel(r)
	})
	f.o.Run.Server.Model, f.o.Jobs = "gone,old", 1
	table, _, err := f.session(t.Context())
	if exitCode(err) != fault.Failed || !strings.HasPrefix(err.Error(), "gone: stopped at the first refusal") || f.server.count() != 19 {
		t.Fatalf("%v, %d requests", err, f.server.count())
	}
	if table.Models[0].Error == "" || table.Models[1].Verdict != "better" {
		t.Errorf("%q", rows(table))
	}
	if _, err := os.Stat(f.iteration("1", "models.json")); err == nil {
		t.Error("the iteration is complete")
	}
	filetest.Read(t, f.iteration("1", "models/old/benchmark.json"))
	stored, err := store.ReadModels(f.dir + "-workspace")
	if err != nil || len(stored.Models) != 1 {
		t.Errorf("%+v, %v", stored, err)
	}
	refused = false
	before := f.server.count()
	table, lines, err := f.session(t.Context())
	if err != nil || f.server.count()-before != 12 || table.Models[0].Verdict != "inconclusive" {
		t.Errorf("%v, %d requests, %q", err, f.server.count()-before, rows(table))
	}
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "old: color-names: 12 of 12 runs reused") {
		t.Error(text)
	}
	filetest.Read(t, f.iteration("1", "models.json"))
}

// TestModelBudget checks that a budget is that of all models, and that a larger one continues
// the same iteration; and the gate, which holds for each model.
func TestModelBudget(t *testing.T) {
	f := newFixture(t, sixCases(), byModel)
	f.o.Run.Server.Model, f.o.Jobs, f.o.Budget.Calls = "new,old", 1, 15
	table, _, err := f.session(t.Context())
	if exitCode(err) != fault.Limit || !strings.Contains(err.Error(), "old: color-names: budget reached (--max-calls 15)") || f.server.count() != 15 {
		t.Fatalf("%v, %d requests", err, f.server.count())
	}
	if m := table.Models[1]; m.Stopped == "" || table.Models[0].Stopped != "" {
		t.Errorf("%+v", m)
	}
	f.o.Budget.Calls, f.o.Gate.Names = 0, []string{"lift"}
	table, _, err = f.session(t.Context())
	if exitCode(err) != fault.Failed || err.Error() != "new: color-names: gate lift: the result is inconclusive" && !strings.HasPrefix(err.Error(), "new: color-names: gate lift: ") {
		t.Errorf("%v", err)
	}
	if strings.Contains(err.Error(), "old:") || len(table.Models) != 2 {
		t.Errorf("%v", err)
	}
	filetest.Read(t, f.iteration("1", "models.json"))
	if dirs, _, err := store.Iterations(f.dir + "-workspace"); err != nil || len(dirs) != 1 {
		t.Errorf("%q, %v", dirs, err)
	}
}

// TestModelJudge checks that one judge decides about all models, and that a model's folder is
// a name that every system takes.
func TestModelJudge(t *testing.T) {
	f := newFixture(t, judgedCases(), judging)
	f.o.Run.Server.Model = "a/b:1,a/b/1"
	var notes []string
	f.o.Note = func(text string) { notes = append(notes, text) }
	table, _, err := f.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rows(table)); !strings.Contains(got, " models/a-b-1 ") || !strings.Contains(got, " models/a-b-1-2 ") {
		t.Error(got)
	}
	for _, m := range table.Models {
		for _, r := range m.Benchmark.Runs {
			for _, o := range r.Outcomes {
				if o.Judge != "" && o.Judge != "a/b:1" {
					t.Errorf("%s is judged by %s", m.Model, o.Judge)
				}
			}
		}
	}
	if text := strings.Join(notes, "\n"); strings.Count(text, "a/b:1 judges the answers of all models, its own too") != 1 {
		t.Errorf("%q", notes)
	}
}

// TestModelInterrupt checks that an interrupt ends all models, and that the eval is resumed.
func TestModelInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("interrupt")
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if r.Model == "new" {
			cancel(stop)
		}
		return byModel(r)
	})
	f.o.Run.Server.Model, f.o.Jobs = "old,new,third", 1
	if table, _, err := f.session(ctx); table != nil || !errors.Is(err, stop) {
		t.Fatalf("%+v %v", table, err)
	}
	before := f.server.count()
	if _, _, err := f.session(t.Context()); err != nil || f.server.count()-before != 12+18 {
		t.Errorf("%v, %d requests", err, f.server.count()-before)
	}
	if _, err := os.Stat(filepath.Join(f.dir+"-workspace", "iteration-2")); err == nil {
		t.Error("a second iteration was begun")
	}
}

// TestModelNames checks which lists of models are refused.
func TestModelNames(t *testing.T) {
	f := newFixture(t, sixCases(), byModel)
	for names, want := range map[string]string{"a,": "without a name", "a,b,a": "names a twice", ",": "without a name", "a,b": "--shard cannot be used with several models"} {
		f.o.Run.Server.Model, f.o.Shard = names, "1/2"
		if _, err := eval.Open(t.Context(), f.env(), f.o); exitCode(err) != fault.Misuse || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", names, err)
		}
	}
}
