package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/eval"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

func judgedCases() map[string]string {
	return map[string]string{"evals/evals.json": `{"skill_name":"color-names","evals":[{"id":1,"prompt":"What is the name of red?","expected_output":"The house name.","assertions":["The answer is the house name"]}]}`}
}

// verdict is a judge's answer about the only sentence.
func verdict(passed bool, quotation string) openaitest.Reply {
	text, _ := json.Marshal(map[string]any{"results": []any{map[string]any{"index": 1, "passed": passed, "evidence": quotation}}})
	return openaitest.Text(string(text))
}

// judging answers as skilful, and as a judge that finds the answer good.
func judging(r request) openaitest.Reply {
	if !strings.Contains(r.text, "The answer is the house name") {
		return skilful(r)
	}
	if strings.Contains(r.text, "carmine") {
		return verdict(true, "carmine")
	}
	return verdict(false, "red")
}

// TestJudgedOffline checks that a judged eval plays without a server byte for byte, and
// that grading it again asks nothing that was asked before.
func TestJudgedOffline(t *testing.T) {
	f := newFixture(t, judgedCases(), judging)
	f.o.Run.Server.Model, f.o.Budget.Price = "m", [2]float64{1, 1}
	b := f.must()
	f.o.Budget.Price = [2]float64{}
	if b.Meta.Judge != "m" || len(b.Runs) != 2 {
		t.Fatalf("%+v %+v", b.Meta, b.Errored)
	}
	want, asked := filetest.Read(t, f.iteration("1", "benchmark.json")), f.server.count()
	if text := f.forecast(); text != "" {
		t.Error(text)
	}
	f.o.JudgeModel = "other"
	if text := f.forecast(); text != "no new runs: typically about 2 requests to the judge, at most 4" {
		t.Error(text)
	}
	f.o.JudgeModel = ""
	f.o.Stored, f.o.Paths = f.iteration("1", ""), nil
	f.must()
	if n := f.server.count() - asked; n != 0 {
		t.Errorf("%d requests to grade again", n)
	}
	f.server.Close()
	f.o.Stored, f.o.Paths, f.o.Offline, f.o.Run.Server.BaseURL, f.o.Run.Server.Model = "", []string{f.dir}, true, "", ""
	f.must()
	if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestJudgeFails checks that a failing judge is an error of the run, and that grading
// stored runs with it keeps their grades.
func TestJudgeFails(t *testing.T) {
	down := false
	f := newFixture(t, judgedCases(), func(r request) openaitest.Reply {
		if down && strings.Contains(r.text, "The answer is the house name") {
			return openaitest.Reply{Status: 500}
		}
		return judging(r)
	})
	f.must()
	path := f.iteration("1", filepath.Join("eval-1", "with_skill", "run-1", store.GradingFile))
	want := filetest.Read(t, path)
	down, f.o.Stored, f.o.NoCache = true, f.iteration("1", ""), true
	if _, err := f.run(); err == nil {
		t.Errorf("no error")
	}
	if got := filetest.Read(t, path); got != want {
		t.Errorf("the old grades changed: %s", got)
	}
	f.o.Stored = ""
	b, err := f.run()
	if err == nil || len(b.Errored) != 2 || !strings.HasPrefix(b.Errored[0].Error, "the judge failed: the server at ") {
		t.Errorf("%v %+v", err, b.Errored)
	}
}

// TestGradeFails checks that grading again changes no file of an iteration if the judge
// fails, or the user interrupts it, after some of its answers.
func TestGradeFails(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		judged := 0
		f := newFixture(t, judgedCases(), func(r request) openaitest.Reply {
			if r.Model != "j2" {
				return judging(r)
			}
			judged++
			if judged == 1 {
				return verdict(true, "carmine")
			}
			if interrupted {
				cancel()
			}
			return openaitest.Reply{Status: 400}
		})
		f.o.Jobs = 1
		f.must()
		files := func() map[string]string {
			all := map[string]string{}
			filepath.WalkDir(f.iteration("1", ""), func(path string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					all[path] = filetest.Read(t, path)
				}
				return err
			})
			return all
		}
		want := files()
		f.o.Stored, f.o.JudgeModel = f.iteration("1", ""), "j2"
		_, err := f.runIn(ctx)
		if diff := cmp.Diff(want, files()); diff != "" || judged < 2 {
			t.Errorf("interrupted %v, %d judgements: the iteration changed: %s", interrupted, judged, diff)
		}
		if interrupted {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			continue
		}
		var failed *fault.Error
		if !errors.As(err, &failed) || failed.Code != fault.Failed || !strings.HasPrefix(err.Error(), "case 1, with") || failed.Hint == "" {
			t.Errorf("error %v", err)
		}
		f.o.JudgeModel = "j3"
		f.must()
		if got := files(); got[f.iteration("1", "benchmark.json")] == want[f.iteration("1", "benchmark.json")] {
			t.Error("the new grades were not kept")
		}
		f.o.Stored, f.o.JudgeModel, f.o.Offline = "", "", true
		f.must()
	}
}

