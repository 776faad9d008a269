package eval

// The runs are executed, several at a time, graded and aggregated. A failed run does not
// end the eval, and an eval that was interrupted continues with the runs that are missing.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/terminal"
)

// DryRun prints what Run would do at most: the runs, the requests to models without
// retries, and the folder of the files.
func (e *Eval) DryRun(w io.Writer) error {
	var page strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintln(&page, printable.Fold(printable.Line(fmt.Sprintf(format, args...)), 0, terminal.Width(w), "    "))
	}
	for _, s := range e.skillEvals {
		if e.shard.count > 0 {
			line("%s: %v: %d of %s", s.suite.Skill, e.shard, len(s.cases()), printable.Plural(len(s.suite.Cases), "case"))
		}
		if len(s.runs) == 0 {
			continue
		}
		stored, calls, judged := 0, 0, 0
		for _, r := range s.runs {
			if unjudged(e, s, r) {
				judged += 2 * e.o.JudgeVotes
			}
			if r.stored != "" {
				stored++
				continue
			}
			calls += r.c.MaxTurns + 1 // the last one without tools
		}
		judged += s.unpaired() * 4 * e.o.JudgeVotes
		line("%s: %s × %s × %s = %s, %d of them stored", s.suite.Skill, printable.Plural(len(s.cases()), "case"),
			printable.Plural(len(s.arms), "arm"), printable.Plural(s.runs[len(s.runs)-1].out.Number, "run"), printable.Plural(len(s.runs), "run"), stored)
		line("  requests: at most %d to %s and %d to the judge, without retries", calls, s.meta.Model, judged)
		usual, learned := typical(e, s)
		why := fmt.Sprintf("%d a run with the skill, %d without, more with tools for files", typicalWith, typicalWithout)
		if learned > 0 {
			why = printable.Plural(learned, "run") + " as in earlier iterations"
		}
		line("  typically about %d: %s", usual, why)
		line("  files: below %s", s.dir)
		line("  %s", report.Power())
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// Run runs and grades what is not stored, and writes the iterations. The benchmarks are
// returned with an error about a budget, failed runs or a gate, a *fault.Error. After
// other errors, such as an interrupt, running it again resumes the eval.
func (e *Eval) Run(ctx context.Context) (all []*store.Benchmark, err error) {
	if e.o.member == nil { // else the session locks
		unlock, err := planner{e}.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	defer e.begin(e.skillEvals...)()
	for _, s := range e.skillEvals {
		if err := (grader{e}).workAll(ctx, s); err != nil {
			return nil, err
		}
	}
	for _, s := range e.skillEvals {
		bm, err := e.aggregate(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, bm)
	}
	return all, worst(e.o.Gate, all)
}

// work executes runs of a skill. Of errors of several runs, the first one ends the eval.
func (e *Eval) work(ctx context.Context, s *skillEval, runs []*caseRun) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.o.Jobs)
	for _, r := range runs {
		if r.done {
			continue
		}
		group.Go(func() error {
			if _, stopped := e.meter.read(); ctx.Err() != nil || stopped != "" && r.stored == "" {
				return context.Cause(ctx)
			}
			return e.do(ctx, s, r)
		})
	}
	return group.Wait()
}

// do executes one run. A run that a budget prevents stays undone.
func (e *Eval) do(ctx context.Context, s *skillEval, r *caseRun) error {
	e.show(r, 0)
	defer e.show(r, -1)
	err := e.attempt(ctx, s, r)
	var failed failure
	switch {
	case errors.Is(err, budgetError{}):
		return nil
	case errors.Is(err, fs.ErrNotExist) && e.isReplay():
		r.out.Error, err = cmp.Or(r.out.Error, "no recording"), nil
	case errors.As(err, &failed) && e.o.Stored == "": // else all old grades are kept
		r.out.Error, r.out.Harness, err = failed.Error(), harnessError(failed.error), nil
	case errors.As(err, &failed):
		hint := cmp.Or(fault.Hint(failed.error), "check --judge-model and --judge-base-url, or try again later; all old grades are kept")
		err = &fault.Error{Code: fault.Failed, Err: fmt.Errorf("case %s, %s, run %d: %w", r.c.ID, r.arm.configuration, r.out.Number, err), Hint: hint}
	}
	r.done = err == nil
	return err
}

// attempt executes a run unless that is stored, and grades it.
func (e *Eval) attempt(ctx context.Context, s *skillEval, r *caseRun) (err error) {
	dir := r.out.Dir
	switch {
	case e.isReplay() && r.out.Key == "": // it failed, or was not run
		return fs.ErrNotExist
	case e.o.Offline:
		dir, err = os.MkdirTemp(e.temp.Dir, "")
		if err == nil {
			defer os.RemoveAll(dir)
			err = e.execute(ctx, r, dir, filepath.Join(r.out.Dir, recordingFile))
		}
	case r.stored == "":
		err = e.execute(ctx, r, dir, "")
		if err != nil && !errors.As(err, new(failure)) {
			_ = os.RemoveAll(dir) // it is incomplete
		}
	case r.stored != dir:
		err = os.RemoveAll(dir)
		if err == nil {
			err = os.CopyFS(dir, os.DirFS(r.stored))
		}
	}
	if err == nil {
		err = grader{e}.grade(ctx, s, r, dir)
	}
	return err
}

