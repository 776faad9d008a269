package rules

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/secrets"
)

// nameCollision is about several skills: see Collisions.
var nameCollision = &spec.Rule{
	ID:     "name-collision",
	Title:  "skill names are unique",
	Level:  spec.Warning,
	Source: "agentskills.io, adding skills support: clients keep only one skill of each name",
}

// Named is the part of a skill that is compared with the other skills of a run. It
// is small enough to be kept for all of them.
type Named struct {
	Path    string    // of its file, as findings name it
	Name    string    // as it is compared; "" if there is none
	Span    spec.Span // of the name
	Line    string    // the line on which Span starts
	Ignored bool      // whether a comment of the skill ignores collisions
	Text    [sha256.Size]byte
}

// NamedOf returns the part of a document that is compared with others.
func NamedOf(d *spec.Document) Named {
	name := norm.NFKC.String(d.Text("name"))
	if !d.Mapping || name == "" || frontmatter.HasPlaceholder(name) {
		return Named{Path: d.Path}
	}
	span := d.Field("name").Place()
	_, ignored := d.Ignoring(nameCollision.ID)
	return Named{Path: d.Path, Name: name, Span: span, Line: d.Line(span.Start.Line), Ignored: ignored, Text: sha256.Sum256(d.Source)}
}

// Place is where a skill is, for Collisions, so that it makes no difference how
// its path was written.
type Place struct {
	File string // the absolute path of its SKILL.md
	// From is the folder that the search began in, or that holds the whole
	// repository: what the folders above it are called says nothing.
	From string
}

// Collisions returns the findings of the rule name-collision on the skills of
// one run, by index; their order does not matter. Levels are those of opts.
// place is called for skills with the same name only.
//
// Of skills with one name all but the first by path are reported. Only skills
// of one root are compared, for a client looks into a root and not into the
// whole repository: .claude/skills and .agents/skills, or the skills folders of
// two plugins, do not meet. A root is the path up to the last folder on the way
// that is called skills or is hidden; without one, all skills of the run are in
// the same root. Copies with the same text collide without harm, which is
// advice; samples (testdata, templates, examples) are no skills.
func Collisions(skills []Named, opts spec.Options, place func(i int) Place) map[int][]spec.Diagnostic {
	level := opts.Level(nameCollision)
	if level == spec.Off || opts.Profile == spec.ProfileReference {
		return nil
	}
	byName := map[string][]int{}
	for i, s := range skills {
		if s.Name != "" {
			byName[s.Name] = append(byName[s.Name], i)
		}
	}
	out := map[int][]spec.Diagnostic{}
	for _, alike := range byName {
		if len(alike) < 2 {
			continue
		}
		byRoot := map[string][]int{}
		for _, i := range alike {
			if root, sample := skillsRoot(place(i)); !sample {
				byRoot[root] = append(byRoot[root], i)
			}
		}
		for _, group := range byRoot {
			slices.SortFunc(group, func(a, b int) int { return strings.Compare(skills[a].Path, skills[b].Path) })
			first := skills[group[0]]
			for _, i := range group[1:] {
				if s := skills[i]; !s.Ignored && s.Path != first.Path {
					out[i] = []spec.Diagnostic{s.collides(first, level, opts.Advice(nameCollision))}
				}
			}
		}
	}
	return out
}

// collides reports that a skill has the name of another.
func (s Named) collides(first Named, level, advice spec.Level) spec.Diagnostic {
	d := spec.Diagnostic{
		Rule: nameCollision.ID, Level: level, Path: s.Path, Span: s.Span, Snippet: s.Line,
		Message: fmt.Sprintf("the name %s is also used by %s", printable.Quote(s.Name), printable.Quoted(filepath.ToSlash(first.Path))),
		Help:    "rename one of them and its folder: clients keep only one skill of each name",
	}
	if s.Text == first.Text {
		d.Level, d.Message, d.Help = advice, d.Message+", which has the same text", "keep one of them"
	}
	d.Message = secrets.Mask(d.Message, nil)
	return d
}

// skillsRoot returns the root of a skill's file. sample tells that there is a folder
// of samples between the file and the root, or the start of the search.
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
	return strings.Join(parts[:last], "/"), inSampleFolder(strings.Join(parts[own:], "/") + "/x")
}

// folders returns the elements of a path.
func folders(name string) []string {
	return strings.Split(strings.TrimSuffix(filepath.ToSlash(filepath.Clean(name)), "/"), "/")
}
