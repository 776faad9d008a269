package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"skills/internal/eval"
	"skills/internal/fault"
	"skills/internal/run"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestCache checks that an equal eval asks nothing again, a changed skill repeats its own
// arm only, and --no-cache repeats everything.
func TestCache(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	steps := []struct {
		name     string
		do       func()
		requests int
	}{
		{"first", func() {}, 18},
		{"equal", func() {}, 0},
		{"changed skill", func() { f.write("more.md", "more") }, 12},
		{"no cache", func() { f.o.NoCache = true }, 18},
	}
	for i, step := range steps {
		step.do()
		before := f.server.count()
		f.must()
		if got := f.server.count() - before; got != step.requests {
			t.Errorf("%s: %d requests, want %d", step.name, got, step.requests)
		}
		filetest.Read(t, f.iteration(fmt.Sprint(i+1), "benchmark.json"))
	}
}

// TestCacheLimits checks that runs are repeated if an approval or a limit has changed, and
// that -y approves the same as --approve always.
func TestCacheLimits(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.o.Cases = []string{"1"}
	f.must()
	for _, step := range []struct {
		name     string
		change   func(o *run.Options)
		requests int
	}{
		{"equal", func(*run.Options) {}, 0},
		{"--approve always", func(o *run.Options) { o.Approval.Mode = "always" }, 3},
		{"-y", func(o *run.Options) { o.Approval.Mode, o.Approval.Yes = "", true }, 0},
		{"--script-timeout", func(o *run.Options) { o.Scripts.Timeout++ }, 3},
		{"--hook-timeout", func(o *run.Options) { o.Programs.HookTimeout++ }, 3},
		{"--max-failures", func(o *run.Options) { o.Limits.Failures++ }, 3},
		{"--timeout", func(o *run.Options) { o.Limits.Timeout++ }, 3},
	} {
		step.change(&f.o.Run)
		before := f.server.count()
		f.must()
		if got := f.server.count() - before; got != step.requests {
			t.Errorf("%s: %d requests, want %d", step.name, got, step.requests)
		}
	}
}

// TestMissingIteration checks that iterations are found, reused, numbered, played and
// graded although an early one was removed.
func TestMissingIteration(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.must()
	f.write("more.md", "more")
	f.must()
	if err := os.RemoveAll(f.iteration("1", "")); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, f.dir+"-workspace", map[string]string{"iteration-7": "a file", "iteration-old/notes.txt": ""})
	want, asked := filetest.Read(t, f.iteration("2", "benchmark.json")), f.server.count()
	f.must()
	if f.server.count() != asked {
		t.Errorf("%d requests", f.server.count()-asked)
	}
	filetest.Read(t, f.iteration("3", "benchmark.json"))
	if err := os.RemoveAll(f.iteration("3", "")); err != nil {
		t.Fatal(err)
	}
	f.o.Offline = true
	f.must()
	if got := filetest.Read(t, f.iteration("2", "benchmark.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.o.Offline, f.o.Paths, f.o.Stored = false, nil, f.dir+"-workspace"
	if b := f.must(); len(b.Runs) != 12 {
		t.Errorf("%d runs were graded", len(b.Runs))
	}
}

// TestGitignore checks that a new workspace is ignored, but neither one whose .gitignore the
// user has deleted nor a folder with other files.
func TestGitignore(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.o.Cases = []string{"1"}
	ignored := func() bool {
		f.must()
		err := os.Remove(filepath.Join(f.dir+"-workspace", ".gitignore"))
		return err == nil
	}
	if first, second := ignored(), ignored(); !first || second {
		t.Errorf("new: %v, deleted: %v", first, second)
	}
	f.o.Workspace = t.TempDir()
	filetest.Write(t, f.o.Workspace, map[string]string{"notes.txt": "mine"})
	f.must()
	if _, err := os.Stat(filepath.Join(f.o.Workspace, ".gitignore")); err == nil {
		t.Error("files of the user are ignored")
	}
}

// TestUnusableSkill checks that a skill which runs could not load, of either arm, is a
// usage error that names the skill itself, and that nothing is requested.
func TestUnusableSkill(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	old := filepath.Join(t.TempDir(), "old")
	filetest.Write(t, old, map[string]string{"SKILL.md": "---\nname: old\n---\nNo description.\n"})
	refused := func(want string) {
		t.Helper()
		e, err := eval.New(t.Context(), f.env(), f.o)
		if err == nil {
			e.Close()
		}
		if exitCode(err) != fault.Misuse || !strings.HasPrefix(err.Error(), want) || fault.Hint(err) == "" || f.server.count() > 0 {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f.o.Baseline = "dir:" + old
	refused("dir:" + filepath.Join(old, "SKILL.md"))
	f.o.Baseline = "without"
	f.write("SKILL.md", "no frontmatter\n")
	refused(filepath.Join(f.dir, "SKILL.md") + ":1:1: skill not loaded: ")
	f.o.Offline = true
	refused(filepath.Join(f.dir, "SKILL.md"))
}

// TestUserSkill checks that a skill which only the user invokes is loaded at the start of
// the runs with it, also when they are played.
func TestUserSkill(t *testing.T) {
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if strings.Contains(r.text, "carmine-of-the-northern-valley") {
			return openaitest.Text("carmine")
		}
		return openaitest.Text("red")
	})
	text := filetest.Read(t, filepath.Join(f.dir, "SKILL.md"))
	f.write("SKILL.md", strings.Replace(text, "\n---\n", "\ndisable-model-invocation: true\n---\n", 1))
	var notes []string
	f.o.Note = func(text string) { notes = append(notes, text) }
	if b := f.must(); b.Statistics.Verdict != "better" || len(notes) != 1 {
		t.Errorf("%+v %q", b.Statistics, notes)
	}
	want := filetest.Read(t, f.iteration("1", "benchmark.json"))
	f.o.Offline = true
	f.must()
	if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLoadingModel checks that runs wait for a server that is loading the model, which is
// said once.
func TestLoadingModel(t *testing.T) {
	var requests atomic.Int32
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if requests.Add(1) <= 4 {
			return openaitest.Reply{Status: 503, Text: "Loading model"}
		}
		return skilful(r)
	})
	var notes []string
	f.o.Note = func(text string) { notes = append(notes, text) }
	f.o.Run.Server.Retries = 0
	if b := f.must(); b.Statistics.Verdict != "better" || len(notes) != 1 || !strings.Contains(notes[0], "is loading the model; waiting for it") {
		t.Errorf("%+v %q", b.Statistics, notes)
	}
}

