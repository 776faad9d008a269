package ci

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"skills/cmd"
	"skills/internal/run"
)

type commitHook struct {
	ID, Name, Language, Entry, Files string
	PassFilenames                    *bool `yaml:"pass_filenames"`
	AlwaysRun                        bool  `yaml:"always_run"`
	RequireSerial                    bool  `yaml:"require_serial"`
}

// passed are the changed files that pre-commit hands to a hook.
func (h commitHook) passed(t *testing.T, changed []string) []string {
	t.Helper()
	if h.PassFilenames != nil && !*h.PassFilenames {
		return nil
	}
	files, err := regexp.Compile(h.Files)
	if err != nil {
		t.Fatalf("%s: %v", h.ID, err)
	}
	var out []string
	for _, name := range changed {
		if files.MatchString(name) {
			out = append(out, name)
		}
	}
	return out
}

func hooks(t *testing.T) map[string]commitHook {
	t.Helper()
	var list []commitHook
	readYAML(t, ".pre-commit-hooks.yaml", &list)
	out := map[string]commitHook{}
	for _, h := range list {
		if h.Name == "" || h.Language != "golang" || !strings.HasPrefix(h.Entry, "skills ") || !h.RequireSerial {
			t.Errorf("%s: got %+v", h.ID, h)
		}
		out[h.ID] = h
	}
	return out
}

// run starts a hook as pre-commit does: its entry with the files behind it, in
// the repository's folder.
func (h commitHook) run(t *testing.T, files []string) (code int, stdout, stderr string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = cmd.Run(t.Context(), cmd.Env{Env: run.Env{Environ: os.Environ(), Dir: dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs},
		append(strings.Fields(h.Entry)[1:], files...))
	return code, out.String(), errs.String()
}

func TestHookFiles(t *testing.T) {
	files := regexp.MustCompile(hooks(t)["skills"].Files)
	for name, want := range map[string]bool{
		"SKILL.md": true, "a/SKILL.md": true, ".claude/skills/a/SKILL.md": true,
		"skills/a/scripts/x.py": true, ".agents/skills/a/references/x/y.md": true, ".claude/skills/ü b/assets/logo.png": true,
		"skills/a/forms.md": true, "skills/group/a/reference.md": true,
		// Perhaps in no skill: the hook skips those.
		"docs/skills/intro/assets/logo.png": true, "skills/scripts/x.sh": true,
		// Certainly in no skill, or in an unknown place.
		"README.md": false, "skills/README.md": false, "scripts/x.sh": false, "a/references/x.md": false,
		"my-skills/a/scripts/x.py": false, "internal/skills/tools.go": false,
		"a/NOT-SKILL.md": false, "a/SKILL.md.bak": false, "docs/skill.md": false,
	} {
		if got := files.MatchString(name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}

func TestHooks(t *testing.T) {
	all := hooks(t)
	t.Chdir(t.TempDir())
	const good = "---\nname: %\ndescription: Extracts text from PDF files. Use when a task names a PDF.\n---\n\nRead [the notes](references/notes.md) and run `python3 scripts/run.py`.\n"
	for name, text := range map[string]string{
		"README.md": "x", "scripts/release.sh": "x", ".git/HEAD": "",
		"docs/skills/intro/assets/logo.png": "x", ".skills.yaml": "exclude: [skills/old]\n", "skills/old/SKILL.md": "broken", "skills/old/references/x.md": "x",
		"skills/one/SKILL.md": strings.Replace(good, "%", "one", 1), "skills/one/scripts/run.py": "print(1)\n", "skills/one/references/notes.md": "Notes.\n",
		".claude/skills/two/SKILL.md": strings.Replace(good, "%", "Two", 1), ".claude/skills/two/scripts/run.py": "print(1)\n", ".claude/skills/two/references/notes.md": "Notes.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.FromSlash(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var changed []string
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			changed = append(changed, filepath.ToSlash(path))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}

	// Everything changed, several files of each skill among it: each skill is
	// reported once.
	h := all["skills"]
	files := h.passed(t, changed)
	if len(files) != 9 {
		t.Fatalf("got %q, want the three files of each skill, two of the excluded one, and a picture", files)
	}
	code, stdout, stderr := h.run(t, files)
	if code != 1 || stderr != "" || strings.Count(stdout, "[name-lowercase]") != 1 || !strings.Contains(stdout, "\n2 skills: ") {
		t.Errorf("all files: exit code %d, want 1\n%s%s", code, stdout, stderr)
	}
	files = h.passed(t, []string{"README.md", "scripts/release.sh", "skills/one/references/notes.md", "skills/one/scripts/run.py"})
	if code, stdout, stderr := h.run(t, files); code != 0 || !strings.Contains(stdout, "Valid skill: ") || len(files) != 2 {
		t.Errorf("two files of a good skill, %q: exit code %d, want 0\n%s%s", files, code, stdout, stderr)
	}

	for _, files := range [][]string{{"docs/skills/intro/assets/logo.png"}, {"skills/old/SKILL.md", "skills/old/references/x.md"}} {
		if code, stdout, stderr := h.run(t, files); code != 0 || stderr != "" || stdout != "no skills checked\n" {
			t.Errorf("%q, in no skill or excluded: exit code %d, want 0\n%s%s", files, code, stdout, stderr)
		}
	}
	// Only files outside skills are skipped, not missing files.
	if code, _, stderr := h.run(t, []string{"skills/one/gone.md"}); code != 2 || !strings.Contains(stderr, "does not exist") {
		t.Errorf("a missing file: exit code %d, want 2\n%s", code, stderr)
	}

	h = all["skills-all"]
	if files := h.passed(t, changed); len(files) > 0 || !h.AlwaysRun {
		t.Errorf("skills-all gets %q, always runs: %t", files, h.AlwaysRun)
	}
	if code, stdout, stderr := h.run(t, nil); code != 1 || stderr != "" || !strings.Contains(stdout, "\n2 skills: ") {
		t.Errorf("the whole repository: exit code %d, want 1\n%s%s", code, stdout, stderr)
	}
}
