package eval_test

import (
	"bytes"
	"context"
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

// manyCases are n cases that ask for a color.
func manyCases(n int) string {
	var cases []string
	for i := range n {
		cases = append(cases, fmt.Sprintf(`{"id":%d,"prompt":"What is the name of red? Question %d.","expected_output":"The house name.","assertions":[{"name":"house name","type":"contains","value":"carmine"}]}`, i+1, i+1))
	}
	return `{"skill_name":"color-names","evals":[` + strings.Join(cases, ",\n") + `]}`
}

// reading answers with the name if it has read it in the skill, which it loads by its
// description alone.
func reading(r request) openaitest.Reply {
	switch {
	case !strings.Contains(r.text, "house names of colors"):
		return openaitest.Text("red")
	case r.results() == 0:
		return openaitest.Do(openaitest.Call{ID: "c1", Name: "load_skill", Arguments: `{"skillName":"color-names"}`})
	case strings.Contains(r.text, "carmine-of-the-northern-valley"):
		return openaitest.Text("carmine")
	}
	return openaitest.Text("red")
}

// newAblation is a skill with a section that the answer needs, a long one that it does not,
// and a file.
func newAblation(t *testing.T, cases int, answer func(request) openaitest.Reply) *fixture {
	f := newFixture(t, map[string]string{"evals/evals.json": manyCases(cases)}, answer)
	f.write("SKILL.md", "---\nname: color-names\ndescription: Knows the house names of colors. Use when asked for a color.\n---\n# Colors\n\n## Names\nThe house name of the color red is carmine-of-the-northern-valley.\n\n"+
		"## History\n"+strings.Repeat("Painters of the northern valley made this colour for two hundred years.\n", 20)+"See references/more.md.\n")
	f.write("references/more.md", strings.Repeat("Much more about the history of the northern valley and its people.\n", 10))
	return f
}

// ablate leaves out parts.
func (f *fixture) ablate(ctx context.Context, parts ...string) (*store.Ablation, *eval.Ablation, error) {
	f.t.Helper()
	return f.ablateBy(ctx, 0.1, parts...)
}

// ablateBy leaves out parts, of which those can go that lose less than a margin. With 0.3, that
// takes eleven cases.
func (f *fixture) ablateBy(ctx context.Context, margin float64, parts ...string) (*store.Ablation, *eval.Ablation, error) {
	f.t.Helper()
	a, err := eval.NewAblation(ctx, f.env(), f.o, eval.AblateOptions{Parts: parts, Margin: margin})
	if err != nil {
		return nil, nil, err
	}
	f.t.Cleanup(a.Close)
	result, err := a.Run(ctx)
	return result, a, err
}

// outcomes returns the parts with what was found.
func outcomes(a *store.Ablation) string {
	var all []string
	for _, p := range a.Parts {
		all = append(all, p.Name+": "+p.Outcome)
	}
	return strings.Join(all, ", ")
}

// TestAblate checks, with six cases, that what is needed is found, and that nothing can go:
// six ties could miss a loss. Runs with the whole skill are those of an earlier eval, and the
// same again asks nothing.
func TestAblate(t *testing.T) {
	f := newAblation(t, 6, reading)
	f.must()
	asked := f.server.count()
	result, a, err := f.ablate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const want = "section:History: no loss seen, file:references/more.md: no loss seen, section:Names: hurts, description: hurts"
	if got := outcomes(result); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := f.server.count() - asked; n != 6*(2+2+2+1) { // without the description nothing is loaded
		t.Errorf("%d requests", n)
	}
	if p := result.Parts[0]; p.Missed < 0.45 || p.Missed > 0.46 || p.Needed != 36 || p.Tokens < 200 || p.Saved["body"] != p.Tokens || *p.Whole != 1 {
		t.Errorf("%+v", p)
	}
	if p := result.Parts[1]; fmt.Sprint(p.Mentions) != "[SKILL.md:31]" || p.Directory != "parts/file-references-more.md" || p.Saved["resource"] == 0 {
		t.Errorf("%+v", p)
	}
	if result.Combined != nil || *result.Score != 1 || result.Parts[3].Saved["catalogue"] == 0 {
		t.Errorf("%+v", result)
	}
	if text := strings.Join(a.Outcome(), "\n"); !strings.Contains(text, "color-names: 6 of 30 runs reused\nreport: ") || !strings.Contains(text, "used: 42 requests, 4,200 tokens of runs and judge") {
		t.Error(text)
	}
	var page bytes.Buffer
	if err := report.WriteAblation(&page, "text", report.Target{}, result); err != nil || !strings.Contains(page.String(), "without queries of a trigger list") {
		t.Errorf("%v %s", err, &page)
	}
	if err := a.Diff(&bytes.Buffer{}); exitCode(err) != fault.Failed || !strings.Contains(err.Error(), "nothing to cut") {
		t.Errorf("%v", err)
	}
	folder := filepath.Join(f.dir+"-workspace", "ablation")
	before := filetest.Read(t, filepath.Join(folder, "ablation.json"))
	filetest.Read(t, filepath.Join(folder, "parts/section-Names/eval-1/with_skill/run-1/grading.json"))
	asked = f.server.count()
	if _, _, err := f.ablate(t.Context()); err != nil || f.server.count() != asked {
		t.Errorf("%v, %d requests", err, f.server.count()-asked)
	}
	runs := len(contents(t, filepath.Join(folder, "parts")))
	f.o.NoCache, f.o.Budget.Calls = true, 3
	if result, _, err := f.ablate(t.Context()); exitCode(err) != fault.Limit || result.Cases > 1 || !strings.Contains(fault.Hint(err), "without --no-cache") || len(contents(t, filepath.Join(folder, "parts"))) != runs {
		t.Errorf("a budget with --no-cache: %v, %d files of %d", err, len(contents(t, filepath.Join(folder, "parts"))), runs)
	}
	f.o.NoCache, f.o.Budget.Calls, asked = false, 0, f.server.count()
	if result, _, err := f.ablate(t.Context()); err != nil || f.server.count() != asked || outcomes(result) != want {
		t.Errorf("%v, %d requests", err, f.server.count()-asked)
	}
	f.o.Offline = true
	again, _, err := f.ablate(t.Context())
	if err != nil || f.server.count() != asked || outcomes(again) != want {
		t.Errorf("%v, %d requests", err, f.server.count()-asked)
	}
	f.o.Offline = false
	f.write("SKILL.md", filetest.Read(t, filepath.Join(f.dir, "SKILL.md"))+"\n## New\nA new section.\n")
	f.o.Cases = []string{"1"}
	if result, _, err := f.ablate(t.Context(), "section:New"); err != nil || result.Parts[0].Cases != 1 {
		t.Errorf("%v %+v", err, result)
	}
	f.o.Offline, f.o.Cases = true, nil
	if result, _, err := f.ablate(t.Context(), "references/*", "section:New"); err == nil && strings.Contains(outcomes(result), "can go") {
		t.Errorf("%v", outcomes(result))
	}
	if now := filetest.Read(t, filepath.Join(folder, "ablation.json")); now == before {
		t.Error("the result is not stored")
	}
}

// TestAblateManyCases checks that with eleven cases what is not needed can go, also together, and
// that the diff has exactly that.
func TestAblateManyCases(t *testing.T) {
	f := newAblation(t, 11, reading)
	result, a, err := f.ablateBy(t.Context(), 0.3)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result); got != "section:History: can go, file:references/more.md: can go, section:Names: hurts, description: hurts" {
		t.Error(got)
	}
	if c := result.Combined; c == nil || c.Outcome != "can go" || c.Cases != 11 || c.Tokens != result.Parts[0].Tokens+result.Parts[1].Tokens {
		t.Fatalf("%+v", c)
	}
	var diff strings.Builder
	if err := a.Diff(&diff); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"--- a/color-names/SKILL.md\n", "\n-## History\n", "deleted file mode 100644\n--- a/color-names/references/more.md\n+++ /dev/null\n"} {
		if !strings.Contains(diff.String(), text) || strings.Contains(diff.String(), "-## Names") {
			t.Errorf("%q is missing in\n%s", text, &diff)
		}
	}
	for format, want := range map[string]string{
		"text":     "color-names: 2 of 4 parts can go\nwithout a mean loss of 0.30 or more; score with the whole skill 1.00 over 11 cases\n- saved together: about ",
		"markdown": "| section:Names | ",
		"json":     `"outcome": "hurts"`,
	} {
		var out bytes.Buffer
		if err := report.WriteAblation(&out, format, report.Target{}, result); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v %s", err, &out)
		}
	}
}

