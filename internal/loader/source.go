package loader

// Sources are joined, filtered and cached one around the other. Problems of single skills are
// notices, so that the others are still used.

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
	Nothing bool   // whether it says only that a search found no skill
	Named   bool   // whether Message names Path
}

// Text returns the message with its path.
func (n Notice) Text() string {
	if n.Path == "" || n.Named {
		return n.Message
	}
	return n.Path + ": " + n.Message
}

// Notify receives notices. It is never called concurrently.
type Notify func(Notice)

// once is notify without repetitions and safe for concurrent use; nil does nothing.
func once(notify Notify) Notify {
	if notify == nil {
		return func(Notice) {}
	}
	var mu sync.Mutex
	seen := map[Notice]bool{}
	return func(n Notice) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[n] {
			seen[n] = true
			notify(n)
		}
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

// Filter returns the skills for which keep is true, in their order.
func Filter(source Source, keep func(*Skill) bool) Source {
	return SourceFunc(func(ctx context.Context) ([]*Skill, error) {
		skills, err := source.Skills(ctx)
		return slices.DeleteFunc(slices.Clone(skills), func(s *Skill) bool { return !keep(s) }), err
	})
}

// Deduplicate keeps the first skill of each name, ignoring case, because a
// model could not distinguish them. Each dropped skill is a notice with both
// locations, except a folder that is found twice. notify may be nil.
func Deduplicate(source Source, notify Notify) Source {
	notify = once(notify)
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

// Cached is a source that keeps its skills, see [Cache].
type Cached struct {
	source  Source
	loading chan struct{} // semaphore for the two fields below
	skills  []*Skill
	loaded  bool
}

// Cache loads a source once and keeps its skills. Concurrent callers wait until
// their context ends. Errors are not cached.
func Cache(source Source) *Cached {
	return &Cached{source: source, loading: make(chan struct{}, 1)}
}

// Skills returns the skills as they were loaded.
func (c *Cached) Skills(ctx context.Context) ([]*Skill, error) { return c.get(ctx, false) }

// Refresh asks the source again, and returns and keeps what there is now.
func (c *Cached) Refresh(ctx context.Context) ([]*Skill, error) { return c.get(ctx, true) }

func (c *Cached) get(ctx context.Context, again bool) ([]*Skill, error) {
	select {
	case <-ctx.Done():
	case c.loading <- struct{}{}:
		defer func() { <-c.loading }()
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !c.loaded || again {
		all, err := c.source.Skills(ctx)
		if err != nil {
			return nil, err
		}
		c.skills, c.loaded = all, true
	}
	return slices.Clone(c.skills), nil
}
