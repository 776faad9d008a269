package eval

// The files of an eval are in iterations of a workspace next to the skill. One eval at a
// time uses an iteration; an unfinished one is continued, and what does not belong to it
// any more is removed.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/script/sandbox"
	"skills/internal/suggest"
)

// layout is how the folders of a kind of eval are called, and what is in them.
type layout struct {
	what   string                     // a folder in words
	prefix string                     // of the folders in a workspace
	result string                     // the file that completes one
	runs   []string                   // patterns of the folders of runs in it
	latest func(dirs []string) string // the one whose recordings are played
}

// complete reports whether nothing more is written into a folder.
func (l layout) complete(dir string) bool {
	if l.result == store.BenchmarkFile {
		return store.Complete(dir)
	}
	_, err := os.Stat(filepath.Join(dir, l.result))
	return err == nil
}

func (s *skillEval) layout() layout {
	if s.triggers {
		return layout{
			what: "complete trigger run", prefix: store.TriggerPrefix, result: store.TriggerFile,
			runs: []string{"*/with_skill/run-*", "*/*/with_skill/run-*", "*/*/*/with_skill/run-*"}, latest: store.LatestTrigger,
		}
	}
	return layout{
		what: "iteration", prefix: store.IterationPrefix, result: store.BenchmarkFile,
		runs: []string{"eval-*/*/run-*"}, latest: store.Latest,
	}
}

// workspace returns the workspace of a skill.
func (p planner) workspace(s *suite.Suite) (string, error) {
	workspace := s.Dir + "-workspace"
	if p.o.Workspace != "" {
		workspace = p.o.Workspace
		if len(p.skillEvals) > 1 {
			if err := p.checkName(s); err != nil {
				return "", err
			}
			workspace = filepath.Join(workspace, s.Skill)
		}
	}
	workspace = sandbox.Real(workspace) // it may be a link
	if sandbox.Within(workspace, s.Dir) {
		return "", fault.Usage("name a folder outside the skill", "--workspace %s is inside the skill %s", workspace, s.Skill)
	}
	return workspace, nil
}

// folder selects the iteration: the last one if it is unfinished or played back, else
// a new one.
func (p planner) folder(_ context.Context, s *skillEval) error {
	now := time.Now().UTC().Format(time.RFC3339)
	s.meta = store.Meta{Model: p.server.Model, BaseURL: run.PublicURL(p.server.BaseURL), Timestamp: now}
	s.dir, s.top = p.o.Stored, p.o.Stored
	if s.dir != "" {
		return nil
	}
	layout := s.layout()
	workspace, err := p.workspace(s.suite)
	if err != nil {
		return err
	}
	dirs, last, err := store.Folders(workspace, layout.prefix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Usage("check that it is a folder, and its permissions; or name another with --workspace", "%s cannot be read: %w", workspace, files.Reason(err))
	}
	if p.shard.count > 0 && !s.triggers {
		return p.partFolder(s, workspace, dirs)
	}
	if len(dirs) > 0 {
		s.top = dirs[len(dirs)-1]
		if p.o.Offline {
			s.top = layout.latest(dirs)
		}
	}
	switch {
	case p.o.Offline && s.top == "":
		return fault.Usage("run it once with a server, and keep the workspace", "--offline: no %s in %s", layout.what, workspace)
	case p.o.Offline:
		if err := p.recorded(s.top); err != nil {
			return err
		}
	case s.top == "" || layout.complete(s.top) || p.isOther(s.top):
		s.top = filepath.Join(workspace, fmt.Sprint(layout.prefix, last+1))
		dirs = append(dirs, s.top)
	}
	s.dir = s.top
	if m := p.o.member; m != nil {
		s.dir = filepath.Join(s.top, store.ModelsFolder, m.slug)
	}
	slices.Reverse(dirs)
	for _, dir := range dirs {
		s.earlier = append(s.earlier, filepath.Join(dir, strings.TrimPrefix(s.dir, s.top)))
	}
	if p.o.NoCache {
		dirs = dirs[:1]
	}
	s.stored = []string{s.dir}
	for _, dir := range dirs {
		others := append([]string{dir}, store.ModelFolders(dir)...) // keys tell the models apart
		s.stored = append(s.stored, slices.DeleteFunc(others, func(other string) bool { return other == s.dir })...)
	}
	return checkStored(dirs)
}

// checkStored returns a usage error if an iteration whose runs may be reused has links.
func checkStored(dirs []string) error {
	for _, dir := range dirs {
		if err := store.Check(dir); err != nil {
			return fault.AsUsageIfHinted(err)
		}
	}
	return nil
}

