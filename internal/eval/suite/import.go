package suite

// An imported suite is written as our own files into a new folder, so that its source stays
// as it is. Sentences go to evals.json, which other programs read too, and everything else
// to checks.json.

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/printable"
)

// Imported is what was read of the suites in a folder.
type Imported struct {
	Suite
	Files    []string // that were looked at
	Refused  int      // cases and files that have no meaning here
	programs map[string][]byte
}

// Import reads every suite in from, a folder or a file, in any form. skill is the folder of
// the skill. What could not be read is a problem.
func Import(ctx context.Context, from, skill string) (*Imported, []Problem, error) {
	dir, single := from, ""
	if info, err := os.Stat(from); err != nil {
		return nil, nil, fmt.Errorf("opening %s: %w", from, files.Reason(err))
	} else if !info.IsDir() {
		dir, single = filepath.Dir(from), filepath.Base(from)
	}
	below := ""
	if single == "" && filepath.Base(dir) == "evals" {
		dir, below = filepath.Dir(dir), "evals/" // the names of our own files begin there
	}
	return collect(ctx, dir, skill, func(r *reader) {
		r.below = below
		_, err := r.root.Stat("SKILL.md")
		r.all = err != nil && below == "" // the folder is a suite, whatever the names in it
		if single != "" {
			foreign{r}.foreignFile(single)
			return
		}
		for _, step := range []func(){r.readEvals, (claude{r}).readClaude, r.readChecks, (triggers{r}).readTriggers, (foreign{r}).readForeign} {
			step()
		}
	})
}

// Foreign reads the suites in the folder of a skill that Load, which gave s, does not read.
// If nothing can be imported, its problems are errors; else there is one more problem, which
// says what can, unless s has all of it.
func Foreign(ctx context.Context, dir string, s *Suite) (*Imported, []Problem, error) {
	m, problems, err := collect(ctx, dir, dir, func(r *reader) {
		r.files = slices.Clone(s.Read)
		foreign{r}.readForeign()
	})
	if err != nil {
		return nil, nil, err
	}
	if m.within(s) {
		return m, nil, nil
	}
	if len(m.Cases)+len(m.Queries) > 0 {
		return m, append(problems, Problem{Path: dir, Line: 1, Col: 1, Level: Warning,
			Message: m.Summary() + " in the form of another program, which eval does not run",
			Help:    "import them: skills eval import " + printable.ShellWord(dir)}), nil
	}
	for i := range problems {
		if m.Refused > 0 && problems[i].Level == Warning {
			problems[i].Level = Error
		}
	}
	return m, problems, nil
}

// within reports whether something was read, and all of it is in a suite.
func (m *Imported) within(s *Suite) bool {
	known := map[string]bool{}
	for _, c := range s.Cases {
		known[c.Prompt] = true
	}
	for _, q := range s.Queries {
		known[q.Query] = true
	}
	missing := slices.ContainsFunc(m.Cases, func(c Case) bool { return !known[c.Prompt] }) ||
		slices.ContainsFunc(m.Queries, func(q Query) bool { return !known[q.Query] })
	return len(m.Cases)+len(m.Queries) > 0 && !missing
}

// Outside returns the folders below the roots that are called evals or evaluations and are
// in none of the skills, such as those of a plugin.
func Outside(roots, skills []string) (found []string) {
	inside := func(dir string) bool {
		return slices.ContainsFunc(skills, func(skill string) bool {
			rel, err := filepath.Rel(skill, dir)
			return err == nil && filepath.IsLocal(rel)
		})
	}
	for _, root := range roots {
		top, err := filepath.Abs(root)
		if err != nil {
			continue
		}
		_ = filepath.WalkDir(top, func(dir string, d fs.DirEntry, err error) error {
			name, depth := d.Name(), strings.Count(strings.TrimPrefix(dir, top), string(filepath.Separator))
			switch {
			case err != nil || !d.IsDir():
				return nil
			case dir != top && isHidden(name), depth > maxDepth, inside(dir):
				return fs.SkipDir
			case name == "evals" || name == "evaluations":
				found = append(found, filepath.Join(root, strings.TrimPrefix(dir, top)))
				return fs.SkipDir
			}
			return nil
		})
	}
	return found
}

// isHidden reports whether a folder is not searched for suites.
func isHidden(name string) bool {
	clients := []string{".claude", ".agents", ".github"}
	return name == "node_modules" || strings.HasPrefix(name, ".") && !slices.Contains(clients, name)
}

