package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// Session stores the providers' state by key. It is safe for concurrent use.
type Session struct{ slots sync.Map } // from key to *slot

// slot is the state of one key. Each has its own lock, so that a provider may
// read another's state while it changes its own.
type slot struct {
	mu    sync.Mutex
	value any             // *T, after the first access
	saved json.RawMessage // restored state, before the first access
}

// NewSession returns an empty session.
func NewSession() *Session { return &Session{} }

// RestoreSession returns a session with the state of an earlier Snapshot.
func RestoreSession(saved map[string]json.RawMessage) *Session {
	s := NewSession()
	for key, raw := range saved {
		s.slots.Store(key, &slot{saved: raw})
	}
	return s
}

// Snapshot returns the state of every provider as JSON, by key.
func (s *Session) Snapshot() (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for key, at := range s.slots.Range {
		raw, err := at.(*slot).snapshot()
		if err != nil {
			return nil, fmt.Errorf("saving the state of %q: %w", key, err)
		}
		if raw != nil {
			out[key.(string)] = raw
		}
	}
	return out, nil
}

func (s *slot) snapshot() (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value == nil {
		return s.saved, nil
	}
	return json.Marshal(s.value)
}

// Has reports whether there is a state for key.
func (s *Session) Has(key string) bool {
	_, found := s.slots.Load(key)
	return found
}

// State is typed access to a provider's state in a session. Values of type T
// must survive a round trip through JSON.
type State[T any] struct {
	key     string
	initial func() T
}

// NewState returns the state for key; initial returns the value of a new
// session.
func NewState[T any](key string, initial func() T) *State[T] {
	return &State[T]{key: key, initial: initial}
}

// Update calls change with the session's value. No other Update or View of the
// same key runs concurrently, so change must not call them. The change is kept
// even if change returns an error, which Update returns. A stored value that
// does not match T is an error and is not changed.
func (st *State[T]) Update(s *Session, change func(*T) error) error {
	entry, _ := s.slots.LoadOrStore(st.key, &slot{})
	at := entry.(*slot)
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.value == nil {
		fresh := st.initial()
		if at.saved != nil {
			d := json.NewDecoder(bytes.NewReader(at.saved))
			d.DisallowUnknownFields() // unknown fields would be lost
			if err := d.Decode(&fresh); err != nil {
				return fmt.Errorf("reading the state of %q: %w", st.key, err)
			}
		}
		at.value, at.saved = &fresh, nil
	}
	value, ok := at.value.(*T)
	if !ok {
		return fmt.Errorf("reading the state of %q: it is kept as %T, not as %T", st.key, at.value, value)
	}
	return change(value)
}

// View calls read with the session's value; read must not keep references into
// it.
func (st *State[T]) View(s *Session, read func(T)) error {
	return st.Update(s, func(v *T) error { read(*v); return nil })
}
