package loader

import (
	"context"
	"sync"
)

// Source is a place that skills come from (framework document on the skills
// provider, AgentSkillsSource).
type Source interface {
	// Skills returns the skills in the source's order. Problems of single
	// skills are notices, not errors.
	Skills(ctx context.Context) ([]*Skill, error)
}

// Notice is something a person should know about what was, or was not,
// loaded.
type Notice struct {
	Path    string // the file or folder it is about
	Message string
	Hint    string // what to do, or ""
	Unseen  bool   // whether a search left out what it was to look at
}

// Notify receives notices; it may be called from several goroutines only one
// at a time.
type Notify func(Notice)

// oneAtATime keeps Notify's promise for callers on several goroutines. A nil
// Notify hears nothing.
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
