package loader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/spec"
)

// FilesOptions says how skills are loaded from folders. The zero value is what
// an agent wants.
type FilesOptions struct {
	// Search says how the roots are searched. Its Notify and OwnIgnores are
	// set here: an agent uses what its folders hold, tracked or not.
	Search Search
	Kinds  Kinds // which files are resources and scripts
	// Accept, where given, decides about each file that would be listed; name
	// is relative with slashes.
	Accept func(skill, name string) bool
	Check  spec.Options // how the findings are made
	// Optional says that the roots are places to try: missing and empty ones
	// are no news.
	Optional bool
	Notify   Notify // nil hears nothing
}

// Files returns the skills below the roots: the roots in order, the skills of
// each sorted by path, a folder reached twice once. A root may also be a skill
// or its SKILL.md; blank ones are skipped.
//
// Loading is lenient. Whatever has a name and a description is a skill, with
// what a check says of it in Findings; everything else, missing roots and
// unreadable folders too, is a notice. Only settings that cannot be meant
// (*ConfigError) and the end of the context are errors.
func Files(roots []string, opts FilesOptions) Source {
	opts.Notify = oneAtATime(opts.Notify)
	opts.Search.Notify, opts.Search.OwnIgnores = opts.Notify, true
	return &files{roots: roots, opts: opts, lenient: parseLenient}
}

type files struct {
	roots []string
	opts  FilesOptions
	// lenient reads what the strict parser found no name and description in.
	lenient func(path, dir string, src []byte) *spec.Document
}

func (s *files) Skills(ctx context.Context) ([]*Skill, error) {
	if err := s.opts.Kinds.Check(); err != nil {
		return nil, err
	}
	var found []Found
	for _, root := range s.roots {
		if strings.TrimSpace(root) == "" {
			continue
		}
		inRoot, err := s.search(ctx, root)
		if err != nil {
			return nil, err
		}
		found = append(found, inRoot...)
	}
	found = Unique(found)
	skills := make([]*Skill, len(found))
	notices := make([][]Notice, len(found))
	err := Parallel(ctx, len(found), func(i int) { skills[i], notices[i] = s.load(found[i]) })
	if err != nil {
		return nil, err
	}
	for _, list := range notices {
		for _, n := range list {
			s.opts.Notify(n)
		}
	}
	return slices.DeleteFunc(skills, func(k *Skill) bool { return k == nil }), nil
}

// search looks for skills below one root.
func (s *files) search(ctx context.Context, root string) ([]Found, error) {
	target, err := Resolve(ctx, root, s.opts.Search)
	var missing *TargetError
	switch {
	case errors.As(err, &missing):
		if !s.opts.Optional || missing.Problem != TargetMissing {
			s.opts.Notify(Notice{Path: root, Message: missing.Reason(), Hint: missing.Hint()})
		}
		return nil, nil
	case err != nil:
		return nil, err
	case !target.Tree && target.Skills[0].File == "":
		if !s.opts.Optional {
			s.opts.Notify(Notice{Path: root, Message: "folder holds no skills", Hint: "a skill is a folder with a file SKILL.md in it"})
		}
		return nil, nil
	}
	return target.Skills, nil
}

// load makes a skill of what was found; nil where it cannot be used.
func (s *files) load(found Found) (*Skill, []Notice) {
	doc := OpenDocument(found)
	strict := doc
	if doc.Source != nil && !usable(doc) {
		if d := s.lenient(doc.Path, doc.Dir, doc.Source); usable(d) {
			d.LinkTarget, d.Source = doc.LinkTarget, doc.Source
			doc = d
		}
	}
	if found.File != skillFileName || !usable(doc) {
		return nil, []Notice{unusable(strict)}
	}
	location := filepath.Join(found.Real, found.File)
	skill := &Skill{
		Name:          doc.Text("name"),
		Description:   doc.Text("description"),
		License:       doc.Text("license"),
		Compatibility: doc.Text("compatibility"),
		AllowedTools:  listText(doc, "allowed-tools"),
		Dir:           found.Real,
		Location:      location,
		Origin:        found.Dir,
		Document:      doc,
		Findings:      spec.Check(strict, s.opts.Check),
	}
	skill.Load = func(ctx context.Context) (Contents, error) { return s.contents(ctx, skill) }
	if n, ok := flawed(strict, skill.Findings); ok {
		return skill, []Notice{n}
	}
	return skill, nil
}

// contents lists the skill's folder. The text is that of the file the
// frontmatter came from: the two never belong to different versions.
func (s *files) contents(ctx context.Context, skill *Skill) (Contents, error) {
	list, err := List(ctx, skill.Dir, s.opts.Kinds, s.opts.Notify)
	if err != nil {
		return Contents{}, fmt.Errorf("listing skill %s: %w", skill.Name, err)
	}
	c := Contents{Text: string(skill.Document.Source)}
	for _, name := range list.Resources {
		if s.accepts(skill, name) {
			c.Resources = append(c.Resources, fileResource(skill.Dir, name))
		}
	}
	for _, name := range list.Scripts {
		if s.accepts(skill, name) {
			c.Scripts = append(c.Scripts, fileScript(name))
		}
	}
	return c, nil
}

func (s *files) accepts(skill *Skill, name string) bool {
	return s.opts.Accept == nil || s.opts.Accept(skill.Name, name)
}
