package store

import "slices"

// Compare compares the runs with the skill of two iterations as if those before were of an
// old skill. A case whose assertions differ is not compared.
func Compare(before, after []Run, meta Meta) *Benchmark {
	var runs []Run
	add := func(list []Run, configuration string) {
		for _, r := range list {
			if !with(r.Configuration) {
				continue
			}
			r.Configuration, r.Outcomes = configuration, slices.Clone(r.Outcomes)
			for i := range r.Outcomes {
				r.Outcomes[i].Arm = "" // both iterations can pass it
			}
			runs = append(runs, r)
		}
	}
	add(before, OldSkill)
	add(after, WithSkill)
	return aggregate(runs, meta, true)
}
