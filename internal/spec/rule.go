package spec

import (
	"embed"
	"slices"
)

// Rule is one check: a value with its documentation attached. It holds no
// state.
type Rule struct {
	ID     string // kebab-case; also the name of its page in doc/
	Title  string // what it checks, in a few words
	Level  Level  // its level unless a configuration says otherwise
	Needs  Needs  // what must have been read before it can say anything true
	Source string // where the demand comes from
	Fix    string // what --fix would do, "" where nothing is safe
	// Reference says that the reference library checks the same: the rule runs
	// under ProfileReference, on that library's reading of the file.
	Reference bool
	// Check reports findings through the pass. Nil for rules whose findings
	// are the document's faults.
	Check func(*Pass)
}

// Needs says which part of a document a rule speaks of, and so on which
// documents it runs.
type Needs uint8

// What a rule may need. The zero value is right for rules about the
// frontmatter.
const (
	NeedsFields Needs = iota // a frontmatter that was read as a mapping
	NeedsBody                // a body or files; the frontmatter may be broken
	NeedsText                // characters of any file, also of one that could not be read
)

// runsOn reports whether the rule can say something true of a document.
func (n Needs) runsOn(doc *Document) bool {
	return doc.Mapping || n == NeedsText || n == NeedsBody && doc.Body != ""
}

//go:embed doc/*.md
var pages embed.FS

// Page returns the rule's page: why, a bad and a good example, in Markdown.
func (r *Rule) Page() string {
	text, err := pages.ReadFile("doc/" + r.ID + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// Options select what is checked and how.
type Options struct {
	Profile Profile
	Clients []string         // clients whose own fields are accepted
	Levels  map[string]Level // rule id to level, over the rule's own
	// Least is the lowest level that somebody will look at: rules below it do
	// not run, which saves their work. Off, the zero value, runs all. A skill
	// with an ignore comment is checked with all of them, for the comment is
	// held against what they find.
	Least Level
	// Behind also tells what stands on lines whose YAML is broken, of which
	// only that is told otherwise: what will be found once they are mended as
	// they were read.
	Behind bool
}

// Profile is a standard that skills are held against.
type Profile string

const (
	// ProfileSpec is the specification as agentskills.io has it; the default,
	// also for the empty string.
	ProfileSpec Profile = "spec"
	// ProfileReference gives exactly the verdict of the reference library.
	ProfileReference Profile = "skills-ref"
)

// advice is the level of a rule's findings that are no more than advice: Info,
// unless the rule was given a level.
func (o Options) advice(rule *Rule) Level {
	if level, ok := o.Levels[rule.ID]; ok {
		return level
	}
	return Info
}

// level is the level at which a rule runs.
func (o Options) level(rule *Rule) Level {
	if level, ok := o.Levels[rule.ID]; ok {
		return level
	}
	return rule.Level
}

// Faulty reports whether any finding is an error.
func Faulty(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Level == Error })
}
