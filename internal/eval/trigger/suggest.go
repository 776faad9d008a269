package trigger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"skills/internal/eval/suite"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

const maxDescription = 1024 // characters, the specification's limit

// Describe returns a SKILL.md with another description, written as JSON, which is YAML. It
// replaces all up to the next field, because a block's span is its first line. Without a
// description the source is returned.
func Describe(source []byte, description string) []byte {
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

// Split divides the queries of each kind 60 to 40, always in the same way: the model sees
// the first part, and the second one decides.
func Split(queries []suite.Query) (shown, kept []suite.Query) {
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

// Prompt asks for a better description, or is "" if no query failed.
func Prompt(description string, results []Query) string {
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
%s`, maxDescription, printable.JSONText(description), &failures)
}

// Answer returns the description in an answer to Prompt, or "" if it is too long.
func Answer(text string) string {
	if text = strings.Join(strings.Fields(text), " "); len([]rune(text)) > maxDescription {
		return ""
	}
	return text
}
