package loader

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Source provides skills.
type Source interface {
	// Skills returns the skills in the source's order. Problems of single skills
	// are notices, not errors.
	Skills(ctx context.Context) ([]*Skill, error)
}

// Notice informs the user about a problem while loading.
type Notice struct {
	Path    string // the file or folder with the problem
	Message string
	Hint    string // what to do, or ""
	Unseen  bool   // whether a search skipped something
}

// Notify receives notices. It is never called concurrently.
type Notify func(Notice)

// oneAtATime makes notify safe for concurrent use; nil does nothing.
func oneAtATime(notify Notify) Notify {
	if notify == nil {
		return func(Notice) {}
	}
	var mu sync.Mutex
	return func(n Notice) {
		mu.Lock()
		defer mu.Unlock()
		notify(n)
	}
}

// SourceFunc is a function that implements [Source].
type SourceFunc func(ctx context.Context) ([]*Skill, error)

// Skills calls the function.
func (f SourceFunc) Skills(ctx context.Context) ([]*Skill, error) { return f(ctx) }

// Memory returns the given skills, in that order.
func Memory(skills ...*Skill) Source {
	skills = slices.Clone(skills)
	return SourceFunc(func(context.Context) ([]*Skill, error) { return slices.Clone(skills), nil })
}

// Aggregate returns the skills of all sources, in order. It fails if any source
// fails.
func Aggregate(sources ...Source) Source {
	sources = slices.Clone(sources)
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		var all []*Skill
		for _, source := range sources {
			skills, err := source.Skills(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, skills...)
		}
		return all, nil
	})
}

// Deduplicate keeps the first skill of each name, ignoring case, because a
// model could not distinguish them. Each dropped skill is a notice with both
// locations, except a folder that is found twice. notify may be nil.
func Deduplicate(source Source, notify Notify) Source {
	notify = oneAtATime(notify)
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		skills, err := source.Skills(ctx)
		if err != nil {
			return nil, err
		}
		first := map[string]*Skill{}
		var kept []*Skill
		for _, s := range skills {
			key := strings.ToLower(s.Name)
			winner, taken := first[key]
			switch {
			case !taken:
				first[key] = s
				kept = append(kept, s)
			case winner != s && (s.Dir == "" || s.Dir != winner.Dir):
				notify(Notice{
					Path:    s.Origin,
					Message: fmt.Sprintf("skill %q not loaded: %s already has a skill of that name", s.Name, winner.Origin),
					Hint:    "rename one of them, or put the one you want first",
				})
			}
		}
		return kept, nil
	})
}

// Cache loads a source once and keeps its skills. Concurrent callers wait until
// their context ends. Errors are not cached.
func Cache(source Source) Source {
	loading := make(chan struct{}, 1) // semaphore for the two variables below
	var skills []*Skill
	var loaded bool
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		select {
		case <-ctx.Done():
		case loading <- struct{}{}:
			defer func() { <-loading }()
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if !loaded {
			all, err := source.Skills(ctx)
			if err != nil {
				return nil, err
			}
			skills, loaded = all, true
		}
		return slices.Clone(skills), nil
	})
}
