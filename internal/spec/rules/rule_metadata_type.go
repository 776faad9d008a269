package rules

import "skills/internal/spec"

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
