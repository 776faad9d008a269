package eval

// The parts of an eval become an iteration like that of one machine. All parts are checked
// before anything is written, and nothing is left of an iteration that cannot be completed.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
)

// MergeOptions say which parts are joined, and where to.
type MergeOptions struct {
	Dirs      []string // folders with parts
	Dir       string   // that relative paths of skills are relative to
	Workspace string   // "" for the folders next to the skills
	Gate      Gate
}

// merged is an iteration to write.
type merged struct {
	parts []store.Part
	dir   string
}

// Merge is the joining of parts.
type Merge struct {
	o    MergeOptions
	plan []merged
}

// NewMerge finds the parts. Nothing is written yet. An error is about flags or the parts.
func NewMerge(o MergeOptions) (*Merge, error) {
	if err := o.Gate.check(false); err != nil {
		return nil, err
	}
	plan, err := o.plan()
	return &Merge{o, plan}, fault.AsUsageIfHinted(err)
}

// Skills returns the number of skills that the parts are of.
func (m *Merge) Skills() int { return len(m.plan) }

// Reports names the reports, once they are written.
func (m *Merge) Reports() []string {
	return printable.Map(m.plan, func(j merged) string { return "report: " + filepath.Join(j.dir, "report.html") })
}

// Run writes an iteration of each skill, as one machine would have written it. The
// benchmarks are returned with a *fault.Error about a budget, failed runs or a gate. After
// other errors, which are about the parts, nothing is left.
func (m *Merge) Run(ctx context.Context) (all []*store.Benchmark, err error) {
	for i, j := range m.plan {
		b, err := j.write(ctx, m.o)
		if err == nil {
			err = m.o.Gate.check(b.Statistics.Baseline == "")
		}
		if err != nil {
			for _, written := range m.plan[:i+1] {
				_ = os.RemoveAll(written.dir)
			}
			return nil, fault.AsUsageIfHinted(err)
		}
		all = append(all, b)
	}
	err = worst(m.o.Gate, all)
	if incomplete, ok := errors.AsType[*fault.Error](err); ok && strings.HasPrefix(incomplete.Hint, "run it again") {
		incomplete.Hint = "run the parts again, with a larger budget if one was reached, and merge them again; finished runs are not repeated"
	}
	return all, err
}

// plan finds the parts, and the folder of each new iteration.
func (o MergeOptions) plan() (plan []merged, err error) {
	var parts []store.Part
	known := map[string]bool{} // folders that were named twice are searched twice
	for _, dir := range o.Dirs {
		path := files.Absolute(o.Dir, dir)
		_, err := os.Stat(path)
		if err != nil {
			return nil, fault.Usage("name a folder with the parts of an eval", "%s: cannot be read: %w", dir, files.Reason(err))
		}
		found, err := store.FindParts(path)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if !known[p.Dir] {
				parts = append(parts, p)
			}
			known[p.Dir] = true
		}
	}
	groups, err := store.Group(parts)
	if err != nil {
		return nil, err
	}
	used := map[string]string{}
	for _, g := range groups {
		workspace, err := o.workspace(g[0], len(groups) > 1)
		if err != nil {
			return nil, err
		}
		if other, again := used[strings.ToLower(workspace)]; again { // the file system may ignore case
			return nil, fault.Usage("merge them one at a time, each with its own --workspace", "%s and %s have the same name %q", other, g[0].Path, g[0].Skill)
		}
		used[strings.ToLower(workspace)] = g[0].Path
		_, last, err := store.Iterations(workspace)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fault.Usage("check that it is a folder, and its permissions; or name another with --workspace", "%s cannot be read: %w", workspace, files.Reason(err))
		}
		plan = append(plan, merged{g, filepath.Join(workspace, fmt.Sprint("iteration-", last+1))})
	}
	return plan, nil
}

// workspace returns the workspace of a skill: next to it, or in the folder that was named.
// The parts may be those of somebody else: what they name must be the skill.
func (o MergeOptions) workspace(p store.Part, several bool) (string, error) {
	path, name := filepath.FromSlash(p.Path), p.Skill
	isFolder := filepath.IsLocal(name) && filepath.Base(name) == name && name != "."
	switch {
	case o.Workspace != "" && !several:
		return files.Absolute(o.Dir, o.Workspace), nil
	case o.Workspace != "" && !isFolder:
		return "", fault.Usage("correct the name in SKILL.md, and run the parts again", "--workspace: the name %s of a skill is not the name of a folder", printable.Quote(name))
	case o.Workspace != "":
		return filepath.Join(files.Absolute(o.Dir, o.Workspace), name), nil
	}
	dir := filepath.Join(o.Dir, path)
	_, err := os.Stat(filepath.Join(dir, "SKILL.md"))
	if err != nil || !filepath.IsLocal(path) {
		return "", fault.Usage("name a folder for the result with --workspace", "the skill of %v is not here: %s", p, printable.Quote(p.Path))
	}
	return files.Resolved(dir) + "-workspace", nil
}

// write writes the iteration. Its benchmark is last, as without it an iteration is unfinished.
func (m merged) write(ctx context.Context, o MergeOptions) (*store.Benchmark, error) {
	runs, meta, err := store.Join(m.parts, m.dir)
	if err != nil {
		return nil, err
	}
	ignore(m.dir)
	if path := m.parts[0].Path; path != "" {
		rel, err := filepath.Rel(files.Resolved(m.dir), filepath.Join(files.Resolved(o.Dir), filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		meta.SkillPath = filepath.ToSlash(rel)
	}
	b := store.Aggregate(runs, meta)
	return b, writeBenchmark(ctx, m.dir, b)
}
