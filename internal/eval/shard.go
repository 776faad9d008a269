package eval

// A shard is one of several machines that share the runs of an eval. Every machine plans the
// whole eval, and does the runs of the cases that are its own: what the parts have in common
// is a digest of the whole plan, and lines of any case are found in any run.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
)

// maxShards is the highest number of parts of an eval.
const maxShards = 1000

// shard is the part of the runs that this process does; the zero value is all of them.
type shard struct{ number, count int }

// String returns the shard in words.
func (s shard) String() string { return fmt.Sprintf("part %d of %d", s.number, s.count) }

// parseShard reads I/N; "" is the zero value.
func parseShard(text string) (s shard, err error) {
	if text == "" {
		return s, nil
	}
	number, count, _ := strings.Cut(text, "/")
	s.number, err = strconv.Atoi(number)
	if err == nil {
		s.count, err = strconv.Atoi(count)
	}
	inRange := s.number >= 1 && s.number <= s.count && s.count <= maxShards
	if err != nil || !inRange {
		return shard{}, fault.Usage("pass the number of the part and of all parts, such as 2/3", "--shard %s is not a part of 1 to %d", printable.Quote(text), maxShards)
	}
	return s, nil
}

// cases returns the cases of the suite that are this shard's; all of them without shards.
func (s *skillEval) cases() []suite.Case {
	if s.part.Number == 0 {
		return s.suite.Cases
	}
	var own []suite.Case
	for _, c := range s.suite.Cases {
		if slices.Contains(s.part.Cases, c.Slug) {
			own = append(own, c)
		}
	}
	return own
}

// partFolder selects the folder of the part in a workspace, and what is not repeated: runs
// of this part and of the iterations.
func (p planner) partFolder(s *skillEval, workspace string, iterations []string) error {
	s.dir = filepath.Join(workspace, store.PartFolder(p.shard.number, p.shard.count))
	s.top = s.dir
	slices.Reverse(iterations)
	s.earlier = iterations
	s.stored = append([]string{s.dir}, iterations...)
	if p.o.NoCache {
		old, err := store.ReadPart(s.dir)
		s.stored = s.stored[:1] // an unfinished part is resumed
		if err == nil && old.Complete || errors.Is(err, fs.ErrNotExist) {
			s.stored = nil
		}
	}
	return checkStored(s.stored)
}

// distribute returns the part of each item, from 1: the heaviest items first, each to the part
// that has the least.
func distribute(weights []int, count int) (parts []int) {
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	parts, load := make([]int, len(weights)), make([]int, count)
	for _, i := range order {
		least := slices.Index(load, slices.Min(load))
		load[least] += weights[i]
		parts[i] = least + 1
	}
	return parts
}

// keepShard leaves each skill the runs of the cases that are this shard's, if there are shards.
func keepShard(e *Eval) {
	if e.shard.count == 0 {
		return
	}
	type item struct {
		s    *skillEval
		slug string
		runs int
	}
	var items []item
	for _, s := range e.skillEvals {
		s.part = store.NewPart(e.shard.number, e.shard.count, originOf(e, s))
		s.part.Skill, s.part.Dir = s.suite.Skill, s.dir
		if path := files.Shown(files.Resolved(e.env.Dir), s.suite.Dir); filepath.IsLocal(path) {
			s.part.Path = filepath.ToSlash(path)
		}
		counts := map[string]int{}
		for _, r := range s.runs {
			counts[r.c.Slug]++
		}
		for _, c := range s.suite.Cases {
			items = append(items, item{s, c.Slug, counts[c.Slug]})
		}
	}
	weights := make([]int, len(items))
	for i, it := range items {
		weights[i] = it.runs
	}
	for i, part := range distribute(weights, e.shard.count) {
		if part == e.shard.number {
			items[i].s.part.Cases = append(items[i].s.part.Cases, items[i].slug)
		}
	}
	for _, s := range e.skillEvals {
		s.runs = slices.DeleteFunc(s.runs, func(r *caseRun) bool { return !slices.Contains(s.part.Cases, r.c.Slug) })
	}
}