// TestAblateTogether checks that parts of which either is enough can go alone, and are missed
// together; and that nothing is cut then.
func TestAblateTogether(t *testing.T) {
	f := newAblation(t, 11, func(r request) openaitest.Reply {
		if r.results() > 0 && strings.Contains(r.text, "either-of-these") {
			return openaitest.Text("carmine")
		}
		return reading(r)
	})
	f.write("SKILL.md", "---\nname: color-names\ndescription: Knows the house names of colors. Use when asked for a color.\n---\n# Colors\n\n## One\nIt is either-of-these lines.\n\n## Two\nIt is either-of-these words.\n")
	result, a, err := f.ablateBy(t.Context(), 0.3, "section:*")
	if err != nil || outcomes(result) != "section:One: can go, section:Two: can go" || result.Combined.Outcome != "hurts" {
		t.Fatalf("%v %s %+v", err, outcomes(result), result.Combined)
	}
	if err := a.Diff(&bytes.Buffer{}); exitCode(err) != fault.Failed || !strings.Contains(err.Error(), "together they are missed") {
		t.Errorf("%v", err)
	}
}

// TestAblateUnshown checks that parts which can go alone are not cut together if that was not
// measured.
func TestAblateUnshown(t *testing.T) {
	f := newAblation(t, 11, reading)
	f.o.Jobs, f.o.Budget.Calls = 1, 22+22+22+10
	result, a, err := f.ablateBy(t.Context(), 0.3, "section:History", "references/*")
	if exitCode(err) != fault.Limit || result.Combined == nil || result.Combined.Outcome != "not measured" {
		t.Fatalf("%v %+v", err, result)
	}
	if err := a.Diff(&bytes.Buffer{}); exitCode(err) != fault.Failed || !strings.Contains(err.Error(), "together is not shown: not measured") {
		t.Errorf("%v", err)
	}
}

