package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
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

// manyReferences is the estimate of tokens above which all references together are too
// many: about 99 of 100 public skills that have any stay below.
const manyReferences = 40_000

var referenceLength = &spec.Rule{
	ID:     "reference-length",
	Title:  "references stay under about 5,000 tokens",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: `specification, "Progressive disclosure": keep reference files focused`,
	Check: func(p *spec.Pass) {
		for _, in := range skillOf(p).offered() {
			if len(in.src) < 2*sureReference {
				continue
			}
			if n := in.tokens(); n > sureReference {
				reportFile(p, in.name, "split it by subject, so that an agent reads only what a task needs",
					"the file has about %s tokens, and an agent that opens it reads all of them", printable.Grouped(int64(n)))
			}
		}
	},
}

var referencesSize = &spec.Rule{
	ID:     "references-size",
	Title:  "all references together have a moderate size",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: `specification, "Progressive disclosure": references are loaded on demand, and small ones cost little`,
	Check: func(p *spec.Pass) {
		offered, size, sum := skillOf(p).offered(), 0, 0
		for _, in := range offered {
			size += len(in.src)
		}
		if len(offered) < 2 || size < 2*manyReferences {
			return
		}
		for _, in := range offered {
			sum += in.tokens()
		}
		if sum > manyReferences {
			p.Report(spec.Span{}, "divide the skill by task, or say in SKILL.md which task needs which files, and that it needs no others",
				"the %d files that it leads to have about %s tokens together, too many for an agent that reads them all", len(offered), printable.Grouped(int64(sum)))
		}
	},
}

// offered returns the pages that the SKILL.md leads to, without templates: by links, and by
// names in code spans, which may be those of project files such as AGENTS.md.
func (s *skill) offered() (out []*page) {
	for _, in := range s.instructions() {
		if in.depth > 0 {
			out = append(out, in)
		}
	}
	nested := nestedFolders(s.doc)
	for _, c := range s.own().Code {
		name := strings.TrimPrefix(strings.TrimSpace(c.Text), "./")
		if isSpan := !c.Block && len(c.Lines) == 1; !isSpan || !references.IsMarkdown(name) || !s.folder.Has(name) {
			continue
		}
		if inFolderOf(nested, name) || isTemplate(name) || forPeople().MatchString(path.Base(name)) {
			continue
		}
		if in := s.page(name); in != nil && in != s.own() && !slices.Contains(out, in) {
			out = append(out, in)
		}
	}
	return out
}
