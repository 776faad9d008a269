package store

// Two iterations, versions or models are compared over the cases that both have with the same
// assertions: the scores with the skill, those of the baseline, and what the skill changes.
// A difference is that of the second to the first, so that better means the second one.

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"skills/internal/eval/stats"
	"skills/internal/printable"
)

// Comparison says what differs between two sides.
type Comparison struct {
	Schema   int          `json:"schema_version"`
	Skill    string       `json:"skill_name"`
	Before   Side         `json:"before"`
	After    Side         `json:"after"`
	With     stats.Result `json:"statistics"` // of the scores with the skill
	Baseline stats.Result `json:"baseline"`   // of the scores of the baseline
	Lift     stats.Result `json:"lift"`       // of what the skill changes

	Cases       []ComparedCase `json:"cases"`
	OnlyBefore  []ID           `json:"only_before"` // cases that are in one side only
	OnlyAfter   []ID           `json:"only_after"`
	Different   []ID           `json:"different_assertions"`
	NoLonger    bool           `json:"no_longer_helps"` // the skill helps the first side, and is not seen to help the second
	Conclusions []string       `json:"conclusions"`
}

// Side is one of two sides of a comparison. Its numbers are of the shared cases; nil is unknown.
type Side struct {
	Name          string       `json:"name"` // for readers
	Path          string       `json:"path"`
	Model         string       `json:"executor_model"`
	Timestamp     string       `json:"timestamp"`
	Configuration string       `json:"baseline_configuration"` // "" without a baseline
	Cases         int          `json:"n_cases"`                // also those that are not shared
	With          *float64     `json:"with"`
	Baseline      *float64     `json:"baseline"`
	Lift          stats.Result `json:"lift"`
}

// ComparedCase is a case in both sides; nil numbers are unknown.
type ComparedCase struct {
	ID       ID          `json:"eval_id"`
	Name     string      `json:"eval_name,omitempty"`
	With     [2]*float64 `json:"with"`     // mean scores before and after
	Baseline [2]*float64 `json:"baseline"` // likewise
	Delta    *float64    `json:"delta"`    // with the skill, after minus before
	Lift     *float64    `json:"lift"`     // the change of the difference to the baseline
	Excluded string      `json:"excluded,omitempty"`
}

// Stored is what [Read] returns of a folder.
type Stored struct {
	Path string
	Runs []Run
	Meta Meta
}

// Open is [Read] with one result.
func Open(dir string) (Stored, error) {
	runs, meta, err := Read(dir)
	return Stored{Path: dir, Runs: runs, Meta: meta}, err
}

// Compare compares two sides.
func Compare(before, after Stored) *Comparison {
	return compare(before, Aggregate(before.Runs, before.Meta), after, Aggregate(after.Runs, after.Meta))
}

func compare(before Stored, a *Benchmark, after Stored, b *Benchmark) *Comparison {
	c := &Comparison{
		Schema: 1, Skill: cmp.Or(b.Meta.Skill, a.Meta.Skill), Before: newSide(before, a), After: newSide(after, b),
		Cases: []ComparedCase{}, OnlyBefore: []ID{}, OnlyAfter: []ID{}, Different: []ID{}, Conclusions: []string{},
	}
	c.name()
	var d differences
	for i := range a.Cases {
		old := &a.Cases[i]
		at := slices.IndexFunc(b.Cases, func(other Case) bool { return other.ID == old.ID })
		if at < 0 {
			c.OnlyBefore = append(c.OnlyBefore, old.ID)
			continue
		}
		c.add(old, &b.Cases[at], &d)
	}
	for _, one := range b.Cases {
		if !slices.ContainsFunc(a.Cases, func(other Case) bool { return other.ID == one.ID }) {
			c.OnlyAfter = append(c.OnlyAfter, one.ID)
		}
	}
	c.With, c.Baseline, c.Lift = stats.Paired(d.with), stats.Paired(d.baseline), stats.Paired(d.lift)
	for i, side := range []*Side{&c.Before, &c.After} {
		side.Lift = stats.Paired(d.lifts[i])
		side.With, side.Baseline = meanOf(d.scores[i]), meanOf(d.baselines[i])
	}
	c.conclude()
	return c
}

// differences collects the numbers of the shared cases.
type differences struct {
	with, baseline, lift     []float64
	scores, baselines, lifts [2][]float64
}

func newSide(s Stored, b *Benchmark) Side {
	return Side{
		Path: s.Path, Model: b.Meta.Model, Timestamp: b.Meta.Timestamp,
		Configuration: b.Statistics.Baseline, Cases: len(b.Cases),
	}
}

// name gives the sides names that tell them apart: their models, or else their folders.
func (c *Comparison) name() {
	for _, side := range []*Side{&c.Before, &c.After} {
		side.Name = side.Model
		if c.Before.Model == c.After.Model || side.Model == "" {
			side.Name = filepath.Base(side.Path)
		}
	}
	if c.Before.Name == c.After.Name {
		c.Before.Name, c.After.Name = c.Before.Path, c.After.Path
	}
}

