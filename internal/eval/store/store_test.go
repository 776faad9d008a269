package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/testing/filetest"
)

// written writes files below a new folder, by path.
func written(t *testing.T, content map[string]string) string {
	t.Helper()
	return filetest.Write(t, t.TempDir(), content)
}

const (
	pass = `{"expectations":[{"text":"a","passed":true,"evidence":"seen"}],"summary":{"passed":1,"failed":0,"total":1,"pass_rate":1.0}}`
	fail = `{"expectations":[{"text":"a","passed":false,"evidence":"not seen"}],"summary":{"passed":0,"failed":1,"total":1,"pass_rate":0.0}}`
	both = `{"expectations":[{"text":"a","passed":true,"evidence":""},{"text":"b","passed":false,"evidence":""}]}`
)

func read(t *testing.T, dir string) *Benchmark {
	t.Helper()
	runs, meta, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Aggregate(runs, meta)
}

// TestSign reads skill-creator's workspaces: the difference is that of the measured skill
// to the baseline, whatever the order of the folders' names.
func TestSign(t *testing.T) {
	for name, c := range map[string]struct {
		content  map[string]string
		delta    string
		baseline string
	}{
		"without": {map[string]string{"eval-0/with_skill/run-1/grading.json": pass, "eval-0/without_skill/run-1/grading.json": both}, "+0.50", WithoutSkill},
		"old":     {map[string]string{"eval-0/with_skill/run-1/grading.json": pass, "eval-0/old_skill/run-1/grading.json": both}, "+0.50", OldSkill},
		"new":     {map[string]string{"eval-0/new_skill/run-1/grading.json": both, "eval-0/old_skill/run-1/grading.json": pass}, "-0.50", OldSkill},
		"three":   {map[string]string{"eval-0/with_skill/run-1/grading.json": pass, "eval-0/old_skill/run-1/grading.json": pass, "eval-0/without_skill/run-1/grading.json": both}, "+0.50", WithoutSkill},
		"flat":    {map[string]string{"eval-0/with_skill/grading.json": pass, "eval-0/without_skill/grading.json": fail}, "+1.00", WithoutSkill},
		"runs":    {map[string]string{"runs/eval-0/with_skill/run-1/grading.json": pass, "runs/eval-0/without_skill/run-1/grading.json": fail}, "+1.00", WithoutSkill},
		"among outputs": {map[string]string{"sums/with_skill/outputs/grading.json": pass, "sums/with_skill/timing.json": `{"total_tokens": 9}`,
			"sums/without_skill/run-1/outputs/grading.json": fail}, "+1.00", WithoutSkill},
		"both places": {map[string]string{"sums/with_skill/grading.json": pass, "sums/with_skill/outputs/grading.json": fail, "sums/without_skill/grading.json": fail}, "+1.00", WithoutSkill},
		"objects": {map[string]string{"sums/eval_metadata.json": `{"eval_id": 3, "assertions": [{"id": "x", "description": "y"}]}`,
			"sums/with_skill/grading.json": pass, "sums/without_skill/grading.json": fail}, "+1.00", WithoutSkill},
		"arms": {map[string]string{"a/with_skill/eval_metadata.json": `{"eval_id": 3}`, "a/with_skill/grading.json": pass,
			"b/with_skill/eval_metadata.json": `{"eval_id": 4}`, "b/with_skill/grading.json": pass, "b/without_skill/grading.json": fail}, "+1.00", WithoutSkill},
		"other names": {map[string]string{"iteration-2/sums/with_skill/run-1/grading.json": pass, "iteration-2/sums/without_skill/run-1/grading.json": fail,
			"iteration-1/sums/with_skill/run-1/grading.json": fail}, "+1.00", WithoutSkill},
		"alone": {map[string]string{"eval-0/with_skill/run-1/grading.json": pass}, "", ""},
	} {
		b := read(t, written(t, c.content))
		var summary struct {
			Delta struct {
				Rate *string `json:"pass_rate"`
			} `json:"delta"`
		}
		data, err := json.Marshal(b.Summary)
		if err == nil {
			err = json.Unmarshal(data, &summary)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := summary.Delta.Rate; (got == nil) != (c.delta == "") || got != nil && *got != c.delta {
			t.Errorf("%s: the delta of %s is not %q", name, data, c.delta)
		}
		if b.Statistics.Baseline != c.baseline {
			t.Errorf("%s: the baseline is %q, want %q", name, b.Statistics.Baseline, c.baseline)
		}
		if got := signedText(b.Statistics.Delta); got != c.delta {
			t.Errorf("%s: the difference over cases is %q, want %q", name, got, c.delta)
		}
		if i, j := strings.Index(string(data), `"old_skill"`), strings.Index(string(data), `_skill":`); i >= 0 && i < j {
			t.Errorf("%s: the baseline comes first: %s", name, data)
		}
	}
}

func signedText(v *float64) string {
	s, _ := signed(&Stat{Mean: deref(v)}, &Stat{}, 2).(string)
	if v == nil {
		return ""
	}
	return s
}

func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// TestEqualNumbers checks that ids that are written differently are two cases, also if they
// are the same number.
func TestEqualNumbers(t *testing.T) {
	content := map[string]string{}
	for slug, id := range map[string]string{"a": "1", "b": `"01"`, "c": "2"} {
		content[slug+"/eval_metadata.json"] = `{"eval_id":` + id + `}`
		for _, run := range []string{"1", "2"} {
			content[slug+"/with_skill/run-"+run+"/grading.json"] = pass
			content[slug+"/without_skill/run-"+run+"/grading.json"] = fail
		}
	}
	b := read(t, written(t, content))
	if len(b.Cases) != 3 || b.Statistics.Cases != 3 || b.Statistics.Errored != 0 {
		t.Errorf("%d cases, statistics %+v", len(b.Cases), b.Statistics)
	}
}

// TestReadErrors checks that a folder without runs, a foreign one and damaged files are
// errors that name the path.
func TestReadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		content map[string]string
		want    string
	}{
		"empty":   {nil, "no runs found"},
		"foreign": {map[string]string{"src/main.go": "package main", "docs/run-1/x": ""}, "no runs found"},
		"unknown": {map[string]string{"eval-1/treatment/run-1/grading.json": pass}, "treatment: unknown configuration"},
		"damaged": {map[string]string{"eval-1/with_skill/run-1/grading.json": "{\n  \"expectations\": [,]}"}, "grading.json:2: is damaged"},
		"type":    {map[string]string{"eval-1/with_skill/run-1/grading.json": `{"expectations":"all"}`}, "grading.json:1: is damaged: expectations cannot be of type string"},
		"one id": {map[string]string{"a/eval_metadata.json": `{"eval_id":1}`, "a/with_skill/run-1/grading.json": pass,
			"b/eval_metadata.json": `{"eval_id":1}`, "b/with_skill/run-1/grading.json": fail}, "b: has the same eval_id as a: 1"},
		"score":  {map[string]string{"eval-1/with_skill/grading.json": `{"expectations":[{"text":"a","passed":true,"score":7}]}`}, "grading.json: is damaged: score 7 with weight 1"},
		"weight": {map[string]string{"eval-1/with_skill/grading.json": `{"expectations":[{"text":"a","passed":true,"weight":-1}]}`}, "grading.json: is damaged: score 1 with weight -1"},
		"meta":   {map[string]string{"eval-1/eval_metadata.json": "[]", "eval-1/with_skill/run-1/grading.json": pass}, "eval_metadata.json:1: is damaged"},
	} {
		if _, _, err := Read(written(t, c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	ablated := written(t, map[string]string{"ablation.json": "{}", "whole/eval-1/with_skill/run-1/grading.json": pass})
	if _, _, err := Read(ablated); !strings.HasPrefix(fault.Hint(err), "read "+filepath.Join(ablated, "ablation.md")) {
		t.Errorf("%v, %s", err, fault.Hint(err))
	}
	several := written(t, map[string]string{"tea/iteration-1/eval-1/with_skill/run-1/grading.json": pass})
	if _, _, err := Read(several); fault.Hint(err) != "name the folder of one skill, such as "+filepath.Join(several, "tea") {
		t.Errorf("%v, %s", err, fault.Hint(err))
	}
	if _, _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a missing folder: %v", err)
	}
}

// TestRoundTrip checks that what WriteRun writes is read again, and that a byte order mark
// is ignored.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	run := Run{
		Case: "7", Name: "sums", Slug: "eval-7-sums", Configuration: WithSkill, Number: 2, Dir: filepath.Join(dir, "eval-7-sums/with_skill/run-2"), Prompt: "add",
		Outcomes: []Outcome{
			{Text: "a", Passed: true, Evidence: "seen", Type: "contains", Weight: 2, Score: 1},
			{Text: "b", Evidence: "half", Type: "command", Weight: 1, Score: 0.5, Arm: "with"},
		},
		Metrics: Metrics{ToolCalls: map[string]int{"load_skill": 1, "run_skill_script": 2}, Calls: new(3), Turns: 4, Failures: new(1)},
		Timing: Timing{
			Tokens: new(int64(1200)), Cost: new(0.25), MS: new(int64(3250)), Executor: 3.25, Grader: 1, Total: 4.25,
			Start: new(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)), End: new(time.Date(2026, 1, 2, 3, 4, 8, 0, time.UTC)),
		},
	}
	if err := os.MkdirAll(run.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := files.SaveJSON(t.Context(), filepath.Join(dir, run.Slug, MetadataFile), CaseMeta{ID: "7", Name: "sums", Prompt: "add"}); err != nil {
		t.Fatal(err)
	}
	if err := WriteRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(run.Dir, GradingFile)
	data, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte("\ufeff"), data...), 0o644); err != nil {
		t.Fatal(err)
	}
	runs, _, err := Read(dir)
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	if diff := cmp.Diff(run, runs[0], cmpopts.IgnoreUnexported(Run{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	// A failed run keeps no score for readers that know only grading.json.
	run.Error = "the server closed the connection"
	if err := WriteRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	runs, _, _ = Read(dir)
	if runs[0].Failed() != run.Error {
		t.Errorf("the error is %q", runs[0].Failed())
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a failed run has a grading.json: %v", err)
	}
}

// TestSkillCreatorKeys checks the keys that skill-creator's aggregator and viewer read.
func TestSkillCreatorKeys(t *testing.T) {
	dir := t.TempDir()
	run := Run{Case: "1", Name: "sums", Configuration: WithSkill, Number: 1, Dir: dir,
		Timing:  Timing{Executor: 2, Tokens: new(int64(9))},
		Metrics: Metrics{ToolCalls: map[string]int{"load_skill": 1}, Calls: new(1), Failures: new(0)}, Outcomes: []Outcome{{Text: "a", Passed: true, Evidence: "e", Weight: 1, Score: 1}}}
	old := run
	old.Configuration, old.Tokens, old.Outcomes = OldSkill, nil, []Outcome{{Text: "a", Weight: 1}}
	if err := WriteRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	b := Aggregate([]Run{old, run}, Meta{Skill: "s", Notes: []string{"n"}})
	if err := files.SaveJSON(t.Context(), filepath.Join(dir, BenchmarkFile), b); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{
		{GradingFile, `"expectations": [`, `"assertion_results": [`, `"text": "a"`, `"passed": true`, `"evidence": "e"`, `"pass_rate": 1`, `"total_tool_calls": 1`, `"executor_duration_seconds": 2`},
		{TimingFile, `"total_tokens": 9`, `"duration_ms": 2000`, `"total_duration_seconds": 2`, `"executor_duration_seconds": 2`},
		{BenchmarkFile, `"skill_name": "s"`, `"executor_model": ""`, `"evals_run": [`, `"eval_id": 1`, `"eval_name": "sums"`, `"configuration": "with_skill"`, `"run_number": 1`,
			`"result": {`, `"time_seconds": 2`, `"tokens": 9`, `"tool_calls": 1`, `"errors": 0`, `"notes": []`, `"pass_rate": "+1.00"`, `"time_seconds": "+0.0"`, `"tokens": null`, `"n"`,
			`"verdict": "inconclusive"`, `"ci95": null`, `"p_signflip": 1`, `"mde80": null`},
	} {
		data, err := os.ReadFile(filepath.Join(dir, c[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c[1:] {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s has no %s:\n%s", c[0], want, data)
			}
		}
	}
	// The aggregator takes the tokens of timing.json only without this key.
	if data, _ := os.ReadFile(filepath.Join(dir, GradingFile)); strings.Contains(string(data), "total_duration_seconds") {
		t.Error("grading.json has total_duration_seconds")
	}
}

// TestOwnGrades checks that a run of this program, which failed, does not grade itself by a
// file that it left.
func TestOwnGrades(t *testing.T) {
	for _, timing := range []string{`{"error":"timeout"}`, `{"key":"k"}`} {
		runs, _, err := Read(written(t, map[string]string{
			"eval-0/with_skill/run-1/outputs/grading.json": pass, "eval-0/with_skill/run-1/timing.json": timing,
		}))
		if err != nil || len(runs) != 1 || runs[0].Failed() == "" {
			t.Errorf("%s: %+v, %v", timing, runs, err)
		}
	}
}

// TestMetaIDs checks that all ids are written in one way, because others sort them.
func TestMetaIDs(t *testing.T) {
	for want, ids := range map[string][]string{`[1,20]`: {"1", "20"}, `["1","b"]`: {"1", "b"}, `["01","2"]`: {"01", "2"}} {
		if got, err := json.Marshal(MetaIDs(ids)); err != nil || string(got) != want {
			t.Errorf("%q: %s, want %s", ids, got, want)
		}
	}
}

// TestTrend checks that the iterations of a workspace are results in their order: those of
// skill-creator without statistics too, but no unfinished one.
func TestTrend(t *testing.T) {
	graded := `{"expectations": [{"text": "a", "passed": true, "evidence": ""}]}`
	dir := filetest.Write(t, filepath.Join(t.TempDir(), "w"), map[string]string{
		"iteration-1/benchmark.json":                          `{"metadata": {"skill_name": "sums", "evals_run": [1]}}`,
		"iteration-1/eval-1/with_skill/run-1/grading.json":    graded,
		"iteration-1/eval-1/without_skill/run-1/grading.json": graded,
		"iteration-2/benchmark.json":                          `{"metadata": {"timestamp": "2026-01-02T03:04:05Z"}, "statistics": {"n_cases": 7, "delta": 0.5, "verdict": "better"}}`,
		"iteration-3/eval-1/with_skill/run-1/grading.json":    graded,
		"iteration-10/eval-1/with_skill/run-1/grading.json":   graded,
	})
	b := Aggregate([]Run{{Case: "1", Configuration: WithSkill, Number: 1}}, Meta{Dir: filepath.Join(dir, "iteration-10")})
	got := ""
	for _, p := range Trend([]*Benchmark{b}) {
		got += fmt.Sprintf("%d %d %s;", p.Number, p.Statistics.Cases, p.Statistics.Verdict)
	}
	if want := "1 1 inconclusive;2 7 better;10 0 inconclusive;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := Trend([]*Benchmark{Aggregate(nil, Meta{})}); got != nil {
		t.Errorf("without a workspace: %v", got)
	}
}

// TestReadAnswer checks that the answer is the end of the transcript, however long the events
// before it are, and that no link is followed.
func TestReadAnswer(t *testing.T) {
	event := `{"type":"text","text":"` + strings.Repeat("x", 200<<10) + `"}` + "\n"
	long := strings.Repeat("y", 300<<10)
	for name, test := range map[string][3]string{
		"short":    {event + `{"type":"run.result","text":"42"}` + "\n", "42", ""},
		"one line": {`{"type":"run.result","text":"42"}`, "42", ""},
		"long":     {event + `{"type":"run.result","text":"` + long + `"}` + "\n", long, ""},
		"broken":   {event, "", "the transcript has no result"},
		"too long": {`{"type":"run.result","text":"` + strings.Repeat("z", maxFile) + `"}`, "", ErrLong.Error()},
	} {
		dir := filetest.Write(t, t.TempDir(), map[string]string{TranscriptFile: test[0]})
		got, size, err := Result{Dir: dir, Copy: "../../x"}.ReadAnswer(100)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if got != test[1] || size != len(got) || message != test[2] {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	copied := filetest.Write(t, t.TempDir(), map[string]string{"outputs/answer.md": long + "ü\n", "outputs/short.md": "42\n"})
	if got, size, err := (Result{Dir: copied, Copy: "answer.md"}).ReadAnswer(100); len(got) < 100 || len(got) > 110 || size != len(long)+2 || err != nil {
		t.Errorf("a copy: %d of %d bytes, %v", len(got), size, err)
	}
	if got, size, err := (Result{Dir: copied, Copy: "short.md"}).ReadAnswer(100); got != "42" || size != 2 || err != nil {
		t.Errorf("a short copy: %q of %d bytes, %v", got, size, err)
	}
	if got, _, err := (Result{Dir: t.TempDir()}).ReadAnswer(100); got != "" || err != nil {
		t.Errorf("without a transcript: %q, %v", got, err)
	}
	dir := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, TranscriptFile)); err == nil {
		if _, _, err := (Result{Dir: dir}).ReadAnswer(100); err == nil {
			t.Error("a link is followed")
		}
	}
}
