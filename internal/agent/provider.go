package agent

import (
	"context"
	"fmt"
)

// ContextProvider adds to the context of a run before it and sees its outcome
// after it (framework document on context providers). One value serves every
// session: what belongs to a session is kept in it through [State].
type ContextProvider interface {
	// Name is the key of the provider's state and the stamp on its messages;
	// two providers of one agent may not share it.
	Name() string
	// Invoking is called once, before the run's first request.
	Invoking(ctx context.Context, run *Invoking) (Context, error)
	// Invoked is called once, after the run's end, whatever it was.
	Invoked(ctx context.Context, run *Invoked) error
}

// Observer is a context provider that receives messages as they join the
// conversation, before anything follows from them: what it stores survives
// whatever happens next (the framework's per-call chat history persistence).
type Observer interface {
	ContextProvider
	// OnMessages receives messages in order, each once in a run: those of the
	// person and of context providers when the run begins, then every reply,
	// every result of a call and whatever else joins. Messages of earlier runs
	// (Source FromHistory) and ephemeral ones are not among them. An error ends
	// the run, for what could not be kept must not be built upon.
	OnMessages(ctx context.Context, session *Session, messages []Message) error
}

// StateKeeper is a context provider that keeps state in sessions under keys
// other than its name, which is the key of one that is no StateKeeper. Two
// providers of one agent may not share a key.
type StateKeeper interface {
	ContextProvider
	StateKeys() []string
}

// HistoryLoader is the context provider that brings earlier runs back: only
// what it adds may be FromHistory, for such messages are taken for said and
// done before, by a person or a model. An agent has at most one.
type HistoryLoader interface {
	ContextProvider
	LoadsHistory()
}

// checkProviders refuses providers that would get into each other's way.
func checkProviders(providers []ContextProvider) error {
	names, keys, loader := map[string]bool{}, map[string]string{}, ""
	for _, p := range providers {
		name := p.Name()
		if names[name] {
			return fmt.Errorf("two context providers are named %q: their state would collide", name)
		}
		names[name] = true
		own := []string{name}
		if k, ok := p.(StateKeeper); ok {
			own = k.StateKeys()
		}
		for _, key := range own {
			if first, taken := keys[key]; taken {
				return fmt.Errorf("the context providers %q and %q both keep their state under %q", first, name, key)
			}
			keys[key] = name
		}
		if _, ok := p.(HistoryLoader); ok {
			if loader != "" {
				return fmt.Errorf("the context providers %q and %q both load the history, which would be sent twice", loader, name)
			}
			loader = name
		}
	}
	return nil
}

// Invoking is what a provider is shown before a run.
type Invoking struct {
	Session *Session
	Input   []Message // the messages of the person (Source FromUser)
	Context Context   // what the providers before this one have added, merged
}

// Context is what a provider adds. All parts are optional and are appended to
// what there is: instructions joined by an empty line, messages and tools in
// order.
type Context struct {
	Instructions string
	Messages     []Message // stamped by the agent as FromContext, but for what a HistoryLoader says is FromHistory
	Tools        []Tool
	// Ephemeral is called before every request for messages at its very end,
	// as things are then; they are never kept in the conversation. Nil for
	// none.
	Ephemeral func(ctx context.Context) ([]Message, error)
}

// Invoked is what a provider is shown after a run.
type Invoked struct {
	Session  *Session
	Request  []Message // the messages of the person
	Response []Message // everything the run added, in order
	Err      error     // why the run ended without an answer; nil where it has one
}
