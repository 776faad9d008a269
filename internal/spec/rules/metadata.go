package rules

import (
	"skills/internal/printable"
	"skills/internal/spec"
)

var metadataType = &spec.Rule{
	ID:     "metadata-type",
	Title:  "metadata is a mapping",
	Level:  spec.Error,
	Source: `specification, "metadata field"`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("metadata")
		if f == nil || f.Value.Kind == spec.Mapping || f.Value.Kind == spec.Null {
			return
		}
		p.Report(f.Place(), "indent keys under it, one a line: author: example-org",
			"Field 'metadata' must be a mapping of keys to text, not %s", f.Value.Kind)
	},
}

var metadataValues = &spec.Rule{
	ID:     "metadata-values",
	Title:  "the values of metadata are strings",
	Level:  spec.Error,
	Source: `specification, "metadata field": a map from string keys to string values`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("metadata")
		if f == nil {
			return
		}
		for _, m := range f.Value.Fields {
			if c := documentedBy(m); c != nil {
				p.AdviseIn(p.Doc.Path, m.Place(), nil, "leave it if the skill is for "+c.Title+" alone: other clients read it as text, or reject it",
					"metadata value of %s is a mapping that only %s reads", printable.Quote(m.Key), c.Title)
			} else if !m.Value.Scalar() {
				p.Report(m.Place(), "write it as text, for example "+printable.Quoted(m.Key)+": \"a, b\"",
					"metadata value of %s must be a string, not %s", printable.Quote(m.Key), m.Value.Kind)
			}
		}
	},
}
