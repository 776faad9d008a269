package loader

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// SourceFunc is a function as a [Source].
type SourceFunc func(ctx context.Context) ([]*Skill, error)

// Skills calls the function.
func (f SourceFunc) Skills(ctx context.Context) ([]*Skill, error) { return f(ctx) }

// Memory returns the given skills, in that order; nil ones are left out.
func Memory(skills ...*Skill) Source {
	skills = slices.Clone(skills)
	return SourceFunc(func(context.Context) ([]*Skill, error) {
		return slices.DeleteFunc(slices.Clone(skills), isNil), nil
	})
}

// Aggregate returns the skills of all sources, in the sources' order. A source
// that fails fails the whole.
func Aggregate(sources ...Source) Source {
	sources = slices.Clone(sources)
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		var all []*Skill
		for _, source := range sources {
			if source == nil {
				continue
			}
			skills, err := source.Skills(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, skills...)
		}
		return all, nil
	})
}

// Filter returns the skills that keep is true for, in their order.
func Filter(source Source, keep func(*Skill) bool) Source {
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		skills, err := source.Skills(ctx)
		if err != nil {
			return nil, err
		}
		var kept []*Skill
		for _, s := range skills {
			if !isNil(s) && keep(s) {
				kept = append(kept, s)
			}
		}
		return kept, nil
	})
}

// Deduplicate keeps the first skill of each name, names compared without case:
// a model could not tell them apart. Each one left out is a notice that names
// both places, except a folder that is met twice. notify may be nil.
func Deduplicate(source Source, notify Notify) Source {
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		skills, err := source.Skills(ctx)
		if err != nil {
			return nil, err
		}
		first := map[string]*Skill{}
		var kept []*Skill
		for _, s := range skills {
			if isNil(s) {
				continue
			}
			key := strings.ToLower(s.Name)
			winner, taken := first[key]
			switch {
			case !taken:
				first[key] = s
				kept = append(kept, s)
			case notify != nil && winner != s && (s.Dir == "" || s.Dir != winner.Dir):
				notify(Notice{
					Path:    s.Origin,
					Message: fmt.Sprintf("skill %q not loaded: %s has one of that name already", s.Name, winner.Origin),
					Hint:    "rename one of them, or put the one you want first",
				})
			}
		}
		return kept, nil
	})
}

func isNil(s *Skill) bool { return s == nil }
