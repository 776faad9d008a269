package store

// Usage is what the runs of a configuration, or of all, used; failed ones too. Numbers are
// nil where a run's are unknown: a sum of some of them would be read as the whole.
type Usage struct {
	Configuration string   `json:"configuration"` // or Total
	Runs          int      `json:"runs"`
	Failed        int      `json:"failed_runs,omitempty"` // of Runs
	Tokens        *int64   `json:"tokens"`
	Cost          *float64 `json:"cost"`
	JudgeTokens   *int64   `json:"judge_tokens"`
	JudgeCost     *float64 `json:"judge_cost"`
}

// Add adds what other runs used.
func (u *Usage) Add(other Usage) {
	u.Runs += other.Runs
	u.Failed += other.Failed
	add(&u.Tokens, other.Tokens)
	add(&u.Cost, other.Cost)
	add(&u.JudgeTokens, other.JudgeTokens)
	add(&u.JudgeCost, other.JudgeCost)
}

// Configurations of usages besides those of runs.
const (
	Total     = "total"    // of all runs
	PairUsage = "pairwise" // of pairs of runs
)

// usage adds what runs used, by their configuration and in total. The comparisons in pairs,
// nil without any, used a judge.
func usage(runs []Result, failed []Failure, pairs *Pairwise) []Usage {
	all := []Usage{}
	for _, configuration := range append(configurations(), Total) {
		u := Usage{Configuration: configuration, Tokens: new(int64), Cost: new(float64), JudgeTokens: new(int64), JudgeCost: new(float64)}
		for _, r := range runs {
			if r.Configuration == configuration || configuration == Total {
				judged := false
				for _, o := range r.Outcomes {
					judged = judged || o.Judge != ""
				}
				u.add(Spent{Tokens: r.Result.Tokens, Cost: r.Result.Cost, Judged: r.Result.Judged, Judge: r.Result.Judge}, judged)
			}
		}
		for _, f := range failed {
			if f.Configuration == configuration || configuration == Total {
				u.Failed++
				u.add(f.Spent, f.Judged != nil)
			}
		}
		if pairs != nil && configuration == Total {
			judged := pairs.usage()
			all = append(all, judged)
			add(&u.JudgeTokens, judged.JudgeTokens)
			add(&u.JudgeCost, judged.JudgeCost)
		}
		if u.Runs > 0 {
			all = append(all, u)
		}
	}
	return all
}

// add adds a run. Judged says whether a judge was asked.
func (u *Usage) add(s Spent, judged bool) {
	u.Runs++
	add(&u.Tokens, s.Tokens)
	add(&u.Cost, s.Cost)
	if judged {
		add(&u.JudgeTokens, s.Judged)
		add(&u.JudgeCost, s.Judge)
	}
}

// add adds a number to a sum, which is unknown if the number is.
func add[T int64 | float64](sum **T, v *T) {
	if *sum == nil || v == nil {
		*sum = nil
		return
	}
	**sum += *v
}
