package eval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestViewer checks that skill-creator's viewer finds prompt, outputs and grades of each run
// where it looks for them, and that no check sees the copy of the answer.
func TestViewer(t *testing.T) {
	f := newFixture(t, map[string]string{
		"evals/in/list.md": "red\n",
		"evals/evals.json": `{"skill_name":"color-names","evals":[
			{"id":"first","prompt":"Write it to answer.md.","prompt_baseline":"Write what you know to answer.md.","files":["evals/in/list.md"],"assertions":[{"type":"contains","value":"Done"}]},
			{"id":2,"prompt":"Name red.","assertions":[{"type":"contains","value":"Done"}]}]}`,
		"evals/checks.json": `{"schema_version":1,"cases":{"first":{"checks":[
			{"type":"file_contains","path":"answer.md","value":"carmine"},{"type":"names_regex","pattern":"answer-2","not":true}]},
			"2":{"checks":[{"type":"names_regex","pattern":"answer","not":true},{"type":"file_absent","path":"*.md"}]}}}`,
	}, func(r request) openaitest.Reply {
		if strings.Contains(r.text, "to answer.md.") && r.results() == 0 {
			return openaitest.Do(openaitest.Call{ID: "c1", Name: "write_file", Arguments: `{"path":"answer.md","content":"carmine"}`})
		}
		return openaitest.Text("Done, as asked.")
	})
	check := func() {
		t.Helper()
		for _, r := range f.must().Runs {
			if r.Result.Failed != 0 || r.Result.Total != 3 {
				t.Errorf("%s %s: %+v", r.ID, r.Configuration, r.Outcomes)
			}
		}
	}
	check()
	for _, run := range []struct{ dir, answer, prompt string }{
		{"eval-first/with_skill/run-1", "answer-2.md", "Write it to answer.md."},
		{"eval-first/without_skill/run-1", "answer-2.md", "Write what you know to answer.md."},
		{"eval-2/with_skill/run-1", "answer.md", "Name red."},
		{"eval-2/without_skill/run-1", "answer.md", "Name red."},
	} {
		dir := f.iteration("1", filepath.FromSlash(run.dir))
		if text := filetest.Read(t, filepath.Join(dir, "outputs", run.answer)); text != "Done, as asked.\n" {
			t.Errorf("%s: the answer is %q", run.dir, text)
		}
		var meta struct {
			ID     any `json:"eval_id"`
			Prompt string
		}
		text := filetest.Read(t, filepath.Join(filepath.Dir(dir), "eval_metadata.json"))
		if err := json.Unmarshal([]byte(text), &meta); err != nil || meta.Prompt != run.prompt {
			t.Errorf("%s: %v %s", run.dir, err, text)
		}
		if _, isText := meta.ID.(string); !isText {
			t.Errorf("%s: %v is not a string, as another id is", run.dir, meta.ID)
		}
		if page := filetest.Read(t, filepath.Join(dir, "transcript.md")); !strings.HasPrefix(page, "## Eval Prompt\n\n"+run.prompt+"\n\n## Transcript\n\n~~~") {
			t.Errorf("%s: the transcript is\n%s", run.dir, page)
		}
		filetest.Read(t, filepath.Join(dir, "grading.json"))
	}
	// What is played, or graded again, sees the same.
	f.o.Offline = true
	check()
	f.o.Offline, f.o.Paths, f.o.Stored = false, nil, f.iteration("1", "")
	check()
}

// TestOldWorkspace checks that the runs of a version without copies of answers are reused and
// graded, whatever they left under that name.
func TestOldWorkspace(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.must()
	files, err := filepath.Glob(f.iteration("1", "*/*/run-1/outputs/answer.md"))
	if err != nil || len(files) != 12 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		timing := filepath.Join(filepath.Dir(filepath.Dir(path)), "timing.json")
		text := filetest.Read(t, timing)
		if err := os.WriteFile(timing, []byte(strings.Replace(text, `"answer_file": "answer.md"`, `"x": 0`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked := f.server.count()
	if b := f.must(); len(b.Runs) != 12 || f.server.count() != asked {
		t.Errorf("%d runs, %d requests", len(b.Runs), f.server.count()-asked)
	}
	f.o.Stored, f.o.Paths = f.iteration("1", ""), nil
	f.must()
}
