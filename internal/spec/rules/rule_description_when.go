package rules

import (
	"strings"

	"skills/internal/spec"
)

var descriptionWhen = &spec.Rule{
	ID:     "description-when",
	Title:  "description says when to use the skill",
	Level:  spec.Info,
	Source: `specification, "description field": what the skill does and when to use it`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("description")
		if f == nil || !spec.HasText(f.Value) || p.Doc.Field("when_to_use") != nil || byHand(p.Doc) || isSlot(f.Value.Text) || !lacksTrigger(f.Value.Text) {
			return
		}
		p.Report(f.Value.Span, `add a sentence such as "Use when a task names a PDF."`,
			"the description does not say when to use the skill: agents choose by it")
	},
}

// byHand reports a skill that says of itself that only people start it: no
// agent chooses it by its description.
func byHand(d *spec.Document) bool {
	f := d.Field("disable-model-invocation")
	return f != nil && f.Value.Kind == spec.Bool && strings.EqualFold(f.Value.Text, "true")
}

// isSlot reports the text of a template that is yet to be filled in: {what the
// skill does}.
func isSlot(text string) bool {
	text = strings.TrimSpace(text)
	for _, marks := range []string{"{}", "[]", "<>"} {
		if strings.HasPrefix(text, marks[:1]) && strings.IndexByte(text, marks[1]) == len(text)-1 {
			return true
		}
	}
	return false
}
