package suite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/testing/filetest"
)

// TestImport imports each folder in testdata/import and compares what was read, and the
// problems. What is written is read as the same cases and queries, and the source stays as
// it was.
func TestImport(t *testing.T) {
	eachArchive(t, "testdata/import/*.txtar", func(t *testing.T, files map[string]string) string {
		dir := filetest.Write(t, filepath.Join(t.TempDir(), "tea-maker"), files)
		m, problems, err := Import(t.Context(), dir, dir)
		if err != nil {
			t.Fatal(err)
		}
		skill := filetest.Write(t, filepath.Join(t.TempDir(), "tea-maker"), map[string]string{"SKILL.md": files["SKILL.md"]})
		if _, err := m.Write(filepath.Join(skill, "evals")); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(filepath.Join(skill, "evals")); err == nil {
			t.Error("a folder that exists was written")
		}
		again, faults, err := Load(t.Context(), skill)
		if err != nil || slices.ContainsFunc(faults, func(p Problem) bool { return p.Level == Error }) {
			t.Errorf("what was written: %v %+v", err, faults)
		}
		if diff := cmp.Diff(prompts(&m.Suite), prompts(again)); diff != "" {
			t.Errorf("what was written is read differently: %s", diff)
		}
		for file, text := range files {
			if filetest.Read(t, filepath.Join(dir, file)) != text {
				t.Errorf("%s changed", file)
			}
		}
		return describe(dir, &m.Suite, problems)
	})
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

// TestBareTasks checks that tasks without a check are one problem a file.
func TestBareTasks(t *testing.T) {
	dir := write(t, map[string]string{
		"SKILL.md":          "---\nname: note-taker\ndescription: Takes notes.\n---\n",
		"evals/tasks.jsonl": "{\"id\": \"a\", \"prompt\": \"Take.\"}\n{\"id\": \"b\", \"prompt\": \"More.\"}\n{\"id\": \"c\", \"prompt\": \"Most.\"}\n",
	})
	_, problems, err := Import(t.Context(), dir, dir)
	if err != nil || len(problems) != 1 || problems[0].Message != `case "a" has no assertion, nor have 2 others` || problems[0].Line != 1 {
		t.Errorf("%v %+v", err, problems)
	}
}
