package skills

import (
	"sync"

	"skills/internal/loader"
)

// From is a source of skills with settings of its own, for [Combine].
type From struct {
	Source loader.Source
	Runner Runner // runs the script files of these skills; nil means [Options.Runner]
	Cached bool   // ask the source once; others are asked again before each later request
}

// Sources are several sources as one, to be used as [Options.Source].
type Sources struct {
	*loader.Cached
	runners sync.Map // from a *loader.Skill to its Runner, for sources with a runner
}

// Combine returns the skills of all sources in order. Of skills with the same
// name the first is kept, and notify, which may be nil, receives the others.
func Combine(notify loader.Notify, sources ...From) *Sources {
	s := &Sources{}
	var all []loader.Source
	for _, from := range sources {
		source := from.Source
		if from.Runner != nil {
			source = loader.Filter(source, func(skill *loader.Skill) bool {
				s.runners.Store(skill, from.Runner)
				return true
			})
		}
		if from.Cached {
			source = loader.Cache(source)
		}
		all = append(all, source)
	}
	s.Cached = loader.Cache(loader.Deduplicate(loader.Aggregate(all...), notify))
	return s
}

// runner returns what runs the script files of a skill; nil for nothing.
func (p *Provider) runner(skill *loader.Skill) Runner {
	if s, ok := p.opt.Source.(*Sources); ok {
		if own, ok := s.runners.Load(skill); ok {
			return own.(Runner)
		}
	}
	return p.opt.Runner
}
