package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Session holds what providers remember, by key. It is safe for concurrent use.
type Session struct {
	mu    sync.Mutex
	slots map[string]*slot
}

// slot is the place of one key. Each has a lock of its own, so that a provider
// may look at the state of another while it changes its own.
type slot struct {
	mu    sync.Mutex
	value any             // *T, once somebody asked for it
	saved json.RawMessage // restored, until then
}

// NewSession returns an empty session.
func NewSession() *Session { return &Session{slots: map[string]*slot{}} }

// RestoreSession returns a session with the state of an earlier Snapshot.
func RestoreSession(saved map[string]json.RawMessage) *Session {
	s := NewSession()
	for key, raw := range saved {
		s.slots[key] = &slot{saved: raw}
	}
	return s
}

func (s *Session) slot(key string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[key] == nil {
		s.slots[key] = &slot{}
	}
	return s.slots[key]
}

// Snapshot returns every provider's state as JSON, by key.
func (s *Session) Snapshot() (map[string]json.RawMessage, error) {
	s.mu.Lock()
	slots := maps.Clone(s.slots)
	s.mu.Unlock()
	out := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(slots)) {
		raw, err := slots[key].snapshot()
		if err != nil {
			return nil, fmt.Errorf("saving the state of %q: %w", key, err)
		}
		if raw != nil {
			out[key] = raw
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

// State is a provider's typed view of its place in a session. The value of
// type T must survive a round trip through JSON.
type State[T any] struct {
	key     string
	initial func() T
}

// NewState returns the view for key; initial makes the value of a new session.
func NewState[T any](key string, initial func() T) *State[T] {
	return &State[T]{key: key, initial: initial}
}

// Update runs change on the session's value, alone: no other Update or View of
// the same key runs at the same time, so change must not ask for it again. The
// change is kept even where change returns an error, which is passed on. A value
// that does not fit T, saved or live, is an error and is left as it is.
func (st *State[T]) Update(s *Session, change func(*T) error) error {
	at := s.slot(st.key)
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.value == nil {
		fresh := st.initial()
		if at.saved != nil {
			d := json.NewDecoder(bytes.NewReader(at.saved))
			d.DisallowUnknownFields() // it would be lost
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

// View runs look on the session's value; look must not keep references into it.
func (st *State[T]) View(s *Session, look func(T)) error {
	return st.Update(s, func(v *T) error { look(*v); return nil })
}
