package suite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/loader"
)

//go:embed templates
var templates embed.FS

// Templates returns the first eval files of a skill by path: six cases, the fewest with a
// verdict, and a trigger list.
func Templates(skill string) map[string]string {
	files := map[string]string{}
	for _, name := range []string{"evals.json", "triggers.json"} {
		text, _ := templates.ReadFile("templates/" + name) // embedded, so it exists
		files["evals/"+name] = strings.ReplaceAll(string(text), "NAME", skill)
	}
	return files
}

// Init writes the Templates of the skill in the folder dir and returns their paths below
// it. If one of them exists, the error is fs.ErrExist and nothing is written.
func Init(ctx context.Context, dir string) (wrote []string, err error) {
	skill, err := loader.PropertiesAt(ctx, dir)
	if err != nil {
		return nil, err
	}
	files := Templates(skill.Name)
	wrote = slices.Sorted(maps.Keys(files))
	for _, name := range wrote {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrExist)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll("evals", 0o755); err != nil {
		return wrote, err
	}
	for _, name := range wrote {
		if err := root.WriteFile(name, []byte(files[name]), 0o644); err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}

// Advice returns warnings about a suite that can be run, but shows little: text of the
// Templates, and fewer cases than a verdict takes.
func Advice(s *Suite, most int) (problems []Problem) {
	template := strings.Join(slices.Collect(maps.Values(Templates(s.Skill))), "\n")
	isTemplate := func(text string) bool { return strings.Contains(template, strconv.Quote(text)) }
	for _, c := range s.Cases {
		untouched := isTemplate(c.Prompt) || slices.ContainsFunc(c.Checks, func(check Check) bool { return check.Type == "judge" && isTemplate(check.Criteria) })
		if untouched {
			problems = append(problems, Problem{Path: c.Path, Line: c.Line, Col: 1, Level: Warning,
				Message: "case " + strconv.Quote(c.ID) + " still has text of the template", Help: "write a real request, and facts that only a good answer has"})
		}
	}
	for _, q := range s.Queries {
		if isTemplate(q.Query) {
			problems = append(problems, Problem{Path: filepath.Join(s.Dir, "evals"), Line: 1, Col: 1, Level: Warning,
				Message: "the trigger list still has text of the template", Help: "write real requests"})
			break
		}
	}
	if n := len(s.Cases); n > 0 && n < most {
		problems = append(problems, Problem{Path: s.Cases[0].Path, Line: 1, Col: 1, Level: Warning,
			Message: fmt.Sprintf("%d of the %d cases that a verdict takes", n, most), Help: "add cases: about 8 find a difference of +0.5, 16 of +0.3, 36 of +0.2"})
	}
	return problems
}
