package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// part does a shard of the runs.
func (f *fixture) part(ctx context.Context, number, count int) error {
	f.t.Helper()
	f.o.Shard = fmt.Sprintf("%d/%d", number, count)
	e, err := eval.New(ctx, f.env(), f.o)
	f.o.Shard = ""
	if err != nil {
		return err
	}
	defer e.Close()
	return eval.RunPart(ctx, e, io.Discard)
}

// merge joins the parts below folders.
func (f *fixture) merge(workspace string, gate eval.Gate, dirs ...string) ([]*store.Benchmark, error) {
	f.t.Helper()
	m, err := eval.NewMerge(eval.MergeOptions{Dirs: dirs, Dir: filepath.Dir(f.dir), Workspace: workspace, Gate: gate})
	if err != nil {
		return nil, err
	}
	return m.Run(f.t.Context())
}

// times matches what two evals of the same do not share: times, and names of runs.
var times = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|"(run_id|[a-z_]*duration[a-z_]*|time_seconds)":\s*("[^"]*"|\{[^}]*\}|[0-9.e+-]+)|[0-9.]+ m?s\b(<svg class="bar".*?class="fill" width="[0-9.]+)?`)

// masked returns the files below a folder by their relative names, without times.
func masked(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	for path, text := range contents(t, dir) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		all[rel] = times.ReplaceAllString(text, "TIME")
	}
	return all
}

// treeOfSkills adds to the fixture's tree a second skill, whose cases have a judge, files and
// a failing run, and selects both.
func treeOfSkills(t *testing.T) *fixture {
	f := newFixture(t, sixCases(), nil)
	filetest.Write(t, filepath.Join(filepath.Dir(f.dir), "pigments"), map[string]string{
		"SKILL.md":         "---\nname: pigments\ndescription: Knows pigments. Use when asked for a pigment.\n---\nUse load_skill and ask for madder, which is a root of the southern hills.\n",
		"evals/in/list.md": "madder\n",
		"evals/evals.json": `{"skill_name":"pigments","evals":[
			{"id":1,"name":"root","prompt":"Which root dyes red?","expected_output":"The root","assertions":["The answer names a root"]},
			{"id":2,"prompt":"Write the list to out.txt.","files":["evals/in/list.md"],"assertions":[{"type":"not_contains","value":"blue"}]},
			{"id":3,"prompt":"This one fails.","assertions":[{"type":"contains","value":"x"}]},
			{"id":4,"prompt":"Name it again.","assertions":[{"type":"contains","value":"madder"}]}]}`,
		"evals/checks.json": `{"schema_version":1,"cases":{"1":{"runs":6},"4":{"checks":[{"type":"skill_loaded"}]}}}`,
	})
	f.server = newServer(t, func(r request) openaitest.Reply {
		switch {
		case isComparison(r):
			return comparing(r)
		case strings.Contains(r.text, `"results"`):
			return openaitest.Text(`{"results":[{"index":0,"passed":true,"evidence":"red"}]}`)
		case strings.Contains(r.text, "This one fails"):
			return openaitest.Reply{Status: 400, Text: "cannot be done"}
		}
		return skilful(r)
	})
	f.o.Paths, f.o.Run.Server.BaseURL, f.o.Runs = []string{filepath.Dir(f.dir)}, f.server.URL+"/v1", 0
	return f
}

// TestShards checks that three machines give the same files as one, except for times, and
// that what they give is an iteration like any other.
func TestShards(t *testing.T) {
	f := treeOfSkills(t)
	f.o.Pairwise = true
	f.o.Workspace = filepath.Join(t.TempDir(), "whole")
	if _, err := f.run(); exitCode(err) != fault.Limit { // of one skill, a quarter of the runs fails
		t.Fatal(err)
	}
	requests := f.server.count()
	want, total := masked(t, f.o.Workspace), 0
	whole := f.o.Workspace
	for number := 1; number <= 3; number++ {
		f.o.Workspace = filepath.Join(filepath.Dir(whole), fmt.Sprint("machine-", number))
		before := f.server.count()
		_ = f.part(t.Context(), number, 3)
		n := 0
		for path, text := range contents(t, f.o.Workspace) {
			if filepath.Base(path) == store.PartFile {
				var p store.Part
				if err := json.Unmarshal([]byte(text), &p); err != nil || !p.Complete {
					t.Fatalf("%s: %v %s", path, err, text)
				}
				n += len(p.Runs)
			}
		}
		if n < 18 || n > 24 { // six at least a case
			t.Errorf("part %d has %d of 66 runs", number, n)
		}
		total += n
		if f.server.count() == before {
			t.Errorf("part %d has asked nothing", number)
		}
	}
	if total != 66 || f.server.count() != 2*requests {
		t.Errorf("%d runs, %d requests instead of %d", total, f.server.count()-requests, requests)
	}
	asked := f.server.count()
	merged := filepath.Join(filepath.Dir(whole), "joined")
	all, err := f.merge(merged, eval.Gate{Threshold: 0.8}, filepath.Dir(whole))
	if exitCode(err) != fault.Limit || len(all) != 2 || f.server.count() != asked {
		t.Errorf("%d benchmarks, %v", len(all), err)
	}
	if diff := cmp.Diff(want, masked(t, merged)); diff != "" {
		t.Errorf("the files differ (-whole +merged):\n%s", diff)
	}
}

// TestMergeGate checks that the gates of merge are those of eval, that the result is next
// to the skill, and that it can be replayed.
func TestMergeGate(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	for number := 1; number <= 7; number++ { // the last one has no case
		if err := f.part(t.Context(), number, 7); err != nil {
			t.Fatal(err)
		}
	}
	workspace := f.dir + "-workspace"
	if _, err := f.merge("", eval.Gate{Names: []string{"pass"}, Threshold: 1, MinLift: 0}, workspace); err != nil {
		t.Error(err)
	}
	want := filetest.Read(t, f.iteration("1", "benchmark.json"))
	if _, err := f.merge("", eval.Gate{Names: []string{"lift"}, MinLift: 1}, workspace); exitCode(err) != fault.Failed {
		t.Errorf("gate lift above 1: %v", err)
	}
	if err := os.RemoveAll(f.iteration("2", "")); err != nil {
		t.Fatal(err)
	}
	asked := f.server.count()
	f.o.Offline = true
	f.must()
	if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want {
		t.Errorf("replayed: %s", cmp.Diff(want, got))
	}
	f.o.Offline = false
	f.must() // its runs are reused
	if f.server.count() != asked {
		t.Errorf("%d more requests", f.server.count()-asked)
	}
}

// TestMergeRefusals checks that parts that do not fit are refused by name, and that nothing
// is written then.
func TestMergeRefusals(t *testing.T) {
	stop := func() {}
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply { stop(); return skilful(r) })
	two, rest, _ := strings.Cut(sixCases()["evals/evals.json"], ",\n{\"id\":3")
	if rest == "" {
		t.Fatal(two)
	}
	f.write("evals/evals.json", two+"]}")
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, name) }
	run := func(name string, number, count int, change func()) {
		t.Helper()
		before := f.o
		f.o.Workspace = in(name)
		if change != nil {
			change()
		}
		if err := f.part(t.Context(), number, count); err != nil {
			t.Fatal(err)
		}
		f.o = before
	}
	run("a", 1, 2, nil)
	run("b", 2, 2, nil)
	run("three", 2, 3, nil)
	run("model", 2, 2, func() { f.o.Run.Server.Model = "other" })
	run("runs", 2, 2, func() { f.o.Runs = 2 })
	run("limits", 2, 2, func() { f.o.Run.Limits.Turns = 3 })
	old := filetest.Read(t, filepath.Join(f.dir, "SKILL.md"))
	f.write("SKILL.md", old+"More.\n")
	run("skill", 2, 2, nil)
	f.write("SKILL.md", old)
	evals := filetest.Read(t, filepath.Join(f.dir, "evals/evals.json"))
	f.write("evals/evals.json", strings.Replace(evals, "carmine", "crimson", 1))
	run("cases", 2, 2, nil)
	f.write("evals/evals.json", evals)
	run("copy", 1, 2, nil)

	ctx, cancel := context.WithCancel(t.Context())
	stop = cancel
	f.o.Workspace, f.o.Jobs = in("cut"), 1
	if err := f.part(ctx, 2, 2); err == nil {
		t.Error("the interrupt is no error")
	}
	stop = func() {}
	run("lost", 2, 2, nil)
	if err := os.RemoveAll(filepath.Join(in("lost"), "part-2-of-2", "eval-2", "with_skill")); err != nil {
		t.Fatal(err)
	}
	run("bare", 2, 2, nil)
	if err := os.Remove(filepath.Join(in("bare"), "part-2-of-2", store.PartFile)); err != nil {
		t.Fatal(err)
	}
	run("newer", 2, 2, nil)
	path := filepath.Join(in("newer"), "part-2-of-2", store.PartFile)
	text := filetest.Read(t, path)
	replace := func(from, to string) {
		t.Helper()
		if changed := strings.Replace(text, from, to, 1); changed == text || os.WriteFile(path, []byte(changed), 0o600) != nil {
			t.Fatalf("no %s in %s", from, text)
		}
	}
	for _, test := range []struct{ dirs, want string }{
		{"a", "of the 2 parts of color-names these are missing: 2"},
		{"a copy", "part 1 of 2 of color-names is also in " + in("a")},
		{"a three", "does not fit part 1 of 2 of color-names in " + filepath.Join(in("a"), "part-1-of-2") + ": parts of 2 and of 3"},
		{"a model", "the models differ (m at " + f.server.URL + "/v1 and other at "},
		{"a runs", "the parameters, limits or approvals of the runs differ"},
		{"a limits", "the parameters, limits or approvals of the runs differ"},
		{"a skill", "the files of the skill differ"},
		{"a cases", "the cases differ"},
		{"a cut", "part 2 of 2 of color-names is unfinished"},
		{"a lost", "a part of color-names has lost its run eval-2/with_skill/run-1"},
		{"a bare", "part-2-of-2: has no part.json"},
		{"a newer", "has version 7 of the form, not 1"},
		{"a outside", "is damaged: it names the case \"../x\""},
		{"nowhere", "nowhere: cannot be read"},
		{"cut/part-2-of-2/eval-1", "no part of an eval found"},
	} {
		switch test.dirs {
		case "a newer":
			replace(`"schema_version": 1`, `"schema_version": 7`)
		case "a outside":
			replace(`"eval-2"`, `"../x"`)
			test.dirs = "a newer"
		case "cut/part-2-of-2/eval-1":
			filetest.Write(t, in("cut/part-2-of-2/eval-1"), map[string]string{"x": ""})
		}
		var dirs []string
		for name := range strings.FieldsSeq(test.dirs) {
			dirs = append(dirs, in(name))
		}
		_, err := f.merge(in("result"), eval.Gate{}, dirs...)
		if exitCode(err) != fault.Misuse || !strings.Contains(err.Error(), filepath.FromSlash(test.want)) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (hint %q), want %s", test.dirs, err, fault.Hint(err), test.want)
		}
		if _, err := os.Stat(in("result/iteration-1")); err == nil {
			t.Fatalf("%s: an iteration was written", test.dirs)
		}
	}
}

// TestShardBudget checks that a part that a budget ended is incomplete, is resumed by the
// same command, and can be joined as it is.
func TestShardBudget(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.o.Budget.Calls, f.o.Jobs = 4, 1
	if err := f.part(t.Context(), 1, 2); exitCode(err) != fault.Limit || !strings.Contains(err.Error(), "part 1 of 2: budget reached") {
		t.Errorf("error %v", err)
	}
	f.o.Budget.Calls = 0
	if err := f.part(t.Context(), 2, 2); err != nil {
		t.Fatal(err)
	}
	all, err := f.merge("", eval.Gate{}, f.dir+"-workspace")
	if exitCode(err) != fault.Limit || len(all) != 1 || all[0].Meta.NotRun == 0 || !strings.HasPrefix(fault.Hint(err), "run the parts again") {
		t.Errorf("%v", err)
	}
	before := f.server.count()
	if err := f.part(t.Context(), 1, 2); err != nil {
		t.Fatal(err)
	}
	if n := f.server.count() - before; n > 6 {
		t.Errorf("%d requests for the rest", n)
	}
	if _, err := f.merge("", eval.Gate{}, f.dir+"-workspace"); err != nil {
		t.Error(err)
	}
	for _, shard := range []string{"0/2", "3/2", "2", "a/b", "1/1001", "-1/2"} {
		f.o.Shard = shard
		if e, err := eval.New(t.Context(), f.env(), f.o); exitCode(err) != fault.Misuse {
			e.Close()
			t.Errorf("--shard %s: %v", shard, err)
		}
	}
	f.o.Shard, f.o.Gate.Names = "1/2", []string{"pass"}
	if _, err := eval.New(t.Context(), f.env(), f.o); exitCode(err) != fault.Misuse || !strings.Contains(fault.Hint(err), "skills eval merge") {
		t.Errorf("--gate: %v", err)
	}
}

// TestTriggerShards checks that each skill of a tree is measured by one shard, as one machine
// measures it.
func TestTriggerShards(t *testing.T) {
	f := newFixture(t, queries(2), skilful)
	for i, n := range []int{1, 3, 2} {
		f.write(fmt.Sprintf("../other-%d/SKILL.md", i), fmt.Sprintf("---\nname: other-%d\ndescription: Is another. Use it for nothing.\n---\nBody\n", i))
		f.write(fmt.Sprintf("../other-%d/evals/triggers.json", i), queries(n)["evals/triggers.json"])
	}
	f.o.Paths = []string{filepath.Dir(f.dir)}
	measured := func(shard string) (names []string) {
		f.o.Shard, f.o.Workspace = shard, filepath.Join(t.TempDir(), "w")
		e, skills, err := eval.OpenTriggers(t.Context(), f.env(), f.o, eval.TriggerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, s := range skills {
			r, err := s.Measure(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			filetest.Read(t, filepath.Join(f.o.Workspace, r.Skill, "trigger-1", "trigger.json"))
			names = append(names, r.Skill)
		}
		return names
	}
	got := [][]string{measured("1/3"), measured("2/3"), measured("3/3"), measured("5/9")}
	if diff := cmp.Diff([][]string{{"other-1"}, {"color-names", "other-0"}, {"other-2"}, nil}, got); diff != "" {
		t.Error(diff)
	}
}
