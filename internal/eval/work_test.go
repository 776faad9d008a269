package eval_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/eval"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	if failed := (*fault.Error)(nil); errors.As(err, &failed) {
		return failed.Code
	}
	return 0
}

// contents returns the files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			all[path] = filetest.Read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOffline checks that the recordings of an iteration reproduce its benchmark byte for
// byte without a server and its prices and change no file, and that a changed skill is an error instead of a score.
func TestOffline(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.o.Budget.Price = [2]float64{1, 1}
	f.must()
	f.o.Budget.Price = [2]float64{}
	want := filetest.Read(t, f.iteration("1", "benchmark.json"))
	folder := filepath.Dir(f.iteration("1", "x"))
	all := contents(t, folder)
	f.server.Close()
	f.o.Run.Server.BaseURL, f.o.Run.Server.Model, f.o.Offline, f.o.Jobs = "", "", true, 2
	for _, f.o.Cases = range [][]string{nil, {"1"}} {
		f.must()
		if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want {
			t.Errorf("cases %q: got\n%s\nwant\n%s", f.o.Cases, got, want)
		}
		if diff := cmp.Diff(all, contents(t, folder)); diff != "" {
			t.Errorf("cases %q: the files differ: %s", f.o.Cases, diff)
		}
	}
	f.o.Cases = nil
	f.write("SKILL.md", "---\nname: color-names\ndescription: Knows the house names of colors. Use when asked for a color.\n---\nChanged.\n")
	b, err := f.run()
	if exitCode(err) != fault.Limit || b.Statistics.ErroredRuns != 6 || !strings.Contains(b.Errored[0].Error, "the recording does not fit") {
		t.Errorf("%v %+v", err, b.Errored)
	}
	if failed := (*fault.Error)(nil); !errors.As(err, &failed) || !strings.HasPrefix(failed.Hint, "record it again") {
		t.Errorf("hint of %v: %+v", err, failed)
	}
	e, err := eval.New(t.Context(), f.env(), f.o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, _ = e.Run(t.Context())
	if lines := eval.Outcome(e); len(lines) != 1 || lines[0] != "color-names: 6 runs could not be played; no file was changed" {
		t.Errorf("%q", lines)
	}
	f.write("../color-names-workspace/iteration-1/eval-1/with_skill/run-1/grading.json", "{")
	if _, err := eval.New(t.Context(), f.env(), f.o); exitCode(err) != fault.Misuse || !strings.Contains(err.Error(), "grading.json:1: is damaged") || !strings.HasPrefix(fault.Hint(err), "restore the file") {
		t.Errorf("%v: %s", err, fault.Hint(err))
	}
}

// TestOfflineTemp checks that a recording with the temporary folder of the scripts, which
// is another one in each run, plays, and that the judge's stored answers fit.
func TestOfflineTemp(t *testing.T) {
	f := newFixture(t, map[string]string{
		"evals/evals.json": `{"skill_name":"color-names","evals":[{"id":1,"prompt":"Where?","assertions":["It names a file."]}]}`,
		"scripts/where.sh": "echo \"$TMPDIR/out.csv\"\n",
	}, func(r request) openaitest.Reply {
		switch {
		case strings.Contains(r.text, "It names a file."):
			return openaitest.Text(`{"results":[{"index":1,"passed":true,"evidence":"out.csv"}]}`)
		case !strings.Contains(r.text, "color-names"):
			return openaitest.Text("nowhere")
		case r.results() == 0:
			return openaitest.Do(openaitest.Call{ID: "c1", Name: "run_skill_script", Arguments: `{"skillName":"color-names","scriptName":"scripts/where.sh"}`})
		case r.results() == 1:
			path := regexp.MustCompile(`[^ "\\]*/out\.csv`).FindString(r.text)
			return openaitest.Do(openaitest.Call{ID: "c2", Name: "run_skill_script", Arguments: `{"skillName":"color-names","scriptName":"scripts/where.sh","arguments":["` + path + `"]}`})
		}
		return openaitest.Text("It is " + regexp.MustCompile(`[^ "\\]*/out\.csv`).FindString(r.text))
	})
	f.o.Run.Approval.Scripts = []string{"color-names/*"}
	f.must()
	if text := filetest.Read(t, f.iteration("1", "eval-1/with_skill/run-1/recording.jsonl")); strings.Contains(text, "skills-run-") || !strings.Contains(text, "/out.csv") {
		t.Error(text)
	}
	f.o.Offline = true
	if b, err := f.run(); err != nil || b.Statistics.ErroredRuns > 0 {
		t.Errorf("%v %+v", err, b.Errored)
	}
}

// TestNoRecording checks that a case without a recording is an error offline.
func TestNoRecording(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.o.Cases = []string{"1", "2", "3", "4", "5"}
	f.must()
	f.o.Cases, f.o.Offline = nil, true
	b, err := f.run()
	if err != nil || b.Statistics.ErroredRuns != 2 || b.Errored[0].Error != "no recording" {
		t.Errorf("%v %+v", err, b.Errored)
	}
}

// TestBudgets checks that each budget stops an eval with exit code 3 and a partial report,
// that --max-calls is never exceeded, and that a later eval does the rest only.
func TestBudgets(t *testing.T) {
	for name, budget := range map[string]eval.Budget{
		"--max-calls 7": {Calls: 7}, "--max-tokens 700": {Tokens: 700}, "--max-cost 0.0007": {Cost: 0.0007, Price: [2]float64{1, 1}},
	} {
		f := newFixture(t, sixCases(), skilful)
		f.o.Budget, f.o.Jobs = budget, 1
		b, err := f.run()
		if exitCode(err) != fault.Limit || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if f.server.count() != 7 || b.Statistics.ErroredRuns != 0 || len(b.Runs)+b.Meta.NotRun != 12 || len(b.Runs) == 0 {
			t.Errorf("%s: %d requests, %d runs, %+v", name, f.server.count(), len(b.Runs), b.Meta)
		}
		f.o.Budget = eval.Budget{}
		f.must()
		if n := f.server.count(); n > 19 { // 18, and those of the run that the budget ended
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

// TestDryRun checks that the number of requests that --dry-run prints is what a model that
// never answers uses, without having asked it.
func TestDryRun(t *testing.T) {
	n := 0
	f := newFixture(t, sixCases(), nil)
	f.server = newServer(t, func(r request) openaitest.Reply {
		if len(r.Tools) == 0 {
			return openaitest.Text("at last")
		}
		n++
		return openaitest.Do(openaitest.Call{ID: fmt.Sprint("c", n), Name: "todos_add", Arguments: fmt.Sprintf(`{"todos":[{"title":"%d"}]}`, n)})
	})
	f.o.Run.Server.BaseURL, f.o.Run.Limits.Turns, f.o.Jobs, f.o.Runs = f.server.URL+"/v1", 3, 1, 2
	e, err := eval.New(t.Context(), f.env(), f.o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var page strings.Builder
	if err := e.DryRun(&page); err != nil {
		t.Fatal(err)
	}
	if f.server.count() != 0 {
		t.Errorf("%d requests", f.server.count())
	}
	if _, err := os.Stat(f.dir + "-workspace"); err == nil {
		t.Errorf("a file was written")
	}
	f.must()
	want := fmt.Sprintf("6 cases × 2 arms × 2 runs = 24 runs, 0 of them stored\n  requests: at most %d to m and 0 to the judge", f.server.count())
	if !strings.Contains(page.String(), want) {
		t.Errorf("got %s, want %s", page.String(), want)
	}
}

// TestJobs checks that the number of jobs changes neither results nor their order.
func TestJobs(t *testing.T) {
	var pages []string
	for _, jobs := range []int{1, 8} {
		f := newFixture(t, sixCases(), skilful)
		f.o.Jobs = jobs
		f.must()
		text := regexp.MustCompile(`"(time_seconds|timestamp|base_url|skill_path)":[^}]*?[,\n]|[0-9]+\.[0-9]+`).ReplaceAllString(filetest.Read(t, f.iteration("1", "benchmark.json")), "")
		pages = append(pages, text)
	}
	if order := regexp.MustCompile(`"eval_id": ?\d+|"configuration": ?"\w+"`); strings.Join(order.FindAllString(pages[0], -1), "") != strings.Join(order.FindAllString(pages[1], -1), "") {
		t.Errorf("got\n%s\nand\n%s", pages[0], pages[1])
	}
}

// TestServerErrors checks that failures of the server are errors, not scores, and are
// tried again next time.
func TestServerErrors(t *testing.T) {
	down := true
	f := newFixture(t, sixCases(), nil)
	f.server = newServer(t, func(r request) openaitest.Reply {
		if down && strings.Contains(r.text, "Question 3") {
			return openaitest.Reply{Status: 500}
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	b, err := f.run()
	if err != nil || b.Statistics.ErroredRuns != 2 || b.Statistics.Cases != 5 {
		t.Errorf("%v %+v", err, b.Statistics)
	}
	down = false
	before := f.server.count()
	if b := f.must(); b.Statistics.Cases != 6 || f.server.count()-before != 3 {
		t.Errorf("%d requests, %+v", f.server.count()-before, b.Statistics)
	}
}

// TestUnknownTokens checks that the tokens of a run are unknown if a turn has no usage.
func TestUnknownTokens(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.server.silent = func(r request) bool { return r.results() > 0 }
	for _, r := range f.must().Runs {
		if known := r.Result.Tokens != nil; known != (r.Configuration == "without_skill") {
			t.Errorf("%s: tokens %v", r.Configuration, r.Result.Tokens)
		}
	}
}

// TestEmptyReply checks that a model that answers nothing has a score of 0, also when the
// recording is played.
func TestEmptyReply(t *testing.T) {
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if strings.Contains(r.text, "color-names") {
			return openaitest.Text("")
		}
		return openaitest.Text("carmine")
	})
	for _, f.o.Offline = range []bool{false, true} {
		if s := f.must().Statistics; s.ErroredRuns != 0 || s.Verdict != "worse" || *s.Score != 0 {
			t.Errorf("offline %v: %+v", f.o.Offline, s)
		}
	}
}

// TestNotes checks that a skill whose scripts nothing allows is noted, and that a prompt
// that names the skill is a warning.
func TestNotes(t *testing.T) {
	f := newFixture(t, map[string]string{
		"evals/evals.json": `{"skill_name":"color-names","evals":[{"id":1,"prompt":"Use color-names.","expected_output":"x","assertions":[{"name":"a","type":"contains","value":"red"}]}]}`,
		"scripts/a.sh":     "echo\n",
	}, skilful)
	var notes []string
	f.o.Note = func(text string) { notes = append(notes, text) }
	f.must()
	if len(notes) != 1 || !strings.Contains(notes[0], "pass --allow-script 'color-names/*'") {
		t.Errorf("notes %q", notes)
	}
	if len(f.warned) != 1 || !strings.Contains(f.warned[0], "evals.json:1: the prompt names the skill") {
		t.Errorf("warnings %q", f.warned)
	}
}

// TestFailedReplay checks that a replay that does not fit its recording changes no file.
func TestFailedReplay(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.must()
	folder := f.dir + "-workspace"
	want := contents(t, folder)
	f.server.Close()
	f.write("SKILL.md", "---\nname: color-names\ndescription: Knows other names of colors. Use when asked for a color.\n---\nRed is red.\n")
	f.o.Run.Server.BaseURL, f.o.Run.Server.Model, f.o.Offline = "", "", true
	b, err := f.run()
	if err == nil || b.Statistics.ErroredRuns == 0 {
		t.Errorf("%v, %+v", err, b.Statistics)
	}
	if diff := cmp.Diff(want, contents(t, folder)); diff != "" {
		t.Errorf("the iteration changed: %s", diff)
	}
}

// TestSelectedCases checks that an iteration of some cases is not taken for the last one
// when the workspace is reported, graded or played.
func TestSelectedCases(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.must()
	f.o.Cases = []string{"1"}
	if b := f.must(); !b.Meta.Partial || b.Statistics.Cases != 1 {
		t.Errorf("%+v", b.Meta)
	}
	if runs, meta, err := store.Read(f.dir + "-workspace"); err != nil || len(runs) != 12 || meta.Partial {
		t.Errorf("%d runs, %+v, %v", len(runs), meta, err)
	}
	f.o.Cases, f.o.Offline = nil, true
	if b := f.must(); b.Statistics.Cases != 6 {
		t.Errorf("played %+v", b.Statistics)
	}
}

// TestFatal checks that the first refusal of a key or of a model ends the eval, whether it
// is of a run or of the judge, and that it is no error of every run.
func TestFatal(t *testing.T) {
	for _, status := range []int{401, 403, 404} {
		f := newFixture(t, sixCases(), func(request) openaitest.Reply { return openaitest.Reply{Status: status} })
		f.o.Jobs = 1
		if b, err := f.run(); b != nil || exitCode(err) != fault.Failed || f.server.count() > 2 {
			t.Errorf("%d: %+v, %v, %d requests", status, b, err, f.server.count())
		}
	}
	f := newFixture(t, judgedCases(), func(r request) openaitest.Reply {
		if r.Model == "j" {
			return openaitest.Reply{Status: 401}
		}
		return skilful(r)
	})
	f.o.Jobs, f.o.JudgeModel = 1, "j"
	if b, err := f.run(); b != nil || exitCode(err) != fault.Failed || f.server.count() > 4 {
		t.Errorf("judge: %+v, %v, %d requests", b, err, f.server.count())
	}
}

// TestUsage checks that tokens and cost of runs and judge are added by arm and in total, the
// same when they are reused, and that reused runs are named.
func TestUsage(t *testing.T) {
	f := newFixture(t, judgedCases(), judging)
	f.o.Budget.Price, f.o.Baseline = [2]float64{1, 1}, "without"
	for round := range 2 {
		e, err := eval.Open(t.Context(), f.env(), f.o)
		if err != nil {
			t.Fatal(err)
		}
		forecast := e.Forecast()
		results, err := e.Run(t.Context())
		all := results.Benchmarks
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range all[0].Usage {
			got = append(got, fmt.Sprintf("%s %d %d %.4f %d %.4f", u.Configuration, u.Runs, *u.Tokens, *u.Cost, *u.JudgeTokens, *u.JudgeCost))
		}
		want := []string{"with_skill 1 200 0.0002 100 0.0001", "without_skill 1 100 0.0001 100 0.0001", "total 2 300 0.0003 200 0.0002"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		lines := strings.Join(e.Outcome(), "\n")
		if round == 0 && (!strings.Contains(forecast, "typically about 6 requests, at most 26") || !strings.Contains(lines, "used: 5 requests, 500 tokens of runs and judge, cost 0.0005")) {
			t.Errorf("%q %q", forecast, lines)
		}
		if round == 1 && (forecast != "" || !strings.Contains(lines, "color-names: 2 of 2 runs reused") || strings.Contains(lines, "used:")) {
			t.Errorf("%q %q", forecast, lines)
		}
		e.Close()
	}
}

// TestFailedUsage checks that what a run used until it failed is part of the totals, also
// when the report is made from the files.
func TestFailedUsage(t *testing.T) {
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if r.results() > 0 {
			return openaitest.Reply{Status: 400, Text: "bad request"}
		}
		return skilful(r)
	})
	f.o.Runs, f.o.Budget.Price = 1, [2]float64{1, 1}
	b, _ := f.run()
	want := "with_skill 6 6 600 0.0006; without_skill 6 0 600 0.0006; total 12 6 1200 0.0012; "
	show := func(list []store.Usage) (text string) {
		for _, u := range list {
			text += fmt.Sprintf("%s %d %d %d %.4f; ", u.Configuration, u.Runs, u.Failed, *u.Tokens, *u.Cost)
		}
		return text
	}
	if got := show(b.Usage); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	runs, meta, err := store.Read(f.dir + "-workspace")
	if err != nil {
		t.Fatal(err)
	}
	if got := show(store.Aggregate(runs, meta).Usage); got != want {
		t.Errorf("from files: got %s, want %s", got, want)
	}

	f = newFixture(t, judgedCases(), func(r request) openaitest.Reply {
		if r.Model == "j" {
			return openaitest.Text("no JSON")
		}
		return skilful(r)
	})
	f.o.Runs, f.o.JudgeModel = 1, "j"
	b, _ = f.run()
	for i, judged := range []int64{200, 200, 400} { // each judge is asked once more
		if u := b.Usage[i]; u.Failed != u.Runs || u.JudgeTokens == nil || *u.JudgeTokens != judged {
			t.Errorf("%+v", u)
		}
	}
}
