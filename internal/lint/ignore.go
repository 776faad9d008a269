package lint

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
)

// ignoring adds ignore comments to the skills of a run.
type ignoring struct {
	*Run
	docs sync.Map // index of a skill to its document, from its check to its report
}

// keep remembers a document until the findings of its skill are complete.
func (g *ignoring) keep(i int, doc *spec.Document) {
	if g.options.Ignore.Add && doc.Source != nil {
		g.docs.Store(i, doc)
	}
}

// add writes a comment that silences the findings of a skill, and removes them from its
// report. Findings that a comment cannot silence stay.
func (g *ignoring) add(i int, s *report.Skill) {
	kept, ok := g.docs.LoadAndDelete(i)
	if !ok {
		return
	}
	doc := kept.(*spec.Document)
	var ids []string
	for _, d := range s.Diagnostics {
		if d.Level >= g.options.Ignore.Level {
			ids = append(append(ids, d.Rule), strings.Fields(d.Also)...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	edit, left := doc.IgnoreEdit(ids, g.options.Ignore.Reason)
	if edit == nil {
		return
	}
	changes := fix.Changes{Dir: filepath.Dir(doc.Path), Files: []fix.File{{Name: doc.File, Before: doc.Source, After: slices.Concat(doc.Source, []byte(edit.Text))}}}
	if g.selection.skills[i].outside {
		g.selection.notify(loader.Notice{Path: changes.Dir, Message: "no comment added: a link leads to it, outside the paths given", Hint: "pass its folder as a path"})
		return
	}
	if err := changes.Apply(); err != nil {
		g.Failed, g.Partial = append(g.Failed, err), true
		return
	}
	all := len(s.Diagnostics)
	s.Diagnostics = slices.DeleteFunc(s.Diagnostics, func(d spec.Diagnostic) bool {
		return slices.Contains(ids, d.Rule) && !slices.Contains(left, d.Rule)
	})
	g.Ignored += all - len(s.Diagnostics)
	g.IgnoredSkills++
}
