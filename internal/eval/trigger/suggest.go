package trigger

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/agent"
	"skills/internal/eval/suite"
	"skills/internal/lint/fix"
	"skills/internal/printable"
)

const (
	maxRounds      = 5
	maxDescription = 1024 // characters, the specification's limit
)

// Suggest asks the model for better descriptions and writes the best one as a diff; it
// changes no file. The model sees the failures of 60 % of the queries, and the rest decide.
// It writes nothing if no description is better than the present one. The result says how
// many of the queries that decide pass before and after.
func (h *Harness) Suggest(ctx context.Context, w io.Writer) (string, error) {
	shown, kept := split(h.Queries)
	description, best := h.Description(), h.Description()
	before, most := 0, -1
	for round := range maxRounds + 1 {
		root, err := h.stage(ctx, description)
		if err != nil {
			return "", err
		}
		results, err := h.run(ctx, root, append(append([]suite.Query{}, shown...), kept...))
		if err != nil {
			return "", err
		}
		if h.stopped != "" {
			break // this description is measured in part only
		}
		passed := 0
		for _, q := range results[len(shown):] {
			if q.Passed != nil && *q.Passed {
				passed++
			}
		}
		if round == 0 {
			before = passed
		}
		if passed > most {
			best, most = description, passed
		}
		failures := failures(results[:len(shown)])
		if failures == "" || round == maxRounds {
			break
		}
		if description, err = h.ask(ctx, description, failures); err != nil || description == "" {
			break
		}
	}
	if best != h.Description() {
		file := fix.File{Name: "SKILL.md", Before: h.target.Source, After: describe(h.target, best)}
		if err := fix.Diff(w, fix.Changes{Dir: h.Skill, Files: []fix.File{file}}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("of %d queries that the model did not see, %d passed before, and %d after", len(kept), before, max(most, 0)), nil
}

// split divides the queries of each kind 60 to 40, always in the same way.
func split(queries []suite.Query) (shown, kept []suite.Query) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(queries))
	for _, should := range []bool{true, false} {
		var kind []suite.Query
		for _, i := range order {
			if queries[i].ShouldTrigger == should {
				kind = append(kind, queries[i])
			}
		}
		n := min((len(kind)*6+5)/10, max(0, len(kind)-1))
		shown, kept = append(shown, kind[:n]...), append(kept, kind[n:]...)
	}
	return shown, kept
}

func failures(results []Query) string {
	var b strings.Builder
	for _, q := range results {
		if q.Passed != nil && !*q.Passed {
			fmt.Fprintf(&b, "- should load it: %t; loaded in %d of %d: %s\n", q.ShouldTrigger, q.Triggered, q.Runs, printable.JSONText(q.Query.Query))
		}
	}
	return b.String()
}

// ask returns a new description, or "" if the answer is none.
func (h *Harness) ask(ctx context.Context, description, failures string) (string, error) {
	prompt := fmt.Sprintf(`The description of a skill decides when an agent loads it. Rewrite this one so that
the agent loads the skill for such requests as should load it, and for no others. Do not
quote the requests: describe what they have in common. Answer with the new description
only, in one paragraph of at most %d characters.

Description: %s

Requests with the wrong result:
%s`, maxDescription, printable.JSONText(description), failures)
	empty := filepath.Join(h.dir, "empty")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return "", err
	}
	answer, err := h.try(ctx, empty, prompt)
	if answer == nil || answer.Status != agent.Completed {
		return "", err
	}
	text := strings.Join(strings.Fields(answer.Text), " ")
	if len([]rune(text)) > maxDescription {
		return "", nil
	}
	return text, nil
}
