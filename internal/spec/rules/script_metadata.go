package rules

import (
	"bytes"

	"skills/internal/pymeta"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var scriptMetadata = &spec.Rule{
	ID:     "script-metadata",
	Title:  "the metadata of Python scripts is valid",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "PEP 723",
	Check: func(p *spec.Pass) {
		for t, m := range inlineMetadata(p) {
			if m.Fault == "" {
				continue
			}
			at := frontmatter.IndexLines(t.src).Starts[m.Line-1]
			t.report(p, at, at+t.lineLength(at), "follow PEP 723 (packaging.python.org): uv rejects or ignores anything else", "%s", m.Fault)
		}
	},
}

// inlineMetadata yields the Python scripts with a metadata block, complete or
// not.
func inlineMetadata(p *spec.Pass) func(yield func(*text, pymeta.Metadata) bool) {
	return func(yield func(*text, pymeta.Metadata) bool) {
		for t, language := range scripts(p.Doc) {
			if language != "python" || !bytes.Contains(t.src, []byte("# /// script")) {
				continue
			}
			if m, ok := pymeta.Read(t.src); (ok || m.Fault != "") && !yield(t, m) {
				return
			}
		}
	}
}
