package skills

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/search"
)

// Where the catalogue is too large to list, the model finds the other skills by searching.
// The index has the skills that the model may use, and is built at the first search: most
// runs need none.

// Limits of find_skills.
const (
	maxFound = 5   // skills that a search returns
	maxQuery = 500 // characters of a query
)

type findInput struct {
	Query string `json:"query"`
}

const findSchema = `{"type": "object", "required": ["query"], "properties": {
	"query": {"type": "string", "description": "What the skill should do, in a few keywords."}}}`

// newIndex returns a function that returns the index of a catalogue.
func (c *catalogue) newIndex(ctx context.Context) func() *search.Index {
	ctx = context.WithoutCancel(ctx)
	return sync.OnceValue(func() *search.Index {
		documents := make([]search.Document, 0, len(c.skills))
		for _, s := range c.skills {
			document := search.Document{Name: s.Name, Description: s.Description}
			contents, err := contentsOf(ctx, s)
			if err == nil { // loading the skill reports the error
				document.Body = contents.Instructions
			}
			documents = append(documents, document)
		}
		return search.New(documents)
	})
}

// find prepares a search.
func (k toolSet) find(_ context.Context, inv *agent.Invocation, in findInput) (agent.Action, error) {
	query := strings.TrimSpace(printable.Truncate(in.Query, maxQuery))
	summary := agent.Summary{Kind: agent.KindSearch, Name: query, Line: printable.Line(query), Arguments: inv.Arguments}
	if query == "" {
		return failed(summary, "The query cannot be empty."), nil
	}
	return agent.Simple(summary, func(ctx context.Context) (agent.ToolResult, error) {
		return k.found(query), context.Cause(ctx)
	}), nil
}

// found returns the skills that fit a query best.
func (k toolSet) found(query string) agent.ToolResult {
	hits := k.index().Find(query, maxFound)
	if len(hits) == 0 {
		return agent.ToolResult{Text: fmt.Sprintf("None of the %d skills fits. Search again with other words, such as product names, file types or the task.", len(k.skills))}
	}
	lines := []string{"The skills that fit best; one that does not fit the task is of no use:"}
	for _, hit := range hits {
		skill, _ := k.named(hit.Name)
		if skill != nil {
			lines = append(lines, strings.TrimRight(prompt.EntryText(prompt.Entry{Name: skill.Name, Description: skill.Description}), "\n"))
		}
	}
	return agent.ToolResult{Text: strings.Join(lines, "\n"), Summary: printable.Plural(len(hits), "skill")}
}

// maxHinted is how many skills a hint names.
const maxHinted = 2

// hintRatio is the part of the best score that a skill needs for the hint.
const hintRatio = 0.6

// hint names the skills that fit the words of the prompt best, for small models, which
// choose badly among many.
func (c *catalogue) hint(input []agent.Message) string {
	var texts []string
	for _, m := range input {
		texts = append(texts, m.Text)
	}
	names := c.fitting(strings.Join(texts, " "))
	if len(names) == 0 {
		return ""
	}
	return "Skills that may fit: " + strings.Join(names, ", ") + "."
}

// fitting returns the skills that fit the words of a text best.
func (c *catalogue) fitting(text string) (names []string) {
	documents := make([]search.Document, 0, len(c.skills)) // without their texts, which need not be read
	for _, s := range c.skills {
		documents = append(documents, search.Document{Name: s.Name, Description: s.Description})
	}
	hits := search.New(documents).Find(printable.Truncate(text, maxQuery), maxHinted)
	for _, hit := range hits {
		if hit.Score >= hits[0].Score*hintRatio {
			names = append(names, hit.Name)
		}
	}
	return names
}
