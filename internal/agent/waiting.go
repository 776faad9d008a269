package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// A call that waits for an approval outlives its run. The conversation ends with the call,
// which has no result, and the session says what would run. The next run of the session
// prepares the call again, has it decided on, and goes on from there. Later calls of the
// same turn come after it: they were not run either.

// WaitingState is the key of the waiting call in a session.
const WaitingState = "waiting"

// LimitApproval is the limit of a run that ended at a call which waits for an approval.
const LimitApproval = "approval"

// Waiting is a call that waits for an approval, as it was recorded.
type Waiting struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Kind      string          `json:"kind"`
	Owner     string          `json:"owner,omitempty"`
	Name      string          `json:"name,omitempty"`
	Line      string          `json:"line,omitempty"` // for people
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Sandbox   string          `json:"sandbox,omitempty"` // in which it would run, or "none"
	// Digest is the hexadecimal SHA-256 of all that an answer is about, files included.
	Digest string `json:"digest"`
}

// NewWaiting records a call with what its approval is about at present.
func NewWaiting(call ToolCall, a *Approval, sandbox string) Waiting {
	s := a.Action
	w := Waiting{ID: call.ID, Tool: call.Name, Kind: s.Kind, Owner: s.Owner, Name: s.Name, Line: s.Line, Sandbox: sandbox}
	var compact bytes.Buffer
	if json.Compact(&compact, s.Arguments) == nil {
		w.Arguments = bytes.Clone(compact.Bytes())
	}
	folder := ""
	if s.Kind == KindCommand || s.Kind == KindEdit { // they mean something else in another folder
		folder = a.Dir
	}
	about := printable.JSONText([]any{w.Tool, s.Kind, s.Owner, s.Name, w.Arguments, s.Grants, s.Digest, s.Files, a.Preview, folder, sandbox == "none"})
	sum := sha256.Sum256([]byte(about))
	w.Digest = hex.EncodeToString(sum[:])
	return w
}

// String names the call for people.
func (w Waiting) String() string {
	text := w.Tool
	if w.Line != "" {
		text += " " + printable.TruncateMiddle(printable.Line(w.Line), 200)
	}
	return text
}

// waiting is the state in a session.
type waiting struct {
	Calls []Waiting `json:"calls"`
}

func waitingState() *State[waiting] {
	return NewState(WaitingState, func() waiting { return waiting{Calls: []Waiting{}} })
}

// WaitingCalls returns the calls of a session that wait for an approval.
func WaitingCalls(s *Session) []Waiting {
	if s == nil || !s.Has(WaitingState) {
		return nil
	}
	var calls []Waiting
	_ = waitingState().View(s, func(w waiting) { calls = slices.Clone(w.Calls) }) // see CheckWaiting
	return calls
}

// CheckWaiting returns an error if the state of waiting calls in a session is damaged.
func CheckWaiting(s *Session) error { return waitingState().View(s, func(waiting) {}) }

// WaitingCall returns the record of a call that waits for an approval.
func WaitingCall(s *Session, id string) (Waiting, bool) {
	calls := WaitingCalls(s)
	i := slices.IndexFunc(calls, func(w Waiting) bool { return w.ID == id })
	if i < 0 {
		return Waiting{}, false
	}
	return calls[i], true
}

// setWaiting records that a call waits, in place of any other.
func setWaiting(s *Session, calls ...Waiting) error {
	return waitingState().Update(s, func(w *waiting) error {
		w.Calls = append([]Waiting{}, calls...)
		return nil
	})
}

// WaitingError ends a run at a call that waits for an approval.
type WaitingError struct{ Waiting }

// Error names the call.
func (e *WaitingError) Error() string {
	return fmt.Sprintf("approval is needed for %s (call %s)", e.Waiting, e.ID)
}

// Resumed reports whether the call is one that an earlier run left open.
func (inv *Invocation) Resumed() bool { return inv.run != nil && inv.Turn == 0 }

// waitFor has a call wait, in the session of its run.
func (inv *Invocation) waitFor(w Waiting) error {
	if err := setWaiting(inv.Session, w); err != nil {
		return err
	}
	return &WaitingError{w}
}

// keepsWaiting returns the record of a call that nobody has decided on, because the run or
// the terminal ended first, if it waited before.
func (inv *Invocation) keepsWaiting(d Decision) *Waiting {
	w, waited := WaitingCall(inv.Session, inv.Call.ID)
	if d.Approved || d.By != "nobody" || !waited {
		return nil
	}
	return &w
}

// answered forgets that a call waits, because it has a result.
func answered(s *Session, id string) error {
	_, waited := WaitingCall(s, id)
	if !waited {
		return nil
	}
	return setWaiting(s)
}

// waitingText and laterText are the results of calls without a result, for people.
const (
	waitingText = "Waiting for an approval."
	laterText   = "Waiting for an earlier call."
)

// leaveOpen reports that the run ends before its open calls have a result.
func leaveOpen(r *run, w *WaitingError) {
	for _, call := range r.open {
		event := ToolResultEvent{ID: call.ID, Name: call.Name, Output: laterText, Open: true}
		if call.ID == w.ID {
			event.Output, event.Action = waitingText, Summary{Kind: w.Kind, Owner: w.Owner, Name: w.Name, Line: w.Line}
		}
		r.emit(event)
	}
	r.open = nil
}

// openCalls returns the calls at the end of a conversation that have no result.
func openCalls(messages []Message) (open []ToolCall) {
	at := len(messages) - 1
	for at >= 0 && messages[at].Role == ToolRole {
		at--
	}
	if at < 0 {
		return nil
	}
	for _, call := range messages[at].Calls {
		has := func(m Message) bool { return m.CallID == call.ID }
		if !slices.ContainsFunc(messages[at+1:], has) {
			open = append(open, call)
		}
	}
	return open
}

// resume runs the calls that an earlier run left open, of which the first waited.
func resume(ctx context.Context, r *run, open []ToolCall) error {
	for _, call := range open {
		r.open = append(r.open, call)
		r.emit(ToolCallEvent{ID: call.ID, Name: call.Name, Arguments: model.JSONArguments(call.Arguments), Call: call})
	}
	return r.work(ctx, 0, model.Reply{Calls: open}, nil)
}

// waitingOf returns the error of a call that waits, or nil.
func waitingOf(err error) *WaitingError {
	w, _ := errors.AsType[*WaitingError](err)
	return w
}