// originOf returns what the parts of a skill's eval have in common. All runs are planned.
func originOf(e *Eval, s *skillEval) store.Origin {
	var arms, cases, keys []any
	for _, a := range s.arms {
		arms = append(arms, a.configuration, a.digest)
	}
	for _, c := range s.suite.Cases {
		inputs := snapshot{}
		for original, in := range s.inputs {
			if original.Slug == c.Slug {
				inputs = in
			}
		}
		cases = append(cases, c.ID, c.Slug, c.Name, c.Prompt, c.Turns, c.Baseline, c.System, c.Expected, c.Checks, c.Tags, inputs)
	}
	for _, r := range s.runs {
		keys = append(keys, r.out.Configuration, r.key)
	}
	of := store.Origin{
		Files: digest(arms), Cases: digest(cases), Model: s.meta.Model + " at " + s.meta.BaseURL,
		Parameters: digest([]any{keys, e.o.Budget.Price}),
	}
	if s.meta.Judge != "" {
		of.Judge = fmt.Sprintf("%s with %s", s.meta.Judge, printable.Plural(e.o.JudgeVotes, "vote"))
		if s.meta.Pairwise {
			of.Judge += ", in pairs"
		}
		if e.o.JudgeBaseURL != "" {
			of.Judge += " at " + origin(e.o.JudgeBaseURL)
		}
	}
	return of
}

// RunPart does the runs of the shard, grades them and writes its parts, one line a skill to
// w. An error about a budget or failed runs is a *fault.Error.
func RunPart(ctx context.Context, e *Eval, w io.Writer) error {
	for _, s := range e.skillEvals {
		unlock, err := s.lock()
		if err != nil {
			return err
		}
		defer unlock()
		if err := s.part.Write(ctx); err != nil { // it is not complete
			return err
		}
	}
	defer e.begin(e.skillEvals...)()
	for _, s := range e.skillEvals {
		if err := (grader{e}).workAll(ctx, s); err != nil {
			return err
		}
	}
	ctx = context.WithoutCancel(ctx) // the files must fit together
	runs, failed, notRun, reason := 0, 0, 0, ""
	for _, s := range e.skillEvals {
		errors, err := finishPart(ctx, e, s)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s, %s, %d failed: %s\n", printable.Line(s.suite.Skill), e.shard, printable.Plural(len(s.part.Runs), "run"), errors, printable.Line(s.dir))
		runs, failed, notRun, reason = runs+len(s.part.Runs), failed+errors, notRun+s.meta.NotRun, cmp.Or(reason, s.meta.Stopped)
	}
	incomplete := func(hint, format string, args ...any) error {
		return &fault.Error{Code: fault.Limit, Err: fmt.Errorf("%v: %w", e.shard, fmt.Errorf(format, args...)), Hint: hint, Concluded: true}
	}
	switch {
	case notRun == 0 && reason != "":
		return incomplete("run it again with a larger budget; finished runs are not repeated", "%s: some pairs are not compared", reason)
	case notRun > 0:
		return incomplete("run it again with a larger budget; finished runs are not repeated", "%s: %s not run", reason, printable.Plural(notRun, "run"))
	case float64(failed) > maxErrored*float64(runs):
		return incomplete("run it again; finished runs are not repeated", "%d of %s failed", failed, printable.Plural(runs, "run"))
	}
	return nil
}

// finishPart writes the grades of the part of a skill, and part.json last. It returns the
// number of failed runs.
func finishPart(ctx context.Context, e *Eval, s *skillEval) (failed int, err error) {
	s.meta.NotRun, s.meta.Stopped, s.meta.Runs = 0, "", 0
	finished := s.finished()
	if s.meta.NotRun > 0 || slices.ContainsFunc(s.runs, func(r *caseRun) bool { return r.unpaired }) {
		_, s.meta.Stopped = e.meter.read()
	}
	if err := writeRuns(ctx, e, s); err != nil {
		return 0, err
	}
	for _, r := range finished {
		rel, err := filepath.Rel(s.dir, r.Dir)
		if err != nil {
			return 0, err
		}
		s.part.Runs = append(s.part.Runs, filepath.ToSlash(rel))
		if r.Failed() != "" {
			failed++
		}
	}
	s.part.Complete, s.part.Meta = true, s.meta
	s.part.Meta.Evals = []store.ID{}
	return failed, s.part.Write(ctx)
}