// add compares a case.
func (c *Comparison) add(old, one *Case, d *differences) {
	row := ComparedCase{
		ID: one.ID, Name: cmp.Or(one.Name, old.Name),
		With: [2]*float64{old.With.Mean, one.With.Mean}, Baseline: [2]*float64{old.Baseline.Mean, one.Baseline.Mean},
	}
	defer func() { c.Cases = append(c.Cases, row) }()
	switch {
	case old.With.Mean == nil:
		row.Excluded = "no scored run with the skill in " + c.Before.Name
		return
	case one.With.Mean == nil:
		row.Excluded = "no scored run with the skill in " + c.After.Name
		return
	case !maps.Equal(assertions(old), assertions(one)):
		row.Excluded = "the assertions differ"
		c.Different = append(c.Different, one.ID)
		return
	}
	before, after := stats.Mean(old.With.scores), stats.Mean(one.With.scores)
	d.with = append(d.with, after-before)
	d.scores[0], d.scores[1] = append(d.scores[0], before), append(d.scores[1], after)
	row.Delta = new(stats.Round(after - before))
	if c.Before.Configuration != c.After.Configuration || old.Delta == nil || one.Delta == nil {
		return
	}
	baseline := [2]float64{stats.Mean(old.Baseline.shared), stats.Mean(one.Baseline.shared)}
	lift := [2]float64{stats.Mean(old.With.shared) - baseline[0], stats.Mean(one.With.shared) - baseline[1]}
	d.baseline, d.lift = append(d.baseline, baseline[1]-baseline[0]), append(d.lift, lift[1]-lift[0])
	for i := range 2 {
		d.baselines[i], d.lifts[i] = append(d.baselines[i], baseline[i]), append(d.lifts[i], lift[i])
	}
	row.Lift = new(stats.Round(lift[1] - lift[0]))
}

// assertions counts the assertions of a case that runs with the skill have, by their text.
func assertions(c *Case) map[string]int {
	all := map[string]int{}
	for _, t := range c.Checks {
		if t.With.Total > 0 {
			all[t.Text]++
		}
	}
	return all
}

// meanOf returns the rounded mean, nil without values.
func meanOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return new(stats.Round(stats.Mean(values)))
}

// conclude says in words whether the skill helps both sides.
func (c *Comparison) conclude() {
	say := func(format string, values ...any) {
		c.Conclusions = append(c.Conclusions, fmt.Sprintf(format, values...))
	}
	before, after := c.Before, c.After
	const noHelp = "The skill no longer helps %s: "
	gained := func(s Side) string {
		text := fmt.Sprintf("%+.2f", *s.Lift.Delta+0) // not -0
		if ci := s.Lift.CI; ci != nil {
			text += fmt.Sprintf(" (95 %% interval %+.2f to %+.2f)", ci[0], ci[1])
		}
		return text
	}
	switch {
	case before.Configuration == "" && after.Configuration == "":
		return // such as trigger runs
	case before.Lift.Delta == nil || after.Lift.Delta == nil:
		say("Whether the skill helps cannot be compared: no shared case has the same baseline in both.")
		return
	}
	helped := before.Lift.Verdict == stats.Better
	c.NoLonger = helped && after.Lift.Verdict != stats.Better
	switch verdict := after.Lift.Verdict; {
	case helped && verdict == stats.Better:
		say("The skill helps %s, %s, and %s, %s.", before.Name, gained(before), after.Name, gained(after))
	case helped && verdict == stats.Worse:
		say(noHelp+"its answers are worse with it, %s. It helps %s, %s.", after.Name, gained(after), before.Name, gained(before))
	case helped && verdict == stats.NoDifference:
		say(noHelp+"it makes no difference, %s. It helps %s, %s.", after.Name, gained(after), before.Name, gained(before))
	case helped:
		open := "so it may still help"
		if ci := after.Lift.CI; ci != nil && ci[1] < 0 {
			open = "and its answers may be worse with it"
		}
		say("The skill helps %s, %s. With %s no help is seen any more, %s; the result is inconclusive, %s.",
			before.Name, gained(before), after.Name, gained(after), open)
	case verdict == stats.Better:
		say("The skill helps %s, %s. With %s the result is %s, %s.", after.Name, gained(after), before.Name, before.Lift.Verdict, gained(before))
	default:
		say("The skill is not seen to help either: %s with %s, %s, and %s with %s, %s.",
			before.Lift.Verdict, before.Name, gained(before), verdict, after.Name, gained(after))
	}
	switch c.Lift.Verdict {
	case stats.Better:
		say("It helps %s more than %s.", after.Name, before.Name)
	case stats.Worse:
		say("It helps %s less than %s.", after.Name, before.Name)
	case stats.NoDifference:
		say("It helps both about as much.")
	default:
		say("Whether it helps one more than the other is not known from %s.", printable.Plural(c.Lift.Cases, "case"))
	}
	if c.Baseline.Verdict == stats.Better {
		say("The baseline of %s is better than that of %s: the model does more without the skill.", after.Name, before.Name)
	}
}
