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

// nameCollision is about several skills: see Names.
var nameCollision = &spec.Rule{
	ID:     "name-collision",
	Title:  "skill names are unique",
	Level:  spec.Warning,
	Source: "agentskills.io, adding skills support: clients keep only one skill of each name",
}

// Named is the part of a skill that is compared with the other skills of a run.
type Named struct {
	path    string    // of its file, as findings name it
	key     nameKey   // no name if it is not compared
	span    spec.Span // of the name
	line    string    // on which span starts
	ignored bool      // whether a comment of the skill ignores collisions
	text    [sha256.Size]byte
}

// nameKey is a name as it is compared, and the root that the skill is in.
type nameKey struct{ name, root string }

// Place is where a skill is, so that it makes no difference how its path was
// written.
type Place struct {
	File string // the absolute path of its SKILL.md
	// From is the folder that the search began in, or that holds the whole
	// repository: what the folders above it are called says nothing.
	From string
}

// NamedOf returns the part of a document that is compared with others.
func NamedOf(d *spec.Document, at Place) Named {
	name := norm.NFKC.String(d.Text("name"))
	root, sample := skillsRoot(at)
	if !d.Mapping || name == "" || frontmatter.HasPlaceholder(name) || sample {
		return Named{}
	}
	span := d.Field("name").Place()
	_, ignored := d.Ignoring(nameCollision.ID)
	return Named{d.Path, nameKey{strings.Clone(name), root}, span, d.Line(span.Start.Line), ignored, sha256.Sum256(d.Source)}
}

// Names are the skills of one run, as far as they were compared: the first of each
// name in each root.
type Names map[nameKey]firstNamed

// firstNamed is small, because it is kept for all skills of a run.
type firstNamed struct {
	path string
	text [sha256.Size]byte
}

// Add compares a skill with those that were added before, and returns the findings
// of the rule name-collision on it. Levels are those of opts.
//
// Of skills with one name all but the first are reported. Only skills of one root
// are compared, for a client looks into a root and not into the whole repository:
// .claude/skills and .agents/skills, or the skills folders of two plugins, do not
// meet. A root is the path up to the last folder on the way that is called skills
// or is hidden; without one, all skills of the run are in the same root. Copies with
// the same text collide without harm, which is advice; samples (testdata, templates,
// examples) are no skills.
func (n Names) Add(s Named, opts spec.Options) []spec.Diagnostic {
	if s.key.name == "" {
		return nil
	}
	first, taken := n[s.key]
	if !taken {
		n[s.key] = firstNamed{s.path, s.text}
	}
	level := opts.Level(nameCollision)
	if !taken || s.ignored || level == spec.Off || opts.Profile == spec.ProfileReference {
		return nil
	}
	d := spec.Diagnostic{
		Rule: nameCollision.ID, Level: level, Path: s.path, Span: s.span, Snippet: s.line,
		Message: fmt.Sprintf("the name %s is also used by %s", printable.Quote(s.key.name), printable.Quoted(filepath.ToSlash(first.path))),
		Help:    "rename one of them and its folder: clients keep only one skill of each name",
	}
	if s.text == first.text {
		d.Level, d.Message, d.Help = opts.Advice(nameCollision), d.Message+", which has the same text", "keep one of them"
	}
	d.Message = secrets.Mask(d.Message, nil)
	return []spec.Diagnostic{d}
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
