package eval

// The runs of both arms with the same number are a pair, which a judge compares in both
// orders. What it said is stored with the run with the skill, so that a pair whose runs
// have not changed is not compared again, and recordings need no judge.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"skills/internal/agent/model"
	"skills/internal/eval/judge"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
)

// runPair is two runs of a case.
type runPair struct{ with, baseline *caseRun }

// storedPair is the content of the file of a pair.
type storedPair struct {
	Key string `json:"key"`
	store.Pair
	Usage *model.Usage `json:"usage,omitempty"` // nil if the server did not report it
}

// pairs returns the pairs of runs that are scored. Without a skill is the baseline, if there
// are two.
func (s *skillEval) pairs() (all []runPair) {
	type id struct {
		c      string
		number int
	}
	baselines := map[id]*caseRun{}
	scored := func(r *caseRun) bool { return r.done && r.out.Failed() == "" }
	for _, configuration := range []string{store.OldSkill, store.WithoutSkill} {
		for _, r := range s.runs {
			if r.arm.configuration == configuration && scored(r) {
				baselines[id{r.c.ID, r.out.Number}] = r
			}
		}
	}
	for _, r := range s.runs {
		other := baselines[id{r.c.ID, r.out.Number}]
		if r.arm.configuration == store.WithSkill && scored(r) && other != nil {
			all = append(all, runPair{r, other})
		}
	}
	return all
}

// workAll executes and grades the runs of a skill, and compares them in pairs if that is wanted.
func (g grader) workAll(ctx context.Context, s *skillEval) error {
	if err := g.work(ctx, s, s.runs); err != nil || !s.meta.Pairwise {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(g.o.Jobs)
	for _, p := range s.pairs() {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return g.compare(ctx, p)
		})
	}
	return group.Wait()
}

// compare has the judge compare a pair. A pair that a budget prevents, or whose comparison
// failed, has none: a replay needs all, and a new grading keeps the old ones.
func (g grader) compare(ctx context.Context, p runPair) error {
	err := g.prefer(ctx, p)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case g.o.Stored != "" || g.o.Offline:
		return &fault.Error{Code: fault.Failed, Err: fmt.Errorf("case %s, pair %d: %w", p.with.c.ID, p.with.out.Number, err), Hint: pairHint(g.o.Offline)}
	case isFatal(err):
		return fatal(fmt.Errorf("the judge: %w", err))
	}
	p.with.unpaired = true
	if !errors.Is(err, budgetError{}) {
		g.env.Warn("case %s, pair %d was not compared: %v", p.with.c.ID, p.with.out.Number, err)
	}
	return errors.Join(os.RemoveAll(filepath.Join(p.with.out.Dir, store.PairFile))) // of other runs
}

func pairHint(offline bool) string {
	if offline {
		return "record it again: run it with a server, without --offline"
	}
	return "check --judge-model and --judge-base-url, or try again later; all old grades are kept"
}

// comparison returns what the judge compares.
func (p runPair) comparison() (c judge.Comparison, err error) {
	c.Prompt, c.Expected = p.with.c.Said(cmp.Or(p.with.c.Baseline, p.with.c.Prompt)), p.with.c.Expected
	for i, r := range []*caseRun{p.with, p.baseline} {
		c.Works[i] = judge.Work{Answer: r.out.Answer, Files: map[string][]byte{}}
		outputs := filepath.Join(r.out.Dir, store.OutputsFolder)
		if _, err := os.Stat(outputs); err != nil { // git keeps no empty folders
			continue
		}
		left, err := readFS(os.DirFS(outputs), "")
		if err != nil {
			return c, fmt.Errorf("reading %s: %w", outputs, err)
		}
		delete(left, r.out.Timing.Answer) // the copy, which is no file of the work
		for name, f := range left {
			c.Works[i].Files[name] = f.Data
		}
	}
	return c, nil
}

// prefer decides a pair: by the stored answers to equal requests, or by the judge.
func (g grader) prefer(ctx context.Context, p runPair) error {
	c, err := p.comparison()
	if err != nil {
		return err
	}
	var known storedPair
	path := filepath.Join(p.with.out.Dir, store.PairFile)
	key := digest([]any{"pairwise", c.Key(), g.judged, g.o.JudgeVotes})
	data, err := files.ReadRegular(path, maxBytes)
	mayReuse := g.o.Stored == "" || !g.o.NoCache
	same := err == nil && json.Unmarshal(data, &known) == nil && known.Key == key
	if mayReuse && same {
		p.with.out.Pair = g.withUsage(known)
		return nil
	}
	if g.judge == nil {
		return errors.New("the judge failed: no stored comparison of this pair")
	}
	total := usageSum{sum: &model.Usage{}}
	c.Used = total.add
	preference, err := g.judge.Prefer(ctx, c)
	if err != nil {
		return err
	}
	known = storedPair{Key: key, Pair: p.result(preference), Usage: total.sum}
	p.with.out.Pair = g.withUsage(known)
	known.Pair = *p.with.out.Pair
	data = []byte(printable.JSONText(known) + "\n")
	if g.o.Stored != "" {
		p.with.paired = data // writeRuns writes it, once no run can fail
		return nil
	}
	return files.Save(ctx, path, data)
}

// withUsage returns a pair with what its judge used.
func (g grader) withUsage(known storedPair) *store.Pair {
	paid := known.Judging
	known.Judged, known.Judging = nil, nil
	if u := known.Usage; u != nil {
		known.Judged, known.Judging = g.judging(*u)
	}
	if known.Judging == nil && g.isReplay() {
		known.Judging = paid
	}
	return &known.Pair
}

// result returns a preference with the names of the arms.
func (p runPair) result(preference judge.Preference) store.Pair {
	arms := [2]string{p.with.arm.configuration, p.baseline.arm.configuration}
	named := func(winner string, first, second string) string {
		return map[string]string{judge.First: first, judge.Second: second, judge.Tie: store.Tie}[winner]
	}
	pair := store.Pair{Winner: named(preference.Winner, arms[0], arms[1])}
	for i, o := range preference.Orders {
		first, second := arms[i], arms[1-i]
		pair.Orders = append(pair.Orders, store.PairOrder{First: first, Winner: named(o.Winner, first, second), Reason: o.Reason, Votes: o.Votes})
	}
	pair.Agree = pair.Orders[0].Winner == pair.Orders[1].Winner
	return pair
}

// usageSum adds the usage of requests; the sum is nil if that of one is unknown.
type usageSum struct{ sum *model.Usage }

func (s *usageSum) add(u *model.Usage) {
	if u == nil || s.sum == nil {
		s.sum = nil
		return
	}
	s.sum = s.sum.Add(u)
}
