package eval

// The result of a measurement: what each query did, the rates with their intervals, and why
// the result is incomplete, if it is.

import (
	"fmt"
	"slices"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/printable"
)

// TriggerReport is the result of a measurement.
type TriggerReport struct {
	SchemaVersion int           `json:"schema_version"`
	Skill         string        `json:"skill_name"`
	Client        string        `json:"client,omitempty"`
	Siblings      []string      `json:"siblings"`
	Control       QueryResult   `json:"control"`
	Queries       []QueryResult `json:"queries"`
	Recall        Rate          `json:"recall"`      // of the queries that should trigger
	Specificity   Rate          `json:"specificity"` // of those that should not
	Precision     Rate          `json:"precision"`   // of those that did
	Calls         int           `json:"calls"`       // requests that were answered
	Tokens        int64         `json:"tokens"`      // those that the server reported
	Usage         []store.Usage `json:"usage"`       // of each group of runs, and in total
	Suggestion    *Suggestion   `json:"suggestion,omitempty"`
	Stopped       string        `json:"stopped,omitempty"` // the budget that was reached
	Origin
}

// Origin is where and when the runs of a measurement are from.
type Origin struct {
	Model    string `json:"model"`
	BaseURL  string `json:"base_url,omitempty"`
	Started  string `json:"started"`        // RFC 3339
	PerQuery int    `json:"runs_per_query"` // planned
}

// QueryResult is a query with the results of its runs.
type QueryResult struct {
	suite.Query
	Triggered int      `json:"triggered"`
	Runs      int      `json:"runs"` // without those that failed
	Errors    []string `json:"errors"`
	Others    []string `json:"loaded_instead"` // skills loaded in runs that did not trigger
	Passed    *bool    `json:"passed"`         // nil if no run was counted
	Folder    string   `json:"directory"`      // slash-separated, relative to the result
}

// add adds a run. The query passes if at least half of its runs load the skill, or fewer
// than half where it should not be loaded.
func (q *QueryResult) add(skill string, r *caseRun) {
	switch {
	case r.out.Error != "":
		q.Errors = append(q.Errors, r.out.Error)
		return
	case slices.Contains(r.loaded, skill):
		q.Triggered++
	default:
		q.Others = append(q.Others, r.loaded...)
		slices.Sort(q.Others)
		q.Others = slices.Compact(q.Others)
	}
	q.Runs++
	q.Passed = new((2*q.Triggered >= q.Runs) == q.ShouldTrigger)
}

func (q QueryResult) failed() bool { return q.Passed != nil && !*q.Passed }

// right returns the share of runs that did what they should; ok is false without a run.
func (q QueryResult) right() (share float64, ok bool) {
	if q.Runs == 0 {
		return 0, false
	}
	share = float64(q.Triggered) / float64(q.Runs)
	if !q.ShouldTrigger {
		share = 1 - share
	}
	return share, true
}

// countPassed returns how many queries passed, or did not.
func countPassed(queries []QueryResult, passed bool) (n int) {
	for _, q := range queries {
		if q.Passed != nil && *q.Passed == passed {
			n++
		}
	}
	return n
}

// Rate is a share of queries with its 95 % interval.
type Rate struct {
	store.Count
	CI [2]float64 `json:"ci95"`
}

// rate computes the rates from the queries that were counted.
func (r *TriggerReport) rate() {
	for _, q := range r.Queries {
		if q.Passed == nil {
			continue
		}
		if q.ShouldTrigger {
			r.Recall.Add(*q.Passed)
		} else {
			r.Specificity.Add(*q.Passed)
		}
		if *q.Passed == q.ShouldTrigger { // it triggered
			r.Precision.Add(q.ShouldTrigger)
		}
	}
	for _, rate := range []*Rate{&r.Recall, &r.Specificity, &r.Precision} {
		rate.CI[0], rate.CI[1] = stats.Wilson(rate.Passed, rate.Total)
	}
}

// Failed returns how many queries did not pass.
func (r *TriggerReport) Failed() int { return countPassed(r.Queries, false) }

// Incomplete returns why the report does not answer the question, or "": the control did
// not load the skill, a budget was reached, too many runs failed, or all of a query.
func (r *TriggerReport) Incomplete() string {
	failed, total, unmeasured := len(r.Control.Errors), r.Control.Runs+len(r.Control.Errors), 0
	for _, q := range r.Queries {
		if q.Passed == nil {
			unmeasured++
		}
		failed, total = failed+len(q.Errors), total+q.Runs+len(q.Errors)
	}
	switch {
	case r.Stopped != "":
		return r.Stopped
	case 5*failed > total:
		return fmt.Sprintf("%d of %s failed", failed, printable.Plural(total, "run"))
	case r.Control.Triggered == 0:
		return "the model does not load the skill even if the prompt names it"
	case unmeasured > 0:
		return fmt.Sprintf("all runs of %d of %d queries failed", unmeasured, len(r.Queries))
	}
	return ""
}

// String returns the numbers of queries and the interval.
func (r Rate) String() string {
	if r.Total == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d/%d (%.0f to %.0f %%)", r.Passed, r.Total, 100*r.CI[0], 100*r.CI[1])
}
