package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	// Optional says that the roots are places to try: missing and empty ones
	// are no news, nor are files, such as a program called skills.
	Optional bool
	Notify   Notify // nil hears nothing
}

// Files returns the skills below the roots: the roots in order, the skills of
// each sorted by path, a folder reached twice once. A root may also be a skill
// or its SKILL.md; blank ones are skipped.
//
// Loading is lenient. Whatever has a name and a description is a skill, with a
// notice where it breaks the specification; everything else, missing roots and
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
		if !s.opts.Optional || missing.Problem == TargetUnreadable {
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
	skill := s.skill(found, doc.Summary())
	if n, ok := flawed(strict); ok {
		return skill, []Notice{n}
	}
	return skill, nil
}

// skill makes a skill of its summary.
func (s *files) skill(found Found, summary spec.Summary) *Skill {
	skill := &Skill{
		Name:          summary.Name,
		Description:   summary.Description,
		License:       summary.License,
		Compatibility: summary.Compatibility,
		AllowedTools:  summary.AllowedTools,
		Hidden:        summary.Hidden,
		NotUser:       summary.NotUser,
		Dir:           found.Real,
		Location:      filepath.Join(found.Real, found.File),
		Origin:        found.Dir,
	}
	skill.Load = func(ctx context.Context) (Contents, error) { return s.contents(ctx, skill) }
	skill.Scripted = func(ctx context.Context) (bool, error) { return s.scripted(ctx, skill, found.entries) }
	return skill
}

// contents reads the skill's file and lists its folder, both as they are now: a
// skill that is being written is given as it stands, not as it was found.
func (s *files) contents(ctx context.Context, skill *Skill) (Contents, error) {
	src, fault := ReadSkillFile(skill.Dir, filepath.Base(skill.Location))
	if fault != nil {
		return Contents{}, fmt.Errorf("reading skill %s: %s", skill.Name, fault.Message)
	}
	list, err := List(ctx, skill.Dir, s.opts.Kinds, s.opts.Notify)
	if err != nil {
		return Contents{}, fmt.Errorf("listing skill %s: %w", skill.Name, err)
	}
	c := Contents{Text: string(src)}
	for _, name := range list.Resources {
		if s.accepts(skill, name) {
			c.Resources = append(c.Resources, fileResource(skill.Dir, name))
		}
	}
	scripts := slices.DeleteFunc(list.Scripts, func(name string) bool { return !s.accepts(skill, name) })
	c.Scripts = fileScripts(ctx, skill.Dir, scripts)
	return c, nil
}

// scripted looks for a script, and lists the folder where a look is not enough.
func (s *files) scripted(ctx context.Context, skill *Skill, top []fs.DirEntry) (bool, error) {
	accept := func(name string) bool { return s.accepts(skill, name) }
	if has, sure := lookForScript(skill.Dir, top, s.opts.Kinds.orDefault(), accept); sure {
		return has, nil
	}
	list, err := List(ctx, skill.Dir, s.opts.Kinds, nil) // what there is to tell is told when it is loaded
	if err != nil {
		return false, fmt.Errorf("listing skill %s: %w", skill.Name, err)
	}
	return slices.ContainsFunc(list.Scripts, accept), nil
}

func (s *files) accepts(skill *Skill, name string) bool {
	return s.opts.Accept == nil || s.opts.Accept(skill.Name, name)
}
