package eval

import (
	"fmt"
	"math"
	"slices"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/suggest"
)

// checkRun returns the errors of flags that each run would find.
func (o *Options) checkRun() error {
	if o.Stored != "" { // nothing is run
		return nil
	}
	return o.Run.Check()
}

// check completes the options. An error is about flags.
func (e *Eval) check() error {
	o := &e.o
	for _, c := range []struct {
		wrong      bool
		text, hint string
	}{
		{o.Runs > maxRuns, fmt.Sprint("--runs is more than ", maxRuns), "pass a number of runs, such as 3"},
		{o.Jobs < 1, "--jobs is less than 1", "pass a number of runs at a time, such as 4"},
		{o.JudgeVotes < 1 || o.JudgeVotes%2 == 0, "--judge-votes is not an odd number", "pass 1, 3 or 5"},
		{o.Pairwise && (o.Baseline == "none" || o.Demo), "--pairwise compares with a baseline", "omit --pairwise, or --baseline none and --demo"},
		{o.Demo && !o.record && (len(o.Paths) > 0 || o.Offline || o.Workspace != ""), "--demo plays its own recording", "omit paths, --offline and --workspace"},
		{o.Shard != "" && (o.Demo || o.Offline || o.Stored != ""), "--shard cannot be used with --demo or --offline", "omit --shard; without a server all cases run fast"},
		{o.Shard != "" && (len(o.Gate.Names) > 0 || o.Gate.RequireVerdict), "--gate and --require-verdict need all parts", "pass them to skills eval merge"},
		{o.Offline && o.NoCache, "--offline cannot be used with --no-cache", "use only one of them"},
		{!isFinite(o.Budget.Cost) || !isFinite(o.Budget.Price[0]) || !isFinite(o.Budget.Price[1]), "a cost or a price is not a finite number", "pass a number such as 0.25"},
		{min(o.Budget.Calls, int(o.Budget.Tokens)) < 0 || o.Budget.Cost < 0, "a budget is negative", "pass a number, or 0 for no limit"},
	} {
		if c.wrong {
			return fault.Usage(c.hint, "%s", c.text)
		}
	}
	shard, err := parseShard(o.Shard)
	if err != nil {
		return err
	}
	e.shard = shard
	if kind, rest := baseline(o.Baseline); !slices.Contains(Baselines(), kind) || kind != o.Baseline && rest == "" {
		return fault.Usage(suggest.Hint(kind, Baselines(), ""), "unknown baseline %q", o.Baseline)
	}
	for _, p := range slices.Concat(o.Cases, o.Tags) {
		if err := loader.CheckNamePattern(p); err != nil {
			return fault.AsUsage(err)
		}
	}
	if o.Run.Approval.Mode != "always" && !o.Run.Approval.Yes {
		o.Run.Approval.Mode = "never" // nobody is asked; what --allow-script names runs all the same
	}
	if o.Run.Scripts.Sandbox == "off" {
		o.Jobs = 1 // a script could read the skill in the folder of another run
	}
	o.Gate.offline = o.Offline
	return o.Gate.check(o.Baseline == "none")
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
