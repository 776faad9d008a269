package eval

// What an eval will cost, before it starts: the requests of its runs as they usually are, or
// as earlier runs of the same cases were, and the most that they can be. Afterwards, what it
// took.

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

// Requests of a typical run: the skill is loaded, used and answered from; without it there
// is an answer at once. With tools for files there are as many more.
const (
	typicalWith    = 3
	typicalWithout = 1
	typicalFiles   = 2
	typicalLoaded  = 2 // a query of a trigger list: the skill is loaded, then there is an answer
)

// typical returns a typical number of requests for what is not stored, with the judge's.
// learned is how many of the runs have earlier ones of the same case in the same arm.
func typical(e *Eval, s *skillEval) (n, learned int) {
	known, sum := map[string]float64{}, 0.0
	for _, r := range s.runs {
		if unjudged(e, s, r) {
			n += e.o.JudgeVotes
		}
		if r.stored != "" {
			continue
		}
		arm := filepath.Dir(r.out.Dir)
		if _, asked := known[arm]; !asked {
			known[arm] = s.earlierTurns(r)
		}
		if known[arm] > 0 {
			sum += known[arm]
			learned++
		} else {
			sum += float64(s.usualTurns(r))
		}
	}
	return n + int(math.Round(sum)) + s.unpaired()*2*e.o.JudgeVotes, learned
}

// unjudged reports whether the judge has to decide sentences about a run: it is new, or has
// sentences that this judge has not decided.
func unjudged(e *Eval, s *skillEval, r *caseRun) bool {
	list := sentences(r.arm.checks(r.c))
	if s.triggers || len(list) == 0 || r.stored == "" {
		return !s.triggers && len(list) > 0
	}
	var known struct {
		Outcomes []store.Outcome `json:"outcomes"`
	}
	if err := store.Load(filepath.Join(r.stored, judgeFile), &known); err != nil {
		return true
	}
	return !slices.EqualFunc(known.Outcomes, list, func(o store.Outcome, sentence string) bool {
		isJudge := o.Judge == e.judged || strings.HasSuffix(e.judged, "/"+o.Judge) // of a named server
		return o.Text == sentence && isJudge
	})
}

// usualTurns returns the requests of a typical run that nothing is known about.
func (s *skillEval) usualTurns(r *caseRun) (n int) {
	n = typicalWithout
	switch {
	case s.triggers && len(r.c.Checks) > 0 && r.c.Checks[0].Type == "skill_loaded":
		return typicalLoaded
	case s.triggers:
		return n
	case r.arm.configuration == store.WithSkill:
		n = typicalWith
	}
	if len(offeredTools(r.c)) > 0 {
		n += typicalFiles
	}
	return n + len(r.c.Turns)
}

// earlierTurns returns the mean number of requests of the case in the same arm in the last
// iteration that has it, 0 without one.
func (s *skillEval) earlierTurns(r *caseRun) float64 {
	for _, dir := range s.earlier {
		at := filepath.Join(dir, strings.TrimPrefix(filepath.Dir(r.out.Dir), s.dir))
		if mean := store.MeanTurns(at); mean > 0 {
			return mean
		}
	}
	return 0
}

// unpaired returns how many pairs of runs are to be compared.
func (s *skillEval) unpaired() (n int) {
	if !s.meta.Pairwise {
		return 0
	}
	for _, r := range s.runs {
		if r.arm.configuration != store.WithSkill {
			continue
		}
		for _, other := range s.runs {
			isPair := other.c == r.c && other.out.Number == r.out.Number && other.arm != r.arm
			if !isPair {
				continue
			}
			_, err := os.Stat(filepath.Join(r.stored, store.PairFile))
			if r.stored == "" || other.stored == "" || err != nil {
				n++
			}
		}
	}
	return n
}

// forecast is what the runs of evals that are not stored take.
type forecast struct{ runs, usual, most int } // typical and highest number of requests

func (f *forecast) add(e *Eval) {
	for _, s := range e.skillEvals {
		f.addRuns(e, s)
	}
}

func (f *forecast) addRuns(e *Eval, s *skillEval) {
	usual, _ := typical(e, s)
	f.usual += usual
	f.most += s.unpaired() * 4 * e.o.JudgeVotes // both orders, and once more if an answer cannot be used
	for _, r := range s.runs {
		if unjudged(e, s, r) {
			f.most += 2 * e.o.JudgeVotes
		}
		if r.stored == "" {
			f.runs++
			f.most += r.c.MaxTurns + 1
		}
	}
}

// Forecast says how many requests the runs that are not stored take, and the judge, typically
// and at most; "" if there are none.
func Forecast(e *Eval) string { return (&Session{[]*Eval{e}}).Forecast() }

func (f forecast) String() string {
	if f.runs == 0 {
		return fmt.Sprintf("no new runs: typically about %d requests to the judge, at most %d", f.usual, f.most)
	}
	return fmt.Sprintf("%s: typically about %d requests, at most %d", printable.Plural(f.runs, "run"), f.usual, f.most)
}

// Outcome says what was done: reused runs, what this command used, and where the reports are.
func Outcome(e *Eval) (lines []string) {
	for _, s := range e.skillEvals {
		reused := 0
		for _, r := range s.runs {
			if r.done && r.stored != "" {
				reused++
			}
		}
		if reused > 0 && !e.isReplay() {
			lines = append(lines, fmt.Sprintf("%s: %d of %d runs reused", s.suite.Skill, reused, len(s.runs)))
		}
		switch {
		case e.shard.count > 0 && !s.triggers: // it has no report
		case e.o.Offline && !s.triggers && s.unplayed() > 0:
			lines = append(lines, fmt.Sprintf("%s: %s could not be played; no file was changed", s.suite.Skill, printable.Plural(s.unplayed(), "run")))
		case s.triggers:
			lines = append(lines, "report: "+filepath.Join(s.dir, triggerPage))
		case !e.o.Demo:
			lines = append(lines, "report: "+filepath.Join(s.dir, "report.html"))
		}
	}
	who := "runs and judge"
	if len(e.skillEvals) > 0 && e.skillEvals[0].triggers {
		who = "runs"
	}
	return append(lines, usedLine(e, who)...)
}

// unplayed returns how many recordings gave no score.
func (s *skillEval) unplayed() (n int) {
	for _, r := range s.runs {
		if !r.done || r.out.Failed() != "" {
			n++
		}
	}
	return n
}

// usedLine says what this command used, in one line or none.
func usedLine(e *Eval, who string) (lines []string) {
	usage, _ := e.meter.read()
	if tokens := usage.InputTokens + usage.OutputTokens; tokens > 0 {
		line := fmt.Sprintf("used: %s, %s tokens of %s", printable.Plural(e.meter.calls, "request"), printable.Grouped(tokens), who)
		if e.o.Budget.Price != (agent.Price{}) {
			line += fmt.Sprintf(", cost %.4f", e.meter.spent())
		}
		lines = append(lines, line)
	}
	return lines
}
