package rules

import (
	"fmt"
	"path"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
	"skills/internal/spec/tokens"
)

var referenceDepth = &spec.Rule{
	ID:     "reference-depth",
	Title:  "SKILL.md mentions every Markdown file to be read",
	Level:  spec.Warning,
	Source: "specification, file references: one level deep from SKILL.md, no chains",
	Join: func(places []spec.Place) string {
		return fmt.Sprintf("%d files are reached only through other files: agents may read them in part or not at all: %s",
			len(places), printable.List(subjects(places), 5))
	},
	Check: func(p *spec.Pass) {
		files := skillOf(p).linkedPages()
		var named *references.Names // built on first use
		for _, file := range files {
			if file.depth < 2 || forPeople().MatchString(path.Base(file.name)) {
				continue
			}
			if named == nil {
				names := make([]string, 0, len(files))
				for _, f := range files {
					names = append(names, f.name)
				}
				named = references.NewNames(names)
				named.Add(string(p.Doc.Source), false)
			}
			if named.Has(file.name) {
				continue
			}
			file.via.reportBody(p, file.link.Start, file.link.End, "link it from SKILL.md too, and say when to read it",
				"%s is reached only through %s: agents may read it in part or not at all", printable.Quote(file.name), printable.Quote(file.via.name)).
				In("chains", printable.Quoted(file.name))
		}
	},
}

// forPeople matches the names of documentation for users of the skill. The last
// ones may be about the subject if they are in lower case.
var forPeople = lazyregexp.New(`(?i:readme)|^(?i:(?:LICEN[SC]E|COPYING|CHANGELOG|RELEASES?|RELEASE[-_]NOTES)(?:\.|$)|LICENSE[-_])` +
	`|^(?:NOTICE|CHANGES|AUTHORS|CONTRIBUTING|CONTRIBUTORS|SECURITY|CODE_OF_CONDUCT|VERSION|HISTORY)(?:\.|$)`)

// sureReference is the estimate of tokens above which a reference certainly exceeds
// the 5,000 that it should stay under.
const sureReference = 6000

var referenceLength = &spec.Rule{
	ID:     "reference-length",
	Title:  "linked references stay under about 5,000 tokens",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: `specification, "Progressive disclosure": keep reference files focused`,
	Check: func(p *spec.Pass) {
		for _, in := range skillOf(p).instructions() {
			if in.depth == 0 || len(in.src) < 2*sureReference {
				continue
			}
			if n := tokens.Estimate(string(in.src)); n > sureReference {
				reportFile(p, in.name, "split it by subject, so that an agent reads only what a task needs",
					"the file has about %s tokens, and an agent that opens it reads all of them", printable.Grouped(int64(n)))
			}
		}
	},
}
