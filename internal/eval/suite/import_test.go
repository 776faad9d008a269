package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"skills/internal/testing/filetest"
)

// TestImport imports each folder in testdata/import and compares what was read, and the
// problems, with the section want. What is written is read as the same cases and queries,
// and the source stays as it was. UPDATE=1 rewrites that section.
func TestImport(t *testing.T) {
	archives, err := filepath.Glob("testdata/import/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		contents := map[string]string{}
		for _, f := range archive.Files {
			contents[f.Name] = string(f.Data)
		}
		want := contents["want"]
		delete(contents, "want")
		dir := filetest.Write(t, filepath.Join(t.TempDir(), "tea-maker"), contents)
		m, problems, err := Import(t.Context(), dir, dir)
		if err != nil {
			t.Fatal(err)
		}
		got := describe(dir, &m.Suite, problems)
		if os.Getenv("UPDATE") != "" {
			archive.Files[len(archive.Files)-1].Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		skill := filetest.Write(t, filepath.Join(t.TempDir(), "tea-maker"), map[string]string{"SKILL.md": contents["SKILL.md"]})
		if _, err := m.Write(filepath.Join(skill, "evals")); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(filepath.Join(skill, "evals")); err == nil {
			t.Error("a folder that exists was written")
		}
		again, problems, err := Load(t.Context(), skill)
		if err != nil || slices.ContainsFunc(problems, func(p Problem) bool { return p.Level == Error }) {
			t.Errorf("%s: %v %+v", name, err, problems)
		}
		if diff := cmp.Diff(prompts(&m.Suite), prompts(again)); diff != "" {
			t.Errorf("%s: what was written is read differently: %s", name, diff)
		}
		for file, text := range contents {
			if got := filetest.Read(t, filepath.Join(dir, file)); got != text {
				t.Errorf("%s: %s changed", name, file)
			}
		}
	}
}

// prompts returns what two suites with the same cases have in common, whatever the order of
// the checks.
func prompts(s *Suite) (out []string) {
	for _, c := range s.Cases {
		var checks []string
		for _, check := range c.Checks {
			checks = append(checks, check.Type+" "+check.Text())
		}
		slices.Sort(checks)
		for _, f := range c.Files {
			checks = append(checks, f.Path)
		}
		out = append(out, c.ID+": "+c.Prompt+"\n"+strings.Join(checks, "\n"))
	}
	for _, q := range s.Queries {
		out = append(out, q.Query, q.Split)
	}
	return out
}

// TestForeign checks that suites which eval does not run are named where a skill is linted:
// those that can be imported with a warning, the others with an error.
func TestForeign(t *testing.T) {
	skill := "---\nname: tea-maker\ndescription: Makes tea. Use when asked.\n---\nx\n"
	for _, tt := range []struct {
		file, text, level, want string
	}{
		{"tests/trigger.csv", "prompt,should_trigger\na,true\n", Warning, "0 cases, 1 trigger prompt in the form of another program"},
		{"evals/tasks.py", "import inspect_ai", Error, "the cases are Python"},
		{"tasks/a/task.toml", "", Error, "built in a container"},
		{"evals/config.yml", "a: 1", Note, "no case and no query"},
	} {
		dir := filetest.Write(t, filepath.Join(t.TempDir(), "tea-maker"), map[string]string{"SKILL.md": skill, tt.file: tt.text})
		_, problems, err := Foreign(t.Context(), dir, &Suite{})
		if err != nil || len(problems) != 1 || problems[0].Level != tt.level || !strings.Contains(problems[0].Message, tt.want) {
			t.Errorf("%s: %v %+v", tt.file, err, problems)
		}
	}
	tree := filetest.Write(t, t.TempDir(), map[string]string{"skills/a/SKILL.md": skill, "skills/a/evals/x": "", "evals/case/prompt.md": "", "plugin/evals/b": "", ".git/evals/c": ""})
	got := Outside([]string{tree}, []string{filepath.Join(tree, "skills", "a")})
	if want := []string{filepath.Join(tree, "evals"), filepath.Join(tree, "plugin", "evals")}; !slices.Equal(got, want) {
		t.Errorf("outside: %q, want %q", got, want)
	}
}
