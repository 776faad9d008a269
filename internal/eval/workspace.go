package eval

import (
	"io/fs"
	"os"
	"path/filepath"

	"skills/internal/eval/store"
)

// prune removes what an interrupted eval left in the iteration that is not of this one:
// runs of another version of the skill, and of cases and numbers that are not selected
// now. A complete run that is not graded, because of a budget, is kept.
func (e *Eval) prune(s *skillEval) error {
	keep := map[string]bool{}
	for _, r := range s.runs {
		here := r.stored == "" || r.stored == r.out.Dir
		if r.done || r.out.Key != "" && here && !(e.o.Adaptive && s.settled(r.c)) {
			keep[r.out.Dir] = true
		}
	}
	for _, c := range s.suite.Cases {
		keep[filepath.Join(s.dir, c.Slug)] = true
	}
	runs, err := fs.Glob(os.DirFS(s.dir), "eval-*/*/run-*")
	if err != nil {
		return err
	}
	for _, name := range runs {
		run := filepath.Join(s.dir, filepath.FromSlash(name))
		if keep[run] {
			continue
		}
		if err := os.RemoveAll(run); err != nil {
			return err
		}
		arm, dir := filepath.Dir(run), filepath.Dir(filepath.Dir(run))
		_ = os.Remove(arm) // unless it has other runs
		if !keep[dir] {
			_ = os.Remove(filepath.Join(dir, store.MetadataFile))
			_ = os.Remove(dir) // unless it has other files
		}
	}
	return nil
}