// TestAblateQueries checks that the description is measured with the queries of a trigger list.
func TestAblateQueries(t *testing.T) {
	f := newAblation(t, 6, reading)
	var queries []string
	for i := range 7 {
		queries = append(queries, fmt.Sprintf(`{"query":"Which color is number %d?","should_trigger":true}`, i))
	}
	f.write("evals/triggers.json", "["+strings.Join(queries, ",")+"]")
	result, _, err := f.ablate(t.Context(), "description")
	if err != nil {
		t.Fatal(err)
	}
	if p := result.Parts[0]; p.Outcome != "hurts" || p.Units != "queries" || p.Cases != 7 || *p.Whole != 1 || *p.Part != 0 {
		t.Errorf("%+v", p)
	}
}

// TestAblateBudget checks that a budget measures the largest part first, that nothing is said
// of the others, and that a larger one continues.
func TestAblateBudget(t *testing.T) {
	f := newAblation(t, 6, reading)
	f.o.Jobs, f.o.Budget.Calls = 1, 25
	result, _, err := f.ablate(t.Context())
	if exitCode(err) != fault.Limit || !strings.Contains(err.Error(), "color-names: budget reached (--max-calls 25): ") {
		t.Fatal(err)
	}
	if got := outcomes(result); got != "section:History: no loss seen, file:references/more.md: not measured, section:Names: not measured, description: not measured" {
		t.Error(got)
	}
	f.o.Budget.Calls = 0
	before := f.server.count()
	if result, _, err := f.ablate(t.Context()); err != nil || f.server.count()-before > 31 || strings.Contains(outcomes(result), "not measured") {
		t.Errorf("%v %d requests", err, f.server.count()-before)
	}
	stop := errors.New("interrupt")
	ctx, cancel := context.WithCancelCause(t.Context())
	f.write("more.md", "more")
	n := 0
	f.server = newServer(t, func(r request) openaitest.Reply {
		n++
		if n == 20 {
			cancel(stop)
		}
		return reading(r)
	})
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	if result, _, err := f.ablate(ctx); result != nil || !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if _, _, err := f.ablate(t.Context()); err != nil || n > 6*(2+2+2+2+2+1)+2 {
		t.Errorf("%v, %d requests", err, n)
	}
}

// TestAblateIsolation checks that a run without a part that sees its text is an error, not a
// result.
func TestAblateIsolation(t *testing.T) {
	f := newAblation(t, 1, func(r request) openaitest.Reply {
		if r.results() == 1 && !strings.Contains(r.text, "carmine-of") {
			return openaitest.Do(openaitest.Call{ID: "c2", Name: "todos_add", Arguments: `{"todos":[{"title":"The house name of the color red is carmine-of-the-northern-valley."}]}`})
		}
		return reading(r)
	})
	result, _, err := f.ablate(t.Context(), "section:Names")
	if exitCode(err) != fault.Limit || result.Parts[0].Errored != 1 || result.Parts[0].Cases != 0 {
		t.Fatalf("%v %+v", err, result)
	}
	if text := filetest.Read(t, filepath.Join(f.dir+"-workspace", "ablation/parts/section-Names/eval-1/with_skill/run-1/timing.json")); !strings.Contains(text, "contains text of what is left out") {
		t.Error(text)
	}
}

// TestAblateMistakes checks what is refused.
func TestAblateMistakes(t *testing.T) {
	f := newAblation(t, 6, reading)
	for _, c := range []struct {
		change func(o *eval.Options, only *eval.AblateOptions)
		want   string
	}{
		{func(_ *eval.Options, only *eval.AblateOptions) { only.Margin = 0 }, "--margin 0 is not between 0 and 1"},
		{func(_ *eval.Options, only *eval.AblateOptions) { only.Level = 7 }, "--level 7 is not a level"},
		{func(_ *eval.Options, only *eval.AblateOptions) { only.Parts = []string{"nothing"} }, "no part matches --part"},
		{func(_ *eval.Options, only *eval.AblateOptions) { only.Parts = []string{"["} }, "is malformed"},
		{func(o *eval.Options, _ *eval.AblateOptions) { o.Run.Server.Model = "a,b" }, "with one model"},
		{func(o *eval.Options, _ *eval.AblateOptions) { o.Offline = true }, "no recording in "},
	} {
		o, only := f.o, eval.AblateOptions{Margin: 0.1}
		c.change(&o, &only)
		if _, err := eval.NewAblation(t.Context(), f.env(), o, only); exitCode(err) != fault.Misuse || !strings.Contains(err.Error(), c.want) || fault.Hint(err) == "" {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := os.Stat(f.dir + "-workspace"); err == nil || f.server.count() > 0 {
		t.Error("something was run or written")
	}
}
