package skills

import (
	"context"
	"sync"

	"skills/internal/loader"
)

// From is a source of skills with settings of its own, for [Combine].
type From struct {
	Source loader.Source
	Runner Runner // runs the script files of these skills; nil means [Options.Runner]
	Cached bool   // ask the source once, otherwise before every request
}

// Sources are several sources as one, to be used as [Options.Source].
type Sources struct {
	*loader.Cached

	mu      sync.Mutex
	runners map[*loader.Skill]Runner // of sources with a runner
}

// Combine returns the skills of all sources in order. Of skills with the same
// name the first is kept, and notify, which may be nil, receives the others.
func Combine(notify loader.Notify, sources ...From) *Sources {
	s := &Sources{runners: map[*loader.Skill]Runner{}}
	var all []loader.Source
	for _, from := range sources {
		source := from.Source
		if from.Runner != nil {
			source = s.noting(source, from.Runner)
		}
		if from.Cached {
			source = loader.Cache(source)
		}
		all = append(all, source)
	}
	s.Cached = loader.Cache(loader.Deduplicate(loader.Aggregate(all...), notify))
	return s
}

// noting is a source whose skills are noted with their runner.
func (s *Sources) noting(source loader.Source, runner Runner) loader.Source {
	return loader.SourceFunc(func(ctx context.Context) ([]*loader.Skill, error) {
		found, err := source.Skills(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, skill := range found {
			s.runners[skill] = runner
		}
		return found, err
	})
}

// runner returns what runs the script files of a skill; nil for nothing.
func (p *Provider) runner(skill *loader.Skill) Runner {
	if s, ok := p.opt.Source.(*Sources); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		if own := s.runners[skill]; own != nil {
			return own
		}
	}
	return p.opt.Runner
}
