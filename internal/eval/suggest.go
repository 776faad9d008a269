package eval

// A model proposes descriptions of a skill. Whoever chooses the best of several by the same
// queries that are reported finds an improvement by chance, so the queries have three parts
// and the last one is measured only at the end.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/suite"
	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

const (
	suggestRounds = 5
	minUnseen     = stats.MinCases // queries that decide at the end
)

// Suggestion is the result of a search for a better description.
type Suggestion struct {
	Found       string `json:"found"`                 // what was found, in words
	Description string `json:"description,omitempty"` // "" if none is better by more than chance
	Diff        string `json:"diff,omitempty"`        // from the present SKILL.md
}

// suggest asks the model for better descriptions; it changes no file of the skill. The model
// sees the failures of a first part of the queries, a second part selects a description, and
// a third, which selects nothing, decides whether it is better than the present one by more
// than chance: otherwise there is none.
func (t *Trigger) suggest(ctx context.Context) (*Suggestion, error) {
	s := suggester{
		measure: t.measure, propose: t.propose,
		stopped: func() bool { _, stopped := t.e.meter.read(); return stopped != "" },
	}
	best, found, err := s.search(ctx, t.description, t.queries)
	if err != nil {
		return nil, err
	}
	if best == t.description {
		return &Suggestion{Found: found}, nil
	}
	dir, err := filepath.Rel(t.e.env.Dir, t.dir)
	if err != nil {
		return nil, err
	}
	var diff strings.Builder
	file := fix.File{Name: t.skill.File, Before: t.skill.Source, After: describe(t.skill.Source, best)}
	if err := fix.Diff(&diff, fix.Changes{Dir: dir, Files: []fix.File{file}}); err != nil {
		return nil, err
	}
	return &Suggestion{found, best, diff.String()}, nil
}

// suggester searches for a better description.
type suggester struct {
	measure func(ctx context.Context, description string, queries ...suite.Query) ([]QueryResult, error)
	propose func(ctx context.Context, request string) (string, error)
	stopped func() bool // whether a budget is used up
}

// search returns a better description and what was found, or the present one and why.
func (s suggester) search(ctx context.Context, present string, queries []suite.Query) (best, found string, err error) {
	shown, selecting, unseen := split(queries)
	if len(unseen) < minUnseen {
		return present, fmt.Sprintf("no suggestion: %d queries are too few; with 20, %d remain that nothing has seen", len(queries), minUnseen), nil
	}
	best, err = s.choose(ctx, present, shown, selecting)
	if err != nil || s.stopped() {
		return present, "no suggestion: the budget is used up", err
	}
	if best == present {
		return present, "no suggestion: no other description does better", nil
	}
	before, err := s.measure(ctx, present, unseen...)
	if err != nil {
		return present, "", err
	}
	after, err := s.measure(ctx, best, unseen...)
	if err != nil {
		return present, "", err
	}
	var diffs []float64
	for i := range before {
		old, known := before[i].right()
		now, alsoKnown := after[i].right()
		if known && alsoKnown {
			diffs = append(diffs, now-old)
		}
	}
	r := stats.Paired(diffs)
	found = fmt.Sprintf("of %d queries that nothing had seen, %d passed before, and %d after", len(unseen), countPassed(before, true), countPassed(after, true))
	if r.Verdict != stats.Better || s.stopped() {
		return present, "no suggestion: " + found + ", which may be chance", nil
	}
	return best, found, nil
}

// choose returns the description with which most of the selecting queries pass. The model
// sees the failures among the shown ones.
func (s suggester) choose(ctx context.Context, present string, shown, selecting []suite.Query) (string, error) {
	description, best, most := present, present, -1
	for round := range suggestRounds + 1 {
		results, err := s.measure(ctx, description, slices.Concat(shown, selecting)...)
		if err != nil || s.stopped() {
			return best, err // this description is measured in part only
		}
		if passed := countPassed(results[len(shown):], true); passed > most {
			best, most = description, passed
		}
		request := suggestion(description, results[:len(shown)])
		if request == "" || round == suggestRounds {
			break
		}
		answer, err := s.propose(ctx, request)
		if err != nil {
			return best, err
		}
		description = strings.Join(strings.Fields(answer), " ")
		if description == "" || len([]rune(description)) > spec.MaxDescription {
			break
		}
	}
	return best, nil
}

// split divides the queries of each kind 4 to 3 to 3, always in the same way: the model sees
// the first part, the second one selects a description, and the third one decides.
func split(queries []suite.Query) (shown, selecting, unseen []suite.Query) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(queries))
	for _, should := range []bool{true, false} {
		var kind []suite.Query
		for _, i := range order {
			if queries[i].ShouldTrigger == should {
				kind = append(kind, queries[i])
			}
		}
		third := (len(kind)*3 + 5) / 10
		first := max(0, len(kind)-2*third)
		shown, selecting, unseen = append(shown, kind[:first]...), append(selecting, kind[first:first+third]...), append(unseen, kind[first+third:]...)
	}
	return shown, selecting, unseen
}

// suggestion asks for a better description, or is "" if no query failed.
func suggestion(description string, results []QueryResult) string {
	var failures strings.Builder
	for _, q := range results {
		if q.failed() {
			fmt.Fprintf(&failures, "- should load it: %t; loaded in %d of %d: %s\n",
				q.ShouldTrigger, q.Triggered, q.Runs, printable.JSONText(q.Query.Query))
		}
	}
	if failures.Len() == 0 {
		return ""
	}
	return fmt.Sprintf(`The description of a skill decides when an agent loads it. Rewrite this one so that
the agent loads the skill for such requests as should load it, and for no others. Do not
quote the requests: describe what they have in common. Answer with the new description
only, in one paragraph of at most %d characters.

Description: %s

Requests with the wrong result:
%s`, spec.MaxDescription, printable.JSONText(description), &failures)
}

// describe returns a SKILL.md with another description, written as JSON, which is YAML. It
// replaces all up to the next field, because a block's span is its first line. Without a
// description the source is returned.
func describe(source []byte, description string) []byte {
	doc := loader.ParseDocument(spec.FileName, "", source)
	i := slices.IndexFunc(doc.Fields, func(f frontmatter.Field) bool { return f.Key == "description" })
	if i < 0 {
		return source
	}
	start, end := doc.Lines().Offset(doc.Fields[i].Value.Span.Start), doc.Block().End
	if i+1 < len(doc.Fields) {
		end = doc.Lines().Offset(doc.Fields[i+1].KeySpan.Start)
	}
	return slices.Concat(source[:start], []byte(printable.JSONText(description)+"\n"), source[end:])
}
