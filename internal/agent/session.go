package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Session holds what providers remember from run to run, each under its own
// key. It is safe for concurrent use.
type Session struct {
	mu    sync.Mutex
	state map[string]any             // live values, by key
	saved map[string]json.RawMessage // restored ones that nobody asked for yet
}

// NewSession returns an empty session.
func NewSession() *Session {
	return &Session{state: map[string]any{}, saved: map[string]json.RawMessage{}}
}

// RestoreSession returns a session with the state of an earlier Snapshot.
func RestoreSession(saved map[string]json.RawMessage) *Session {
	s := NewSession()
	maps.Copy(s.saved, saved)
	return s
}

// Snapshot returns every provider's state as JSON, by key.
func (s *Session) Snapshot() (map[string]json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := maps.Clone(s.saved)
	for _, key := range slices.Sorted(maps.Keys(s.state)) {
		raw, err := json.Marshal(s.state[key])
		if err != nil {
			return nil, fmt.Errorf("saving the state of %q: %w", key, err)
		}
		out[key] = raw
	}
	return out, nil
}

// State is a provider's typed view of its place in a session. The value of
// type T must survive a round trip through JSON.
type State[T any] struct {
	key     string
	initial func() T
}

// NewState returns the view for key; initial makes the value of a session that
// has none yet.
func NewState[T any](key string, initial func() T) *State[T] {
	return &State[T]{key: key, initial: initial}
}

// Update runs change on the session's value, alone: no other Update or View of
// the same session runs at the same time. The change is kept even where change
// returns an error, which is passed on. A saved value that does not fit T is
// an error and is left as it is.
func (st *State[T]) Update(s *Session, change func(*T) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.state[st.key].(*T)
	if !ok {
		fresh := st.initial()
		if raw, found := s.saved[st.key]; found {
			if err := json.Unmarshal(raw, &fresh); err != nil {
				return fmt.Errorf("reading the state of %q: %w", st.key, err)
			}
			delete(s.saved, st.key)
		}
		value = &fresh
		s.state[st.key] = value
	}
	return change(value)
}

// View runs look on the session's value; look must not keep references into
// it.
func (st *State[T]) View(s *Session, look func(T)) error {
	return st.Update(s, func(v *T) error { look(*v); return nil })
}