// finished returns the runs that are done, and counts those that are not.
func (s *skillEval) finished() (runs []store.Run) {
	for _, r := range s.runs {
		if r.done {
			runs, s.meta.Runs = append(runs, r.out), max(s.meta.Runs, r.out.Number)
		} else {
			s.meta.NotRun++
		}
	}
	return runs
}

// aggregate writes what the runs gave and the benchmark. A replay writes its
// grades only; one that failed is as it was. A replay of some cases writes no benchmark, and
// one with a failed run writes nothing: what was recorded is worth more.
func (e *Eval) aggregate(ctx context.Context, s *skillEval) (*store.Benchmark, error) {
	ctx = context.WithoutCancel(ctx) // the files must fit together
	s.meta.NotRun, s.meta.Stopped, s.meta.Runs, s.meta.Dir = 0, "", 0, s.dir
	runs := s.finished()
	if s.meta.NotRun > 0 || slices.ContainsFunc(s.runs, func(r *caseRun) bool { return r.unpaired }) {
		_, s.meta.Stopped = e.meter.read()
	}
	if e.o.Offline && s.unplayed() > 0 {
		return store.Aggregate(runs, s.meta), nil
	}
	if err := writeRuns(ctx, e, s); err != nil {
		return nil, err
	}
	bm := store.Aggregate(runs, s.meta)
	if e.o.Offline && len(e.o.Cases)+len(e.o.Tags) > 0 { // it describes a part of the iteration
		return bm, nil
	}
	return bm, writeBenchmark(ctx, s.dir, bm)
}

// writeBenchmark writes the benchmark of an iteration in its forms.
func writeBenchmark(ctx context.Context, dir string, bm *store.Benchmark) error {
	for _, page := range [][2]string{{"benchmark.md", "markdown"}, {"report.html", "html"}} {
		var text bytes.Buffer
		if err := report.Write(&text, page[1], report.Target{Dir: dir}, bm); err != nil {
			return err
		}
		if err := files.Save(ctx, filepath.Join(dir, page[0]), text.Bytes()); err != nil {
			return err
		}
	}
	return files.SaveJSON(ctx, filepath.Join(dir, store.BenchmarkFile), bm)
}

// writeRuns writes the grades of the runs that are done, and what the cases are.
func writeRuns(ctx context.Context, e *Eval, s *skillEval) error {
	for _, r := range s.runs {
		if !r.done || r.out.Failed() != "" && e.isReplay() {
			continue
		}
		if r.paired != nil {
			if err := files.Save(ctx, filepath.Join(r.out.Dir, store.PairFile), r.paired); err != nil {
				return err
			}
		}
		if r.judged != nil {
			if err := files.Save(ctx, filepath.Join(r.out.Dir, judgeFile), r.judged); err != nil {
				return err
			}
		}
		if err := store.WriteRun(ctx, r.out); err != nil {
			return err
		}
	}
	if err := writeCases(ctx, e, s); err != nil {
		return err
	}
	if e.isReplay() || s.kept {
		return nil
	}
	return e.prune(s)
}

// writeCases writes what the cases are, for each case and for each arm.
func writeCases(ctx context.Context, e *Eval, s *skillEval) error {
	cases := s.cases()
	ids := store.MetaIDs(printable.Map(s.suite.Cases, func(c suite.Case) string { return c.ID }))
	for _, c := range cases {
		i := slices.IndexFunc(s.suite.Cases, func(other suite.Case) bool { return other.Slug == c.Slug })
		meta := store.CaseMeta{ID: ids[i], Name: c.Name, Prompt: c.Said(c.Prompt), Assertions: []string{}}
		for _, check := range c.Checks {
			meta.Assertions = append(meta.Assertions, check.Text())
		}
		dir := filepath.Join(s.dir, c.Slug)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := files.SaveJSON(ctx, filepath.Join(dir, store.MetadataFile), meta); err != nil {
			return err
		}
		for _, a := range s.arms {
			of, arm := meta, filepath.Join(dir, a.configuration)
			of.Prompt = c.Said(a.prompt(&c))
			if _, err := os.Stat(arm); err != nil || e.o.Offline { // no run; or a committed one is only played
				continue
			}
			if err := files.SaveJSON(ctx, filepath.Join(arm, store.MetadataFile), of); err != nil {
				return err
			}
		}
	}
	return nil
}