// collect opens a folder and reads what a function reads of it.
func collect(ctx context.Context, dir, skill string, read func(*reader)) (*Imported, []Problem, error) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening %s: %w", dir, files.Reason(err))
	}
	defer root.Close()
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{root: root, named: dir, lenient: true, Suite: Suite{Skill: filepath.Base(full), Dir: full}}
	if p, err := loader.PropertiesAt(ctx, skill); err == nil {
		r.Skill = p.Name
	}
	r.check = readSchema("checks").Properties["cases"].AnyKey[""].Properties["checks"].Items
	read(r)
	r.complete()
	return &Imported{Suite: r.Suite, Files: r.files, Refused: r.refused, programs: r.programs}, r.sorted(), context.Cause(ctx)
}

// caseFile is a case in evals.json.
type caseFile struct {
	ID         string   `json:"id"`
	Name       string   `json:"name,omitempty"`
	Prompt     string   `json:"prompt"`
	Baseline   string   `json:"prompt_baseline,omitempty"`
	Expected   string   `json:"expected_output,omitempty"`
	Files      []any    `json:"files,omitempty"`
	Assertions []string `json:"assertions,omitempty"`
}

// caseSettings is a case in checks.json.
type caseSettings struct {
	Tags     []string `json:"tags,omitempty"`
	Seconds  float64  `json:"timeout_seconds,omitempty"`
	MaxTurns int      `json:"max_turns,omitempty"`
	Runs     int      `json:"runs,omitempty"`
	System   string   `json:"system,omitempty"`
	Turns    []string `json:"turns,omitempty"`
	Checks   []Check  `json:"checks,omitempty"`
}

// Write writes the suite into the folder out, which must not exist, and returns the names
// of the files. On an error nothing is left.
func (m *Imported) Write(out string) (wrote []string, err error) {
	if _, err := os.Lstat(out); err == nil {
		return nil, fmt.Errorf("%s: %w", out, fs.ErrExist)
	}
	contents := map[string][]byte{}
	maps.Copy(contents, m.programs)
	var cases []caseFile
	settings := map[string]caseSettings{}
	for _, c := range m.Cases {
		one := caseFile{ID: c.ID, Name: c.Name, Prompt: c.Prompt, Baseline: c.Baseline, Expected: c.Expected}
		more := caseSettings{Tags: c.Tags, Seconds: c.Seconds, MaxTurns: c.MaxTurns, Runs: c.Runs, System: c.System, Turns: c.Turns}
		for _, f := range c.Files {
			data, err := f.Read(maxInput)
			if err != nil {
				return nil, fmt.Errorf("the input %s: %w", f.Path, err)
			}
			name := path.Join("files", c.Slug, f.Path)
			contents[name] = data
			one.Files = append(one.Files, map[string]string{"path": f.Path, "source": "evals/" + name})
		}
		for _, check := range c.Checks {
			plain := check.Type == "judge" && check.Name == "" && check.Weight == nil && !check.Not
			if plain {
				one.Assertions = append(one.Assertions, check.Criteria)
			} else {
				more.Checks = append(more.Checks, check)
			}
		}
		cases = append(cases, one)
		if printable.JSONText(more) != "{}" {
			settings[c.ID] = more
		}
	}
	write := func(name string, v any) {
		data, _ := json.MarshalIndent(v, "", "  ") // plain values
		contents[name] = append(data, '\n')
	}
	if len(cases) > 0 {
		write("evals.json", map[string]any{"skill_name": m.Skill, "evals": cases})
	}
	if len(settings) > 0 {
		write("checks.json", map[string]any{"schema_version": 1, "cases": settings})
	}
	if len(m.Queries) > 0 {
		write("triggers.json", m.Queries)
	}
	return writeAll(out, contents)
}

const maxInput = 64 << 20 // bytes of an input

// writeAll writes files into a new folder, or none.
func writeAll(out string, contents map[string][]byte) (wrote []string, err error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		err = root.MkdirAll(path.Dir(name), 0o755)
		if err == nil {
			err = root.WriteFile(name, contents[name], 0o644)
		}
		if err != nil {
			_ = os.RemoveAll(out) // it was new
			return nil, err
		}
		wrote = append(wrote, name)
	}
	return wrote, nil
}

// Summary says in words what was read.
func (m *Imported) Summary() string {
	return fmt.Sprintf("%s, %s", printable.Plural(len(m.Cases), "case"), printable.Plural(len(m.Queries), "trigger prompt"))
}
