package spec

var metadataType = &Rule{
	ID:     "metadata-type",
	Title:  "metadata is a mapping",
	Level:  Error,
	Source: `specification, "metadata field"`,
	Check: func(p *Pass) {
		f := p.Doc.Field("metadata")
		if f == nil || f.Value.Kind == Mapping || f.Value.Kind == Null {
			return
		}
		p.Report(f.Place(), "indent keys under it, one a line: author: example-org",
			"Field 'metadata' must be a mapping of keys to text, not %s", f.Value.Kind)
	},
}