// recorded returns a usage error if an iteration to be played is not of the model, or not of
// one model.
func (p planner) recorded(top string) error {
	folders := store.ModelFolders(top)
	names := strings.Join(printable.Map(folders, filepath.Base), ",")
	switch m := p.o.member; {
	case m == nil && len(folders) > 0:
		return fault.Usage("pass --model "+names, "--offline: %s has recordings of several models", top)
	case m != nil && !slices.Contains(folders, filepath.Join(top, store.ModelsFolder, m.slug)):
		return fault.Usage(cmp.Or(suggest.Hint(m.slug, strings.Split(names, ","), ""), "omit --model"), "--offline: %s has no recordings of %s", top, m.name)
	}
	return nil
}

// isOther reports whether an unfinished iteration is one of a single model where several are
// evaluated, or the other way round.
func (p planner) isOther(top string) bool {
	cases, _ := filepath.Glob(filepath.Join(top, "eval-*")) // the pattern is correct
	if p.o.member != nil {
		return len(cases) > 0
	}
	return len(store.ModelFolders(top)) > 0
}

// ignored is the .gitignore of a workspace.
const ignored = "# Runs of skills eval. Delete this file to commit them, for skills eval --offline.\n*\n"

// ignore writes the .gitignore of a workspace that has nothing but the new folder top, a
// convenience. In another one the user has deleted it, or it would hide the user's files.
func ignore(top string) {
	workspace := filepath.Dir(top)
	if entries, err := os.ReadDir(workspace); err == nil && len(entries) == 1 && entries[0].Name() == filepath.Base(top) {
		_ = os.WriteFile(filepath.Join(workspace, ".gitignore"), []byte(ignored), 0o644)
	}
}

// lock keeps other evals from the iteration until it is unlocked. An error is a usage
// error if another one has it, or has completed it since it was selected. The folder
// itself is locked, so that no file is left in it. Where folders have no locks, as on
// Windows, other evals are not noticed.
func (s *skillEval) lock() (unlock func() error, err error) {
	if err := os.MkdirAll(s.top, 0o755); err != nil {
		return nil, fault.Usage("name another folder with --workspace, or check its permissions", "the workspace cannot be written: %w", err)
	}
	ignore(s.top)
	dir, err := os.Open(s.top)
	if err != nil {
		return nil, err
	}
	err = files.Lock(dir)
	if errors.Is(err, files.ErrLocked) || s.layout().complete(s.top) {
		dir.Close()
		return nil, fault.Usage("wait for it to end and run this again, or name another folder with --workspace", "another eval is using %s", s.top)
	}
	return dir.Close, nil
}

// checkName returns a usage error if several skills cannot have folders with their names
// in one workspace.
func (p planner) checkName(s *suite.Suite) error {
	if name := s.Skill; !filepath.IsLocal(name) || filepath.Base(name) != name || name == "." {
		return fault.Usage("correct the name in SKILL.md", "--workspace: the name %q of %s is not the name of a folder", name, s.Dir)
	}
	for _, other := range p.skillEvals {
		if other.suite != s && strings.EqualFold(other.suite.Skill, s.Skill) { // the file system may ignore case
			return fault.Usage("rename one, or evaluate one skill at a time, each with its own --workspace",
				"--workspace: %s and %s have the same name %q", s.Dir, other.suite.Dir, s.Skill)
		}
	}
	return nil
}

// absolute returns a path of the command line as an absolute one; "" stays so.
func (e *Eval) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.env.Dir, path)
}

// prune removes what an interrupted eval left in the iteration that is not of this one:
// runs of another version of the skill, and of cases and numbers that are not selected
// now. A complete run that is not graded, because of a budget, is kept.
func (e *Eval) prune(s *skillEval) error {
	keep := map[string]bool{}
	for _, r := range s.runs {
		here := r.stored == "" || r.stored == r.out.Dir
		ungraded := r.out.Key != "" && here
		if r.done || ungraded {
			keep[r.out.Dir] = true
		}
	}
	for _, c := range s.cases() {
		keep[filepath.Join(s.dir, c.Slug)] = true
	}
	var runs []string
	for _, pattern := range s.layout().runs {
		names, _ := fs.Glob(os.DirFS(s.dir), pattern) // the patterns are correct
		runs = append(runs, names...)
	}
	for _, name := range runs {
		dir := filepath.Join(s.dir, filepath.FromSlash(name))
		if keep[dir] {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		arm := filepath.Dir(dir)
		if others, err := filepath.Glob(filepath.Join(arm, "run-*")); err == nil && len(others) == 0 {
			_ = os.Remove(filepath.Join(arm, store.MetadataFile))
			_ = os.Remove(arm) // unless it has other files
		}
		folder := filepath.Dir(arm)
		if !keep[folder] {
			_ = os.Remove(filepath.Join(folder, store.MetadataFile))
			s.removeEmpty(folder)
		}
	}
	return nil
}

// removeEmpty removes a folder of the iteration, and those above it, unless they have files.
func (s *skillEval) removeEmpty(folder string) {
	for folder != s.dir {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || os.Remove(folder) != nil {
			return
		}
		folder = filepath.Dir(folder)
	}
}
