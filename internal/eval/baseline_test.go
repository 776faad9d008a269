package eval_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/eval"
	"skills/internal/testing/filetest"
)

// TestBaselineRevision checks that ref:REV compares with the skill's files at a revision,
// without its eval files.
func TestBaselineRevision(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		c.Dir = filepath.Dir(f.dir)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	f.write("SKILL.md", "---\nname: color-names\ndescription: Knows the house names of colors. Use when asked for a color.\n---\nThe new version.\n")
	f.o.Baseline, f.o.Cases = "ref:HEAD", []string{"1"}
	if b := f.must(); b.Statistics.Baseline != "old_skill" || b.Statistics.ErroredRuns != 0 {
		t.Errorf("%+v", b.Statistics)
	}
	for arm, want := range map[string]string{"with_skill": "The new version.", "old_skill": "carmine-of-the-northern-valley"} {
		seen := filetest.Read(t, f.iteration("1", filepath.Join("eval-1", arm, "run-1", "transcript.jsonl")))
		if !strings.Contains(seen, want) || strings.Contains(seen, "evals/evals.json") {
			t.Errorf("%s: %s", arm, seen)
		}
	}
	before := len(f.must().Runs)
	f.o.Baseline, f.o.Paths, f.o.Stored = eval.Without, nil, f.dir+"-workspace" // as skills eval grade does
	if b := f.must(); b.Statistics.Baseline != "old_skill" || len(b.Runs) != before {
		t.Errorf("graded again: %d runs, want %d: %+v", len(b.Runs), before, b.Statistics)
	}
}

// TestOutputs checks that what a run leaves is stored besides unchanged inputs, and that
// assertions see the folder as the run left it.
func TestOutputs(t *testing.T) {
	f := newFixture(t, map[string]string{
		"evals/evals.json":     `{"skill_name":"color-names","evals":[{"id":1,"prompt":"Work.","expected_output":"x","files":["evals/files/keep.txt","evals/files/change.txt","evals/files/remove.txt"],"assertions":[{"name":"a","type":"contains","value":"seen"}]}]}`,
		"evals/checks.json":    `{"schema_version":1,"cases":{"1":{"checks":[{"type":"unchanged","path":"keep.txt"},{"type":"file_contains","path":"new.txt","value":"new"},{"type":"file_absent","path":"remove.txt"}]}}}`,
		"evals/files/keep.txt": "kept", "evals/files/change.txt": "before", "evals/files/remove.txt": "gone",
	}, nil)
	dir := spy(t, f)
	filetest.Write(t, dir, map[string]string{"scripts/look.sh": "set -e\nfind . -type f\ncd \"$(dirname \"$(find . -name keep.txt)\")\"\necho new > new.txt; echo after > change.txt; rm remove.txt; ln -s keep.txt link\n"})
	f.server = newServer(t, prober("x"))
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	b, err := f.run()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Runs {
		if r.Result.Failed != 0 || r.Result.Total != 4 {
			t.Errorf("%+v", r.Outcomes)
		}
	}
	var names []string
	filepath.WalkDir(f.iteration("1", filepath.Join("eval-1", "without_skill", "run-1", "outputs")), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, filepath.Base(path))
		}
		return nil
	})
	if got := strings.Join(names, " "); got != "answer.md change.txt new.txt" {
		t.Errorf("outputs %q", got)
	}
}
