package store

// Usage is what the scored runs of a configuration, or of all, used. Numbers are nil where a
// run's are unknown: a sum of some of them would be read as the whole.
type Usage struct {
	Configuration string   `json:"configuration"` // or Total
	Runs          int      `json:"runs"`
	Tokens        *int64   `json:"tokens"`
	Cost          *float64 `json:"cost"`
	JudgeTokens   *int64   `json:"judge_tokens"`
	JudgeCost     *float64 `json:"judge_cost"`
}

// Add adds what other runs used.
func (u *Usage) Add(other Usage) {
	u.Runs += other.Runs
	add(&u.Tokens, other.Tokens)
	add(&u.Cost, other.Cost)
	add(&u.JudgeTokens, other.JudgeTokens)
	add(&u.JudgeCost, other.JudgeCost)
}

// Total is the configuration of the usage of all runs.
const Total = "total"

// usage adds what runs used, by their configuration and in total.
func usage(runs []Result) []Usage {
	all := []Usage{}
	for _, configuration := range append(configurations(), Total) {
		u := Usage{Configuration: configuration, Tokens: new(int64), Cost: new(float64), JudgeTokens: new(int64), JudgeCost: new(float64)}
		for _, r := range runs {
			if r.Configuration != configuration && configuration != Total {
				continue
			}
			u.Runs++
			add(&u.Tokens, r.Result.Tokens)
			add(&u.Cost, r.Result.Cost)
			judged := false
			for _, o := range r.Outcomes {
				judged = judged || o.Judge != ""
			}
			if judged {
				add(&u.JudgeTokens, r.Result.Judged)
				add(&u.JudgeCost, r.Result.Judge)
			}
		}
		if u.Runs > 0 {
			all = append(all, u)
		}
	}
	return all
}

// add adds a number to a sum, which is unknown if the number is.
func add[T int64 | float64](sum **T, v *T) {
	if *sum == nil || v == nil {
		*sum = nil
		return
	}
	**sum += *v
}