// TestSkillNotices checks that problems of skills that are loaded nevertheless are
// reported once, with the path of the user's file.
func TestSkillNotices(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	other := filepath.Join(t.TempDir(), "other")
	filetest.Write(t, other, map[string]string{"SKILL.md": "no frontmatter\n"})
	f.o.With = []string{other}
	text := filetest.Read(t, filepath.Join(f.dir, "SKILL.md"))
	f.write("SKILL.md", strings.Replace(text, "\n---\n", "\nunheard-of: yes\nmetadata: []\n---\n", 1))
	f.must()
	if len(f.notices) != 2 || !strings.HasPrefix(f.notices[0].Path, f.dir) || !strings.HasPrefix(f.notices[1].Path, other) {
		t.Errorf("notices %+v", f.notices)
	}
}

// TestInUse checks that a second eval is refused while the first one writes the same
// iteration, and that playing, grading and other workspaces are not. An eval whose
// iteration was completed since it was opened is refused too.
func TestInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no locks")
	}
	f := newFixture(t, sixCases(), nil)
	var second error
	var begun atomic.Bool
	start := func() (*eval.Eval, error) {
		e, err := eval.New(t.Context(), f.env(), f.o)
		if err == nil {
			t.Cleanup(e.Close)
		}
		return e, err
	}
	f.server = newServer(t, func(r request) openaitest.Reply {
		if begun.CompareAndSwap(false, true) {
			var e *eval.Eval
			e, second = start()
			if second == nil {
				_, second = e.Run(t.Context())
			}
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL, f.o.Jobs = f.server.URL+"/v1", 1
	late, err := start()
	if err != nil {
		t.Fatal(err)
	}
	f.must()
	if exitCode(second) != fault.Misuse || !strings.Contains(second.Error(), "another eval is using") {
		t.Errorf("error %v", second)
	}
	if _, err := late.Run(t.Context()); exitCode(err) != fault.Misuse {
		t.Errorf("error %v", err)
	}
	if n := f.server.count(); n != 18 {
		t.Errorf("%d requests", n)
	}
	f.write("more.md", "more")
	begun.Store(false)
	f.server = newServer(t, func(r request) openaitest.Reply {
		if begun.CompareAndSwap(false, true) {
			o := f.o
			defer func() { f.o = o }()
			f.o.Workspace = f.dir + "-another"
			f.must()
			f.o = o
			f.o.Stored = f.iteration("1", "")
			f.must()
		}
		return skilful(r)
	})
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	f.must()
	if names, err := os.ReadDir(f.iteration("2", "")); err != nil || len(names) != 6+3 {
		t.Errorf("the iteration has %v, %v", names, err)
	}
}

// TestStoredByEarlierVersion checks that runs whose results do not say what the calls did
// are not graded, and keep their grades.
func TestStoredByEarlierVersion(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	f.must()
	paths, err := filepath.Glob(f.iteration("1", "eval-*/with_skill/run-*/transcript.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d transcripts, %v", len(paths), err)
	}
	for _, path := range paths {
		text := filetest.Read(t, path)
		old := regexp.MustCompile(`,"action":\{[^}]*\}`).ReplaceAllString(text, "")
		if old == text {
			t.Fatalf("no action in\n%s", text)
		}
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := filetest.Read(t, f.iteration("1", "benchmark.json"))
	f.o.Stored = f.iteration("1", "")
	_, err = f.run()
	if err == nil || !strings.Contains(err.Error(), "stored by an earlier version") || !strings.Contains(fault.Hint(err), "run the eval again") {
		t.Errorf("got %v, hint %q", err, fault.Hint(err))
	}
	if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want {
		t.Errorf("the benchmark changed to\n%s", got)
	}
}

// TestTypicalRequests checks that the forecast is that of earlier runs of the same cases,
// where there are some, also if none is reused.
func TestTypicalRequests(t *testing.T) {
	turns := 5
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if strings.Contains(r.text, "color-names") && r.results() < turns-1 {
			return openaitest.Do(openaitest.Call{ID: fmt.Sprint("c", r.results()), Name: "todos_add", Arguments: fmt.Sprintf(`{"todos":[{"title":"step %d"}]}`, r.results())})
		}
		return openaitest.Text("carmine")
	})
	f.o.NoCache = true
	forecast := func() (page string) {
		e, err := eval.New(t.Context(), f.env(), f.o)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		var b strings.Builder
		if err := e.DryRun(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if page := forecast(); !strings.Contains(page, "typically about 24: 3 a run with the skill, 1 without, more") {
		t.Errorf("at first\n%s", page)
	}
	f.must()
	if page := forecast(); !strings.Contains(page, "typically about 36: 12 runs as in earlier iterations") {
		t.Errorf("then\n%s", page)
	}
	f.o.NoCache = false
	if page := forecast(); !strings.Contains(page, "typically about 0: ") {
		t.Errorf("reused\n%s", page)
	}
}
