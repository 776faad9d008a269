package agent

import "slices"

// Filters choose the messages that a context provider works with. A provider
// that embeds them leaves the choice to whoever creates it; without them both
// are their defaults. A message's Source and Provider are its origin.
type Filters struct {
	// Input chooses [Invoking.Input] among the messages collected so far: of
	// earlier runs, of the user, and of earlier providers. Nil means those of the
	// user.
	Input func(Message) bool
	// Store likewise chooses [Invoked.Request], among what the run began with.
	Store func(Message) bool
}

func (f Filters) filters() Filters { return f }

// filtersOf returns the filters of a provider with those it does not set.
func filtersOf(p ContextProvider) Filters {
	var f Filters
	if own, ok := p.(interface{ filters() Filters }); ok {
		f = own.filters()
	}
	ofUser := func(m Message) bool { return m.Source == FromUser }
	if f.Input == nil {
		f.Input = ofUser
	}
	if f.Store == nil {
		f.Store = ofUser
	}
	return f
}

// keep returns the messages for which a filter is true.
func keep(messages []Message, filter func(Message) bool) []Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m Message) bool { return !filter(m) })
}

// invoked returns what a provider gets after a run.
func (r *run) invoked(provider ContextProvider, err error) *Invoked {
	begun := min(len(r.prepared.conversation()), len(r.messages))
	return &Invoked{
		Session: r.session, Err: err, All: slices.Clone(r.messages),
		Request:  keep(r.prepared.conversation(), filtersOf(provider).Store),
		Response: keep(r.messages[begun:], func(m Message) bool { return m.Source == FromModel || m.Source == FromTool }),
	}
}
