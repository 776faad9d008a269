package spec

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"skills/internal/spec/frontmatter"
)

// nameCollision is about several skills: see Collisions.
var nameCollision = &Rule{
	ID:     "name-collision",
	Title:  "a name is that of one skill only",
	Level:  Warning,
	Source: "agentskills.io, adding skills support: of two skills with one name a client keeps one",
}

// Place is where a skill lies, for Collisions, so that it makes no difference
// how its path was written.
type Place struct {
	File string // the absolute path of its SKILL.md
	// From is the folder that the search began in, or that holds the whole
	// repository: what the folders above it are called says nothing.
	From string
}

// Collisions returns the findings of the rule name-collision on the documents
// of one run, by document; the order of docs does not matter. Levels are those
// of opts, and documents whose comments ignore the rule have none. place is
// asked about documents with the same name only.
//
// Of skills with one name all but the first by path are told. Only skills of
// one root are compared, for a client looks into a root and not into the whole
// repository: what lies in .claude/skills and .agents/skills, or in the skills
// folders of two plugins, does not meet. A root is the path up to the last
// folder on the way that is called skills or is hidden; without one, all
// skills of the run are in the same root. Copies with the same text collide
// without harm, which is advice; samples (testdata, templates, examples) are no
// skills, and are not told.
func Collisions(docs []*Document, opts Options, place func(*Document) Place) map[*Document][]Diagnostic {
	level := opts.level(nameCollision)
	if level == Off || opts.Profile == ProfileReference {
		return nil
	}
	byName := map[string][]*Document{}
	for _, d := range docs {
		if name := norm.NFKC.String(d.Text("name")); d.Mapping && name != "" && !frontmatter.HasPlaceholder(name) {
			byName[name] = append(byName[name], d)
		}
	}
	out := map[*Document][]Diagnostic{}
	for name, alike := range byName {
		if len(alike) < 2 {
			continue
		}
		byRoot := map[string][]*Document{}
		for _, d := range alike {
			if root, sample := skillsRoot(place(d)); !sample {
				byRoot[root] = append(byRoot[root], d)
			}
		}
		for _, group := range byRoot {
			slices.SortFunc(group, func(a, b *Document) int { return strings.Compare(a.Path, b.Path) })
			first := group[0]
			for _, d := range group[1:] {
				if _, ignored := d.Ignoring(nameCollision.ID); ignored || d.Path == first.Path {
					continue
				}
				pass := &Pass{Doc: d, rule: nameCollision, level: level, advice: opts.advice(nameCollision), out: new([]Diagnostic)}
				pass.collides(first, name)
				out[d] = d.masked(*pass.out)
			}
		}
	}
	return out
}

// collides reports that the document has the name of another.
func (p *Pass) collides(first *Document, name string) {
	span, other := p.Doc.Field("name").Place(), show(filepath.ToSlash(first.Path))
	if p.Doc.sum() == first.sum() {
		p.AdviseIn(p.Doc.Path, span, nil, "keep one of them: a client does",
			"the name %s is that of %s too, which has the same text", quote(name), other)
		return
	}
	p.Report(span, "rename one of them and its folder: of two skills with one name a client keeps one",
		"the name %s is that of %s too", quote(name), other)
}

// skillsRoot returns the root that a skill's file lies in; sample says that on
// the way from there, or from where the search began, it passes a folder of
// samples.
func skillsRoot(at Place) (root string, sample bool) {
	parts := folders(at.File)
	parts = parts[:max(len(parts)-2, 0)] // without the skill's own folder
	last := 0
	for i, part := range parts {
		if part == "skills" || strings.HasPrefix(part, ".") && part != "." && part != ".." {
			last = i + 1
		}
	}
	own := last
	if from := folders(at.From); at.From != "" && len(from) <= len(parts) && slices.Equal(parts[:len(from)], from) {
		own = max(last, len(from))
	} else if at.From != "" {
		own = len(parts)
	}
	return strings.Join(parts[:last], "/"), sampleFolder(strings.Join(parts[own:], "/") + "/x")
}

// folders are the names that a path is made of.
func folders(name string) []string {
	return strings.Split(strings.TrimSuffix(filepath.ToSlash(filepath.Clean(name)), "/"), "/")
}
