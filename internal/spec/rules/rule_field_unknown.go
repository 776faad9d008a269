package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/suggest"
)

var fieldUnknown = &spec.Rule{
	ID:     "field-unknown",
	Title:  "top-level fields are the specification's or a known client's",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"; the reference library accepts no other field`,
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			if p.Full() {
				return
			}
			if isSpecField(f.Key) || len(readers(f.Key)) > 0 {
				continue
			}
			if odd := strings.IndexFunc(f.Key, isOddSpace); odd >= 0 {
				r, _ := utf8.DecodeRuneInString(f.Key[odd:])
				p.Report(f.KeySpan, "write plain spaces instead, or delete it",
					"Unexpected fields in frontmatter: the key %s holds %s", quote(f.Key), describeRune(r))
				continue
			}
			help := fmt.Sprintf("put it under metadata, as text, or delete it; the fields are %s", listed(SpecFields()))
			if known := suggest.Nearest(f.Key, likelyFields(f.Value)); known != "" {
				help = fmt.Sprintf("did you mean %s? Otherwise put it under metadata", known)
			}
			p.Report(f.KeySpan, help, "Unexpected fields in frontmatter: %s is read by no known client", quote(f.Key))
		}
	},
}
