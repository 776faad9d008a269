// Package calibrate measures a judge by what a person decided about the same work.
package calibrate

// A judge is asked about every example with the requests of an eval, so that what is measured
// is what judges. A decision that the person has left open is not asked about.

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"skills/internal/eval"
	"skills/internal/eval/judge"
	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/run"
)

// Options are the flags of the measurement.
type Options struct {
	eval.Options
	Threshold float64 // the least agreement for success, 0 for any
	Parallel  int     // examples at a time
}

// Report is the result.
type Report struct {
	SchemaVersion int            `json:"schema_version"`
	Judge         string         `json:"judge"`
	Votes         int            `json:"votes"`
	Examples      int            `json:"examples"`
	Unlabelled    int            `json:"unlabelled"` // decisions that are left open
	Agreement     store.Rate     `json:"agreement"`  // over all decisions
	Sentences     Sentences      `json:"sentences"`
	Pairs         Pairs          `json:"pairs"`
	Consistency   store.Rate     `json:"consistency"` // decisions whose votes are all equal; of several votes only
	Disagreements []Disagreement `json:"disagreements"`
	Errors        []Failure      `json:"errors"` // examples that were not judged
	eval.Spent

	judged int // examples
}

// Sentences is the agreement about sentences.
type Sentences struct {
	Agreement store.Rate `json:"agreement"`
	Kappa     *float64   `json:"kappa"`      // Cohen's; nil if one of the two decides always the same
	FalsePass store.Rate `json:"false_pass"` // of those that fail for the person
	FalseFail store.Rate `json:"false_fail"` // of those that pass for the person

	table [][]int // of the person, then of the judge: failed, passed
}

// Disagreement is a decision on which person and judge differ.
type Disagreement struct {
	ID       string `json:"id"`
	Sentence string `json:"sentence,omitempty"` // "" for a pair
	Person   string `json:"person"`
	Judge    string `json:"judge"`
	Reason   string `json:"reason"` // evidence or reason of the judge
}

// Failure is an example that was not judged.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// judged is what the judge said about an example.
type judged struct {
	outcomes   []store.Outcome // of the sentences that have a label
	preference judge.Preference
	err        error
	done       bool
}

// Measure asks the judge about the examples. An error ends the measurement: one of flags, the
// context, or a server that refuses everything. At a budget there is a report of the rest.
func Measure(ctx context.Context, env run.Env, o Options, examples []suite.Example) (*Report, error) {
	if o.Parallel < 1 {
		return nil, fault.Usage("pass a number, such as 4", "--jobs is less than 1")
	}
	if !(o.Threshold >= 0 && o.Threshold <= 1) { // also if it is not a number
		return nil, fault.Usage("pass a share from 0 to 1, such as 0.8", "--threshold %v is not between 0 and 1", o.Threshold)
	}
	if !slices.ContainsFunc(examples, func(e suite.Example) bool { return labelled(e) > 0 }) {
		return nil, fault.Usage("set passed to true or false, and preferred to first, second or tie", "no example has a label")
	}
	e, j, err := eval.OpenJudge(ctx, env, o.Options)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	results, err := askAll(ctx, j, o.Parallel, examples)
	if err != nil {
		return nil, err
	}
	r := newReport(j, o.JudgeVotes, examples, results)
	r.Spent = eval.SpentBy(e)
	return r, nil
}

// newReport compares what the judge said with the labels.
func newReport(j *judge.Judge, votes int, examples []suite.Example, results []judged) *Report {
	r := &Report{SchemaVersion: 1, Judge: j.Model(), Votes: votes, Examples: len(examples), Disagreements: []Disagreement{}, Errors: []Failure{}}
	r.Sentences.table, r.Pairs.table = newTable(2), newTable(3)
	for i, example := range examples {
		r.judged += index(results[i].done)
		r.Unlabelled += decisions(example) - labelled(example)
		switch {
		case results[i].err != nil:
			r.Errors = append(r.Errors, Failure{example.ID, printable.Line(results[i].err.Error())})
		case results[i].done && example.IsPair():
			r.addPair(example, results[i].preference)
		case results[i].done:
			r.addSentences(example, results[i].outcomes)
		}
	}
	r.finish()
	return r
}

// askAll asks about the examples that have labels, several at a time.
func askAll(ctx context.Context, j *judge.Judge, parallel int, examples []suite.Example) ([]judged, error) {
	results := make([]judged, len(examples))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	var mu sync.Mutex
	stopped := false
	for i, example := range examples {
		if labelled(example) == 0 {
			continue
		}
		group.Go(func() error {
			mu.Lock()
			skip := stopped
			mu.Unlock()
			if ctx.Err() != nil || skip {
				return context.Cause(ctx)
			}
			result := ask(ctx, j, example)
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case eval.IsBudget(result.err):
				mu.Lock()
				stopped = true
				mu.Unlock()
				return nil
			case eval.IsRefusal(result.err):
				return &fault.Error{Code: fault.Failed, Err: fmt.Errorf("stopped at the first refusal: %w", result.err), Hint: "check the server, the key and the model"}
			}
			results[i] = result
			return nil
		})
	}
	return results, group.Wait()
}

