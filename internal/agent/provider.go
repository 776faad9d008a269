package agent

import "context"

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

// HistoryLoader is the context provider that brings earlier runs back: only
// what it adds may be FromHistory, for such messages are taken for said and
// done before, by a person or a model.
type HistoryLoader interface {
	ContextProvider
	LoadsHistory()
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
