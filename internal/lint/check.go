package lint

import (
	"context"
	"path/filepath"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// Check checks skills that were found, all under the same options, and returns
// their documents as well. The error is the context's cause.
func Check(ctx context.Context, found []loader.Found, opts spec.Options) (report.Report, []*spec.Document, error) {
	s := selection{keep: true}
	for _, f := range found {
		s.skills = append(s.skills, &skill{found: f, opts: &opts})
	}
	rep, err := s.check(ctx, opts.Least, true)
	docs := make([]*spec.Document, len(found))
	for i, skill := range s.skills {
		docs[i] = skill.doc
	}
	return rep, docs, err
}

// check runs the rules over the skills, each under its own options.
func (s *selection) check(ctx context.Context, least spec.Level, tokens bool) (report.Report, error) {
	rep := report.Report{Skills: make([]report.Skill, len(s.skills))}
	err := s.each(ctx, func(i int, doc *spec.Document) {
		rep.Skills[i] = checkOne(doc, s.skills[i].options(least))
		if tokens {
			rep.Skills[i].Tokens = doc.BodyTokens()
		}
		doc.Release(s.keep)
		if !s.keep {
			s.skills[i].found = loader.Found{}
		}
	})
	if err == nil {
		s.collide(rep, least)
	}
	return rep, err
}

func checkOne(doc *spec.Document, opts spec.Options) report.Skill {
	found := fix.Check(doc, opts)
	annotate(doc, found, hiddenKeys(doc, opts, found))
	return report.Skill{Path: skillPath(doc), Name: doc.Text("name"), Lines: doc.LineCount(), Diagnostics: found}
}

// collide adds the findings that only a comparison of skills shows.
func (s *selection) collide(rep report.Report, least spec.Level) {
	docs := make([]*spec.Document, len(s.skills))
	at := make(map[*spec.Document]int, len(s.skills))
	groups := map[*spec.Options]spec.Options{}
	for i, skill := range s.skills {
		docs[i], at[skill.doc], groups[skill.opts] = skill.doc, i, skill.options(least)
	}
	for group, opts := range groups {
		for doc, found := range spec.Collisions(docs, opts, func(doc *spec.Document) spec.Place { return s.skills[at[doc]].place() }) {
			if i := at[doc]; s.skills[i].opts == group {
				all := &rep.Skills[i].Diagnostics
				annotate(doc, found, *all)
				*all = spec.Sort(append(*all, found...))
			}
		}
	}
}

// place is where a skill is. One that was named, and not found by a search, is
// seen from the root of its repository.
func (s *skill) place() spec.Place {
	file, err := filepath.Abs(s.doc.Path)
	if err != nil {
		file = s.doc.Path
	}
	if s.searched != "" {
		return spec.Place{File: file, From: s.searched}
	}
	dir := filepath.Dir(file)
	if repository, ok := safefile.Repository(dir); ok {
		dir = repository
	}
	return spec.Place{File: file, From: dir}
}

// skillPath is how a skill is named in output: its folder, or what was given
// for standard input.
func skillPath(doc *spec.Document) string {
	if doc.File == "" || filepath.Base(doc.Path) != doc.File {
		return doc.Path
	}
	return filepath.Dir(doc.Path)
}
