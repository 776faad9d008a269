package skills

import (
	"errors"
	"sync"

	"skills/internal/loader"
)

// Parts are what [Build] puts together; only Sources is needed.
type Parts struct {
	// Sources are the places that skills come from: folders, Go code, anything.
	// On equal names the first wins.
	Sources []loader.Source
	// Keep says which skills are offered; nil keeps all. It is asked each time
	// the skills are, after the cache, so that its answer may change.
	Keep func(skill *loader.Skill) bool
	// Policy decides about scripts.
	Policy PolicyOptions
	// Notify hears, once each, of skills that are shadowed by others of their
	// name, and of what was cut from the catalogue. It is the logger.
	Notify loader.Notify

	Runner    Runner   // of scripts that are files
	NoScripts bool     // forbids all scripts
	Recorder  Recorder // receives decisions and runs; nil for none
	Template  string   // of the instructions; must hold {skills}
	Budget    int      // tokens of the catalogue, see Options
	TextLimit int64    // bytes of a resource, see Options

	Mask func(text string) string // takes keys out of texts, see Options
}

// Built is what serves skills to an agent.
type Built struct {
	Source   loader.Source // all skills, as the provider sees them
	Provider *Provider
	Policy   *Policy
}

// Build puts sources, filter, runner, approval and texts together in the
// framework's order: the sources are joined, asked once, filtered, and freed of
// double names. Parts that contradict each other are errors.
func Build(p Parts) (Built, error) {
	if err := p.check(); err != nil {
		return Built{}, err
	}
	notify := once(p.Notify)
	source := loader.Cache(loader.Aggregate(p.Sources...))
	if p.Keep != nil {
		source = loader.Filter(source, p.Keep)
	}
	source = loader.Deduplicate(source, notify)
	provider, err := New(Options{
		Source: source, Template: p.Template, Runner: p.Runner, NoScripts: p.NoScripts, Recorder: p.Recorder,
		Budget: p.Budget, TextLimit: p.TextLimit, Notify: notify, Mask: p.Mask,
	})
	if err != nil {
		return Built{}, err
	}
	policy, err := NewPolicy(provider, p.Policy)
	if err != nil {
		return Built{}, err
	}
	return Built{source, provider, policy}, nil
}

// check refuses parts that cannot be meant together.
func (p Parts) check() error {
	given := 0
	for _, s := range p.Sources {
		if s != nil {
			given++
		}
	}
	switch {
	case given == 0:
		return errors.New("no source of skills is given")
	case p.NoScripts && p.Runner != nil:
		return errors.New("scripts are forbidden, but there is a runner for them")
	case p.NoScripts && p.Policy.Mode == Always:
		return errors.New("scripts are forbidden, but all of them are approved")
	case p.NoScripts && len(p.Policy.Allow) > 0:
		return errors.New("scripts are forbidden, but some of them are allowed")
	case p.TextLimit < 0:
		return errors.New("the limit of a resource's text is below zero")
	}
	return nil
}

// once passes on each notice once, one at a time: a source may be asked, and
// may repeat notices.
func once(notify loader.Notify) loader.Notify {
	if notify == nil {
		return func(loader.Notice) {}
	}
	var mu sync.Mutex
	heard := map[loader.Notice]bool{}
	return func(n loader.Notice) {
		mu.Lock()
		defer mu.Unlock()
		if !heard[n] {
			heard[n] = true
			notify(n)
		}
	}
}
