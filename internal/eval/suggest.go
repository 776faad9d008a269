package eval

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/eval/suite"
	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

const suggestRounds = 5

// Suggest asks the model for better descriptions and writes the best one as a diff; it
// changes no file. The model sees the failures of 60 % of the queries, and the rest decide.
// It writes nothing if no description is better than the present one. The result is how
// many of the deciding queries pass before and after.
func (t *Trigger) Suggest(ctx context.Context, w io.Writer) (string, error) {
	shown, kept := split(t.queries)
	description, best, before, most := t.description, t.description, 0, -1
	for round := range suggestRounds + 1 {
		results, err := t.measure(ctx, description, slices.Concat(shown, kept)...)
		if err != nil {
			return "", err
		}
		if _, stopped := t.e.meter.read(); stopped != "" {
			break // this description is measured in part only
		}
		passed := countPassed(results[len(shown):], true)
		if round == 0 {
			before = passed
		}
		if passed > most {
			best, most = description, passed
		}
		request := suggestion(description, results[:len(shown)])
		if request == "" || round == suggestRounds {
			break
		}
		asked, err := t.run(ctx, nil, 1, suite.Query{Query: request})
		if err != nil {
			return "", err
		}
		description = strings.Join(strings.Fields(asked[0].out.Answer), " ")
		if description == "" || len([]rune(description)) > spec.MaxDescription {
			break
		}
	}
	if best != t.description {
		dir, err := filepath.Rel(t.e.env.Dir, t.dir)
		file := fix.File{Name: t.skill.File, Before: t.skill.Source, After: describe(t.skill.Source, best)}
		if err != nil {
			return "", err
		}
		if err := fix.Diff(w, fix.Changes{Dir: dir, Files: []fix.File{file}}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("of %d queries that the model did not see, %d passed before, and %d after",
		len(kept), before, max(most, 0)), nil
}

// split divides the queries of each kind 60 to 40, always in the same way: the model sees
// the first part, and the second one decides.
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
