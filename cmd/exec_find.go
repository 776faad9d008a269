package cmd

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/loader"
)

// execSkill finds what SKILL names: a folder where it has a slash in it, else a
// skill in the places that run looks in, or a built-in one. look says that nothing will be run.
func (a *app) execSkill(ctx context.Context, f runFlags, word string, p *plan, look bool) (*skills.Provider, string, error) {
	name := word
	if word == "." || word == ".." || strings.ContainsAny(word, `/`+string(os.PathSeparator)) {
		p.source = loader.Cache(loader.Files([]string{word}, loader.FilesOptions{Notify: a.notice}))
		found, err := p.source.Skills(ctx)
		if err != nil {
			return nil, "", err
		}
		if _, err := os.Stat(a.absolute(word)); err != nil {
			return nil, "", wrongUsage("check the spelling, and the folder this was started in", "%s does not exist", word)
		}
		if len(found) != 1 {
			return nil, "", wrongUsage("name the folder of one skill, the one with its SKILL.md", "%s holds %d skills that can be used", word, len(found))
		}
		name = found[0].Name
	} else {
		own, err := builtin.Skills(a.Dir)
		if err != nil {
			return nil, "", err
		}
		// They are for people who call them by name, and offered to nobody.
		f.noBuiltin = !slices.ContainsFunc(own, func(s *loader.Skill) bool { return strings.EqualFold(s.Name, word) })
		if err := a.planSkills(ctx, f, nil, p); err != nil {
			return nil, "", err
		}
	}
	runner, err := a.scriptRunner(f, p, look)
	if err != nil {
		return nil, "", err
	}
	provider, err := skills.New(skills.Options{Source: p.source, Runner: runner})
	return provider, name, err
}

// target finds the script with its arguments, which depend on what it is.
func (a *app) target(ctx context.Context, provider *skills.Provider, name, scriptName string, words []string) (*skills.Target, error) {
	t, err := provider.Find(ctx, name, scriptName, nil)
	if t == nil {
		return nil, err
	}
	raw, err := execArguments(t, words)
	if err != nil {
		return nil, err
	}
	return provider.Find(ctx, name, scriptName, raw)
}

// notFound is wrong usage where a name leads to nothing. A folder of that name
// here is hardly a coincidence.
func (a *app) notFound(err error, word string) error {
	if !errors.Is(err, skills.ErrUnknownSkill) && !errors.Is(err, skills.ErrUnknownScript) {
		return err
	}
	var h interface{ Hint() string }
	errors.As(err, &h)
	hint := h.Hint()
	if info, here := os.Stat(a.absolute(word)); here == nil && info.IsDir() && errors.Is(err, skills.ErrUnknownSkill) {
		hint = "for the folder here write ./" + word + "; " + hint
	}
	return &failure{exitUsage, err, hint}
}
