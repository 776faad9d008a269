package lint

import (
	"context"
	"path/filepath"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/safefile"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/secrets"
)

// Check checks skills that were found, all under the same options. use is called
// with each document while it is open, in parallel. The error is the context's
// cause.
func Check(ctx context.Context, found []loader.Found, opts spec.Options, use func(i int, doc *spec.Document)) (report.Report, error) {
	var s selection
	for _, f := range found {
		s.skills = append(s.skills, &skill{found: f, opts: &opts})
	}
	return s.check(ctx, opts.Least, true, use)
}

// check runs the rules over the skills, and drops each document afterwards.
func (s *selection) check(ctx context.Context, least spec.Level, tokens bool, use func(i int, doc *spec.Document)) (report.Report, error) {
	rep := report.Report{Skills: make([]report.Skill, len(s.skills))}
	named := make([]rules.Named, len(s.skills))
	err := s.each(ctx, func(i int, doc *spec.Document) {
		rep.Skills[i] = checkOne(doc, s.skills[i].options(least))
		rep.Skills[i].Missing = s.skills[i].found.Dir != "" && s.skills[i].found.File == ""
		if tokens {
			rep.Skills[i].Tokens = doc.BodyTokens()
		}
		if use != nil {
			use(i, doc)
		}
		named[i] = rules.NamedOf(doc)
		s.skills[i].doc, s.skills[i].found = nil, loader.Found{}
	})
	if err == nil {
		s.collide(rep, named, least)
	}
	return rep, err
}

func checkOne(doc *spec.Document, opts spec.Options) report.Skill {
	found := fix.Check(doc, opts)
	annotate(doc, found)
	return report.Skill{Path: skillPath(doc), Name: doc.Text("name"), Lines: doc.Lines().Count(), Diagnostics: found}
}

// collide adds the findings that only a comparison of skills shows.
func (s *selection) collide(rep report.Report, named []rules.Named, least spec.Level) {
	groups := map[*spec.Options]spec.Options{}
	for _, skill := range s.skills {
		groups[skill.opts] = skill.options(least)
	}
	for group, opts := range groups {
		for i, found := range rules.Collisions(named, opts, func(i int) rules.Place { return place(named[i].Path, s.skills[i].searched) }) {
			if s.skills[i].opts != group {
				continue
			}
			for j := range found {
				found[j].Snippet = clip(found[j].Snippet, found[j].Span)
				found[j].Sensitive = secrets.Contains(found[j].Snippet)
			}
			all := &rep.Skills[i].Diagnostics
			*all = spec.Sort(append(*all, found...))
		}
	}
}

// place is where a skill is, seen from the searched folder or its repository.
func place(path, searched string) rules.Place {
	file, err := filepath.Abs(path)
	if err != nil {
		file = path
	}
	if searched != "" {
		return rules.Place{File: file, From: searched}
	}
	dir := filepath.Dir(file)
	if repository, ok := safefile.Repository(dir); ok {
		dir = repository
	}
	return rules.Place{File: file, From: dir}
}

// skillPath names a skill in output: by its folder, or the path of standard input.
func skillPath(doc *spec.Document) string {
	if doc.File == "" || filepath.Base(doc.Path) != doc.File {
		return doc.Path
	}
	return filepath.Dir(doc.Path)
}
