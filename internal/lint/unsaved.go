package lint

// What an editor shows is checked instead of what is on disk: the texts of its open files
// are laid over the folder of the skill, so that the rules see one state of all files.

import (
	"context"
	"path/filepath"
	"slices"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
)

// unsavedIn returns the unsaved texts of files below a folder, which has several paths, by
// their slash path in it.
func (o Options) unsavedIn(paths ...string) map[string][]byte {
	texts := map[string][]byte{}
	for name, text := range o.Unsaved {
		for _, dir := range paths {
			if rel, in := below(o.absolute(dir), name); in {
				texts[filepath.ToSlash(rel)] = text
				break
			}
		}
	}
	return texts
}

// overlaid returns a document as it is with unsaved texts of the skill's files.
func overlaid(saved *spec.Document, texts map[string][]byte) *spec.Document {
	if len(texts) == 0 || saved.Files == nil {
		return saved
	}
	doc := saved
	if src, ok := texts[saved.File]; ok && saved.File != "" {
		doc = loader.ParseDocument(saved.Path, saved.Dir, src)
		doc.LinkTarget, doc.File, doc.Nested = saved.LinkTarget, saved.File, saved.Nested
		if saved.Source != nil { // the only fault of a file that can be read is its name
			named := slices.DeleteFunc(slices.Clone(saved.Faults), func(f spec.Fault) bool { return f.Rule != "skill-file" })
			doc.Faults = append(named, doc.Faults...)
		}
	}
	doc.Files = fix.Overlay{Files: saved.Files, Texts: texts}
	return doc
}

// Opened is a skill as it is open in an editor.
type Opened struct {
	Skill    report.Skill   // with the findings
	Document *spec.Document // what was checked
	Options  spec.Options   // of the check
	Partial  bool           // something could not be searched
	Strict   bool           // warnings count as errors
	plan     func() fix.Changes
}

// Fixes computes the safe fixes for the skill. Nothing is written.
func (o *Opened) Fixes() fix.Changes { return o.plan() }

// Open checks one skill: the options have a single path, which is its folder, a file in it,
// or [Stdin]. The result is nil if the configuration excludes the skill. Errors are those of
// Start and [Run.Check].
func Open(ctx context.Context, o Options) (*Opened, error) {
	run, err := Start(ctx, o)
	if err != nil || len(run.selection.skills) == 0 {
		return nil, err
	}
	one := run.selection
	one.skills = one.skills[:1]
	kept := *one.skills[0] // the check keeps nothing of a skill
	out := &Opened{Options: kept.options(o.Least), Partial: run.Partial, Strict: run.Strict}
	out.plan = func() fix.Changes {
		return (&selection{skills: []*skill{&kept}, notify: one.notify}).plan(0, o.FixLevel)
	}
	err = run.checkWith(ctx, func(doc *spec.Document) { out.Document = doc }, func(s report.Skill) error {
		out.Skill = s
		return nil
	})
	return out, err
}
