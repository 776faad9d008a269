package rules

// Skills are compared as they come, in the order of the search: each is reduced to its
// name, its root and digests, and compared with the first of the same name or description.

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/secrets"
)

// nameCollision compares several skills: see Names.
var nameCollision = &spec.Rule{
	ID:     "name-collision",
	Title:  "skill names and descriptions are unique",
	Level:  spec.Warning,
	Source: "agentskills.io, adding skills support: clients keep only one skill of each name, and a model chooses by the description",
}

// Named holds what a skill needs for comparison with the other skills of a run.
type Named struct {
	path    string    // of the file, as used in findings
	key     nameKey   // zero if the skill is not compared
	span    spec.Span // of the name
	line    string    // the line on which span starts
	ignored bool      // whether a comment in the skill suppresses collisions
	text    [sha256.Size]byte

	description [sha256.Size]byte // of its words, in lower case
	described   spec.Span         // the description
	descLine    string            // the line on which it starts
}

// nameKey is a normalised name, or the digest of a description, and the root of its skill.
type nameKey struct{ name, root string }

// Place is the location of a skill, independent of how its path was given.
type Place struct {
	File string // the absolute path of its SKILL.md
	// From is the folder where the search began, or the folder of the
	// repository. The names of folders above it are ignored.
	From string
}

// outline is the description that skills new writes if it is given none: see its script.
const outline = "Describes what the skill does. Use when a task asks for it."

// NamedOf returns what a document needs for comparison with others.
func NamedOf(d *spec.Document, at Place) Named {
	name := norm.NFKC.String(d.Text("name"))
	root, sample := skillsRoot(at)
	isNamed := d.Mapping && name != "" && !frontmatter.HasPlaceholder(name)
	if !isNamed || sample {
		return Named{}
	}
	span := d.Field("name").Place()
	ignored := d.Ignores(nameCollision.ID)
	named := Named{
		path: d.Path, key: nameKey{strings.Clone(name), root},
		span: span, line: d.Line(span.Start.Line),
		ignored: ignored, text: sha256.Sum256(d.Source),
	}
	description := strings.Join(strings.Fields(d.Text("description")), " ")
	if description != "" && description != outline && !frontmatter.HasPlaceholder(description) {
		named.description = sha256.Sum256([]byte(strings.ToLower(norm.NFKC.String(description))))
		named.described = d.Field("description").Place()
		named.descLine = d.Line(named.described.Start.Line)
	}
	return named
}

// Names holds the skills of one run that were compared so far: the first of
// each name and of each description in each root.
type Names map[nameKey]Named

// Add compares a skill with those added before, and returns the findings of the
// rule name-collision for it, with the levels of opts.
//
// Every skill except the first with a name is reported. Only skills in the same
// root are compared, because a client reads a root and not the whole
// repository: .claude/skills and .agents/skills, or the skills folders of two
// plugins, do not conflict. A root is the path up to the last folder that is
// named skills or is hidden; skills without one share a root. Identical copies
// are harmless, so they are only advice. Samples (testdata, templates,
// examples) do not count.
func (n Names) Add(s Named, opts spec.Options) []spec.Diagnostic {
	if s.key.name == "" {
		return nil
	}
	first, taken := n[s.key]
	if !taken {
		n[s.key] = s
	}
	same := s.key
	same.name = "description " + string(s.description[:]) // no name has a space
	like, alike := n[same]
	if !alike && s.described.Start.Line > 0 {
		n[same] = s
	}
	level := opts.Level(nameCollision)
	checked := level != spec.Off && opts.Profile != spec.ProfileReference
	if s.ignored || !checked {
		return nil
	}
	d := spec.Diagnostic{Rule: nameCollision.ID, Level: level, Path: s.path, Span: s.span, Snippet: s.line}
	switch {
	case taken && s.text == first.text:
		d.Level = opts.Advice(nameCollision)
		d.Message = fmt.Sprintf("the name %s is also used by %s, which has the same text", printable.Quote(s.key.name), printable.Quoted(filepath.ToSlash(first.path)))
		d.Help = "keep one of them"
	case taken && (isVersionOf(s) || isVersionOf(first)):
		d.Level = opts.Advice(nameCollision)
		d.Message = fmt.Sprintf("the name %s is also used by %s", printable.Quote(s.key.name), printable.Quoted(filepath.ToSlash(first.path)))
		d.Help = "keep other versions outside the folders that clients read"
	case taken:
		d.Message = fmt.Sprintf("the name %s is also used by %s", printable.Quote(s.key.name), printable.Quoted(filepath.ToSlash(first.path)))
		d.Help = "rename one of them and its folder: clients keep only one skill of each name"
	case alike && !isVersionOf(s) && !isVersionOf(like):
		d.Span, d.Snippet = s.described, s.descLine
		d.Message = "the description is also that of " + printable.Line(filepath.ToSlash(like.path)) + ": a model cannot choose between the two"
		d.Help = "say in each what it does and the other does not"
	default:
		return nil
	}
	d.Message = secrets.Mask(d.Message, nil)
	return []spec.Diagnostic{d}
}

// skillsRoot returns the root of a skill's file. sample is true if a folder of
// samples is between the file and the root or the start of the search.
func skillsRoot(at Place) (root string, sample bool) {
	parts := folders(at.File)
	parts = parts[:max(len(parts)-2, 0)] // without the skill's folder
	last := 0
	for i, part := range parts {
		isHidden := strings.HasPrefix(part, ".") && part != "." && part != ".."
		if part == "skills" || isHidden {
			last = i + 1
		}
	}
	own := last
	if from := folders(at.From); at.From != "" && len(from) <= len(parts) && slices.Equal(parts[:len(from)], from) {
		own = max(last, len(from))
	} else if at.From != "" {
		own = len(parts)
	}
	sample = spec.IsSample(strings.Join(parts[own:], "/")+"/x") || slices.ContainsFunc(parts[own:], isKept)
	return strings.Join(parts[:last], "/"), sample
}

// isKept reports whether a folder keeps what is not in use any more.
func isKept(folder string) bool {
	name := strings.ToLower(folder)
	return slices.ContainsFunc([]string{"archive", "backup", "deprecated", "deleted", "obsolete", "_copy", "-copy"}, func(word string) bool { return strings.Contains(name, word) })
}

// version matches what follows the name of a skill in a folder that keeps one of its versions.
var version = lazyregexp.New(`^[-_.@](?:v?[0-9][-_.0-9]*|old|bak|orig)(?:[-_.][-_.0-9]*(?:old|bak)?)?$`)

// isVersionOf reports whether a skill's folder has its name and a version, pdf-0-1-0: it is
// kept next to another version on purpose.
func isVersionOf(s Named) bool {
	rest, found := strings.CutPrefix(path.Base(path.Dir(filepath.ToSlash(s.path))), s.key.name)
	return found && version().MatchString(strings.ToLower(rest))
}

// folders returns the elements of a path.
func folders(name string) []string {
	return strings.Split(strings.TrimSuffix(filepath.ToSlash(filepath.Clean(name)), "/"), "/")
}