// TestJudgeKey checks that a judge at another origin gets no key of the model's server, but
// the one that --judge-key-env names.
func TestJudgeKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-executor")
	t.Setenv("JUDGE_KEY", "sk-judge")
	for name, want := range map[string]string{"": "", "JUDGE_KEY": "Bearer sk-judge"} {
		other := newServer(t, judging)
		f := newFixture(t, judgedCases(), judging)
		f.o.JudgeBaseURL, f.o.JudgeModel, f.o.JudgeKeyEnv = other.URL+"/v1", "j", name
		f.must()
		for _, r := range other.seen {
			if r.key != want {
				t.Errorf("%q: the judge got %q, want %q", name, r.key, want)
			}
		}
		for _, r := range f.server.seen {
			if r.key != "Bearer sk-executor" || r.Model == "j" {
				t.Errorf("the model's server got %q for %s", r.key, r.Model)
			}
		}
		if len(other.seen) == 0 {
			t.Errorf("the judge was not asked")
		}
	}
}

// TestCommandAssertion checks that a program of an assertion is run in the run's folder,
// with its inputs, and finds its file next to the cases.
func TestCommandAssertion(t *testing.T) {
	files := sixCases()
	files["evals/checks.json"] = `{"schema_version":1,"cases":{"1":{"checks":[{"type":"command","command":["bash","evals/check.sh"]}]}}}`
	files["evals/check.sh"] = "test \"$(pwd)\" != \"$SKILL_DIR\" && case $PATH in bin:*) false;; esac\n"
	f := newFixture(t, files, skilful)
	f.o.Cases = []string{"1"}
	t.Setenv("PATH", "bin"+string(os.PathListSeparator)+os.Getenv("PATH")) // the folder of the run may have one
	b := f.must()
	if len(b.Runs) == 0 {
		t.Error("nothing was run")
	}
	const warning = `the PATH of command checks is used without "bin": scripts may be able to put programs there`
	if n := len(slices.DeleteFunc(slices.Clone(f.warned), func(text string) bool { return text != warning })); n != 1 {
		t.Errorf("warned %d times: %q", n, f.warned)
	}
	for _, r := range b.Runs {
		if o := r.Outcomes[len(r.Outcomes)-1]; !o.Passed {
			t.Errorf("%+v", o)
		}
	}
}

// TestJudgeBudget checks that the judge's requests count for --max-calls, and that the run
// which it prevents from being graded is not run, rather than failed.
func TestJudgeBudget(t *testing.T) {
	f := newFixture(t, judgedCases(), judging)
	f.o.Budget, f.o.Jobs, f.o.Run.Server.Retries = eval.Budget{Calls: 4}, 1, 3 // two and one for the runs, one for a grade
	b, err := f.run()
	if exitCode(err) != fault.Limit || f.server.count() != 4 || len(b.Runs) != 1 || b.Meta.NotRun != 1 || len(b.Errored) != 0 {
		t.Errorf("%v, %d requests, %d runs, %+v", err, f.server.count(), len(b.Runs), b.Meta)
	}
}

// TestJudgeVotes checks that the majority of three votes decides, and that the votes are
// stored and not asked for again.
func TestJudgeVotes(t *testing.T) {
	var mu sync.Mutex
	votes := 0
	f := newFixture(t, judgedCases(), func(r request) openaitest.Reply {
		if !strings.Contains(r.text, "The answer is the house name") {
			return skilful(r)
		}
		mu.Lock()
		defer mu.Unlock()
		votes++
		return verdict(votes != 2, "carmine")
	})
	f.o.JudgeVotes, f.o.Baseline = 3, "none"
	for range 2 {
		b := f.must()
		if o := b.Runs[0].Outcomes[0]; votes != 3 || !o.Passed || o.Votes == nil || *o.Votes != [2]int{2, 1} {
			t.Errorf("%d votes, %+v", votes, o)
		}
	}
}