// ask has the judge decide an example.
func ask(ctx context.Context, j *judge.Judge, e suite.Example) (r judged) {
	if e.IsPair() {
		c := judge.Comparison{Prompt: e.Prompt, Expected: e.Expected}
		for i, work := range e.Answers {
			c.Works[i] = judge.Work{Answer: work.Answer, Files: contents(work.Files)}
		}
		r.preference, r.err = j.Prefer(ctx, c)
	} else {
		request := judge.Request{Prompt: e.Prompt, Expected: e.Expected, Answer: e.Answer, Files: contents(e.Files)}
		for _, s := range e.Sentences {
			if s.Passed != nil {
				request.Sentences = append(request.Sentences, s.Text)
			}
		}
		r.outcomes, r.err = j.Grade(ctx, request)
	}
	r.done = r.err == nil
	return r
}

func contents(list []suite.Document) map[string][]byte {
	all := map[string][]byte{}
	for _, d := range list {
		all[d.Path] = []byte(d.Content)
	}
	return all
}

// decisions returns how many decisions an example has, and labelled how many are made.
func decisions(e suite.Example) int {
	if e.IsPair() {
		return 1
	}
	return len(e.Sentences)
}

func labelled(e suite.Example) (n int) {
	if e.Preferred != nil && e.IsPair() {
		n++
	}
	for _, s := range e.Sentences {
		if s.Passed != nil {
			n++
		}
	}
	return n
}

// addSentences counts the decisions about the sentences of an example.
func (r *Report) addSentences(e suite.Example, outcomes []store.Outcome) {
	for _, s := range e.Sentences {
		if s.Passed == nil {
			continue
		}
		o := outcomes[0]
		outcomes = outcomes[1:]
		same := o.Passed == *s.Passed
		r.Agreement.Add(same)
		r.Sentences.Agreement.Add(same)
		r.Sentences.table[index(*s.Passed)][index(o.Passed)]++
		if *s.Passed {
			r.Sentences.FalseFail.Add(!o.Passed)
		} else {
			r.Sentences.FalsePass.Add(o.Passed)
		}
		if o.Votes != nil {
			r.Consistency.Add(o.Votes[0] == 0 || o.Votes[1] == 0)
		}
		if !same {
			words := map[bool]string{true: "passed", false: "failed"}
			r.Disagreements = append(r.Disagreements, Disagreement{ID: e.ID, Sentence: s.Text, Person: words[*s.Passed], Judge: words[o.Passed], Reason: o.Evidence})
		}
	}
}

func index(passed bool) int {
	if passed {
		return 1
	}
	return 0
}

// finish computes what is about all decisions.
func (r *Report) finish() {
	s := &r.Sentences
	for _, rate := range []*store.Rate{&r.Agreement, &s.Agreement, &s.FalsePass, &s.FalseFail, &r.Consistency} {
		rate.Finish()
	}
	s.Kappa = kappa(s.table)
	r.Pairs.finish()
}

func newTable(n int) [][]int {
	table := make([][]int, n)
	for i := range table {
		table[i] = make([]int, n)
	}
	return table
}

// kappa returns Cohen's kappa of a table, nil if chance alone would agree always.
func kappa(table [][]int) *float64 {
	total, agreed, chance := 0, 0, 0.0
	rows, columns := make([]int, len(table)), make([]int, len(table))
	for i, row := range table {
		agreed += row[i]
		for j, n := range row {
			total, rows[i], columns[j] = total+n, rows[i]+n, columns[j]+n
		}
	}
	if total == 0 {
		return nil
	}
	for i := range table {
		chance += float64(rows[i]) * float64(columns[i]) / float64(total) / float64(total)
	}
	if chance >= 1 {
		return nil
	}
	return new(stats.Round((float64(agreed)/float64(total) - chance) / (1 - chance)))
}

// Incomplete returns why the report does not answer the question, or "": a budget was
// reached, or too many examples were not judged.
func (r *Report) Incomplete() string {
	asked := len(r.Errors) + r.judged
	if r.Stopped == "" && 5*len(r.Errors) > asked {
		return fmt.Sprintf("%d of %s were not judged", len(r.Errors), printable.Plural(asked, "example"))
	}
	return r.Stopped
}

// Missed returns why the agreement is below a threshold, or "".
func (r *Report) Missed(threshold float64) string {
	share := 0.0
	if r.Agreement.Total > 0 {
		share = float64(r.Agreement.Passed) / float64(r.Agreement.Total)
	}
	if share >= threshold {
		return ""
	}
	return fmt.Sprintf("the agreement %.2f is below %g", share, threshold)
}
