package spec

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// nameCollision is about several skills: see Collisions.
var nameCollision = &Rule{
	ID:     "name-collision",
	Title:  "a name is that of one skill only",
	Level:  Warning,
	Source: "agentskills.io, adding skills support: of two skills with one name a client keeps one",
}

// Collisions returns the findings of the rule name-collision on the documents
// of one run, by document; the order of docs does not matter. Levels are those
// of opts, and documents whose comments ignore the rule have none.
//
// Of skills with one name all but the first by path are told. Only skills of
// one root are compared, for a client looks into a root and not into the whole
// repository: what lies in .claude/skills and .agents/skills, or in the skills
// folders of two plugins, does not meet. A root is the path up to the last
// folder on the way that is called skills or is hidden; without one, all
// skills of the run are in the same root. Copies with the same text collide
// without harm, and samples (testdata, templates, examples) are no skills:
// neither is told.
func Collisions(docs []*Document, opts Options) map[*Document][]Diagnostic {
	level := opts.level(nameCollision)
	if level == Off || opts.Profile == ProfileReference {
		return nil
	}
	type key struct{ root, name string }
	groups := map[key][]*Document{}
	for _, d := range docs {
		name := norm.NFKC.String(d.Text("name"))
		root, sample := skillsRoot(d.Path)
		if d.Mapping && name != "" && !hasPlaceholder(name) && !sample {
			groups[key{root, name}] = append(groups[key{root, name}], d)
		}
	}
	out := map[*Document][]Diagnostic{}
	for k, group := range groups {
		slices.SortFunc(group, func(a, b *Document) int { return strings.Compare(a.Path, b.Path) })
		first := group[0]
		for _, d := range group[1:] {
			if _, ignored := d.Ignoring(nameCollision.ID); ignored || d.Path == first.Path || d.sum() == first.sum() {
				continue
			}
			pass := &Pass{Doc: d, rule: nameCollision, level: level, out: new([]Diagnostic)}
			pass.Report(d.Field("name").place(), "rename one of them and its folder: of two skills with one name a client keeps one",
				"the name %s is that of %s too", quote(k.name), show(filepath.ToSlash(first.Path)))
			out[d] = d.masked(*pass.out)
		}
	}
	return out
}

// skillsRoot returns the root that a skill's file lies in; sample says that on
// the way from there it passes a folder of samples.
func skillsRoot(file string) (root string, sample bool) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(file)), "/")
	parts = parts[:max(len(parts)-2, 0)] // without the skill's own folder
	last := 0
	for i, part := range parts {
		if part == "skills" || strings.HasPrefix(part, ".") && part != "." && part != ".." {
			last = i + 1
		}
	}
	return strings.Join(parts[:last], "/"), sampleFolder(strings.Join(parts[last:], "/") + "/x")
}
