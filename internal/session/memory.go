package session

import (
	"context"
	"slices"

	"skills/internal/agent"
)

// Memory is a history that lasts as long as its [agent.Session] is in memory,
// for programs that run several prompts, and for tests. Several histories work
// together, also with a [File], but only one of them should load.
type Memory struct {
	// Filters choose what of the beginning of a run is kept; the default is the
	// user's messages. What a history stores must not include FromHistory, except
	// in one that does not load.
	agent.Filters
	name string
	load bool
}

var _ agent.HistoryLoader = (*Memory)(nil)

// NewMemory returns an empty history. If load is set, runs continue the
// conversation and those that failed are skipped; otherwise it only records,
// as for an audit.
func NewMemory(name string, load bool, filters agent.Filters) *Memory {
	return &Memory{filters, name, load}
}

// recorded has no exported field: it is not saved in a session file.
type recorded struct{ messages []agent.Message }

func (m *Memory) state() *agent.State[recorded] {
	return agent.NewState(m.name, func() recorded { return recorded{} })
}

// Name is the name given to NewMemory.
func (m *Memory) Name() string { return m.name }

// LoadsHistory implements [agent.HistoryLoader].
func (m *Memory) LoadsHistory() {}

// Messages returns what was kept in a session, in order.
func (m *Memory) Messages(session *agent.Session) (kept []agent.Message, err error) {
	err = m.state().View(session, func(r recorded) { kept = slices.Clone(r.messages) })
	return kept, err
}

// Invoking adds the conversation so far to a history that loads.
func (m *Memory) Invoking(_ context.Context, run *agent.Invoking) (agent.Context, error) {
	if !m.load {
		return agent.Context{}, nil
	}
	messages, err := m.Messages(run.Session)
	for i := range messages {
		messages[i].Source = agent.FromHistory
	}
	return agent.Context{Messages: messages}, err
}

// Invoked keeps the run's messages.
func (m *Memory) Invoked(_ context.Context, run *agent.Invoked) error {
	if m.load && run.Err != nil {
		return nil
	}
	return m.state().Update(run.Session, func(r *recorded) error {
		r.messages = slices.Concat(r.messages, run.Request, run.Response)
		return nil
	})
}
