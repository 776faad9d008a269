package lint

// Skills are checked in parallel and reported in their order. Nothing but the name of a
// skill is kept after its report, so that a tree of thousands needs little memory.

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/secrets"
)

// Check checks skills in parallel, all with the same options. use is called
// with each document while it is open and may complete the skill; each is
// called in the order of the skills. The error is that of each, or the
// context's cause.
func Check(ctx context.Context, found []loader.Found, opts spec.Options, use func(i int, doc *spec.Document, s *report.Skill), each func(i int, s report.Skill) error) error {
	var s selection
	for _, f := range found {
		s.skills = append(s.skills, &skill{found: f, opts: &opts})
	}
	return s.check(ctx, opts.Least, true, use, each)
}

// check runs the rules on the skills in parallel. Skills are passed on in
// order, and nothing is kept of them except the name.
func (s *selection) check(ctx context.Context, least spec.Level, tokens bool, use func(i int, doc *spec.Document, s *report.Skill), each func(i int, s report.Skill) error) error {
	type checked struct {
		report.Skill
		rules.Named
	}
	names := rules.Names{}
	return inOrder(ctx, len(s.skills), func(i int) (out checked) {
		skill := s.skills[i]
		if skill.opts.Crashed != nil {
			defer func() {
				if cause := recover(); cause != nil {
					out = checked{Skill: report.Skill{Path: skill.found.Dir}}
					skill.opts.Crashed("", cause)
				}
			}()
		}
		if skill.plugin {
			return checked{Skill: skill.checkPackage(least)}
		}
		doc := skill.open()
		named := rules.NamedOf(doc, place(doc.Path, skill.searched))
		if skill.nameOnly {
			return checked{Named: named}
		}
		found := fix.Check(doc, skill.options(least))
		for j := range found {
			if skill.outside { // its fixes are not applied
				fix.Remove(&found[j])
			}
		}
		annotate(doc, found)
		if skill.portable {
			skipsSkill(found)
		}
		result := report.Skill{Path: skillPath(doc), Name: doc.Text("name"), Lines: doc.Lines().Count(), Diagnostics: found}
		result.Missing = skill.found.Dir != "" && skill.found.File == ""
		if tokens {
			result.Tokens = doc.BodyTokens()
		}
		if use != nil {
			use(i, doc, &result)
		}
		return checked{result, named}
	}, func(i int, c checked) error {
		opts := s.skills[i].options(least)
		found := slices.DeleteFunc(names.Add(c.Named, opts), func(d spec.Diagnostic) bool { return opts.Ignored != nil && opts.Ignored(d.Rule, d.Path) })
		if s.skills[i].nameOnly {
			return nil
		}
		for j := range found {
			found[j].Snippet = clip(found[j].Snippet, found[j].Span)
			found[j].Sensitive = secrets.Contains(found[j].Snippet)
		}
		c.Diagnostics = spec.Sort(append(c.Diagnostics, found...))
		s.skills[i].found = loader.Found{}
		return each(i, c.Skill)
	})
}

// How many skills are checked concurrently, and how many results may wait for
// an earlier one.
const (
	maxWorkers = 8
	maxWaiting = 64
)

// inOrder calls do for 0 to n-1 in parallel, and use with the results in order.
// It stops at the first error of use; otherwise the error is the context's
// cause.
func inOrder[T any](ctx context.Context, n int, do func(i int) T, use func(i int, result T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan chan T, maxWaiting)
	go func() {
		defer close(queue)
		workers := make(chan struct{}, min(runtime.GOMAXPROCS(0), maxWorkers))
		for i := 0; i < n && ctx.Err() == nil; i++ {
			result := make(chan T, 1)
			queue <- result
			workers <- struct{}{}
			go func() {
				result <- do(i)
				<-workers
			}()
		}
	}()
	i := 0
	for result := range queue { // drained, so that no goroutine is left
		r := <-result
		if ctx.Err() == nil {
			if err := use(i, r); err != nil {
				cancel(err)
			}
		}
		i++
	}
	return context.Cause(ctx)
}

// place returns the location of a skill relative to the searched folder or its
// repository.
func place(path, searched string) rules.Place {
	file, err := filepath.Abs(path)
	if err != nil {
		file = path
	}
	if searched != "" {
		return rules.Place{File: file, From: searched}
	}
	dir := filepath.Dir(file)
	if repository, ok := loader.Repository(dir); ok {
		dir = repository
	}
	return rules.Place{File: file, From: dir}
}

// skillPath returns a skill's name in output: its folder, or the path of
// standard input.
func skillPath(doc *spec.Document) string {
	if doc.File == "" || filepath.Base(doc.Path) != doc.File {
		return doc.Path
	}
	return filepath.Dir(doc.Path)
}

// plan computes the fixes for a skill. It keeps the skill's name if another
// skill in the same folder has or gets the new name: clients would keep only
// one of them.
func (s *selection) plan(i int, least spec.Level) fix.Changes {
	skill := s.skills[i]
	if skill.nameOnly || skill.plugin {
		return fix.Changes{}
	}
	doc, opts := skill.open(), skill.options(least)
	before := doc.Text("name")
	c := fix.Plan(doc, opts)
	if after := c.Document.Text("name"); after == before || !s.isNamed(i, after, least) {
		return c
	}
	opts.Levels = maps.Clone(opts.Levels)
	for _, id := range []string{"name-length", "name-lowercase", "name-hyphens", "name-characters", "name-directory"} {
		opts.Levels[id] = spec.Off
	}
	return fix.Plan(skill.open(), opts)
}

// refuse reports whether changes must not be applied because the skill is outside the
// paths given. If so, it emits a notice.
func (s *selection) refuse(i int, c fix.Changes) bool {
	skill := s.skills[i]
	if !skill.outside || c.Empty() {
		return false
	}
	s.notify(loader.Notice{Path: c.Dir, Message: "not fixed: a link leads to it, outside the paths given", Hint: "to fix it, pass its folder as a path: " + skill.found.Real})
	return true
}

// isNamed reports whether a sibling of skill i has the given name after its
// fixes.
func (s *selection) isNamed(i int, name string, least spec.Level) bool {
	folder := filepath.Dir(s.skills[i].found.Real)
	for k, other := range s.skills {
		sibling := k != i && !other.plugin && filepath.Dir(other.found.Real) == folder
		if sibling && fix.Plan(other.open(), other.options(least)).Document.Text("name") == name {
			return true
		}
	}
	return false
}
