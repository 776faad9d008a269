package agent

import (
	"context"
	"sync"
)

// rejected begins what the model reads of a denied call (framework document on
// the interception of function calls).
const rejected = "Tool call invocation rejected."

// Decision is the answer to the question whether a call may run.
type Decision struct {
	Approved bool
	By       string // what decided: "user", "policy", a flag
	Reason   string // for the model and the transcript; may be empty
}

// Approver decides on a call. needed false means that calls of this kind need
// no decision: they run, and no event tells of it. An error denies the call.
type Approver func(ctx context.Context, inv *Invocation) (d Decision, needed bool, err error)

// Approval asks before a tool runs. Each decision is a [ToolApproval] event; a
// denied call is answered to the model with the reason and not run, and the
// run goes on. What the approver cannot decide, by an error or a panic, is
// denied. The approver is asked about one call at a time, also where calls run
// side by side, because it may ask a person.
func Approval(approve Approver) Middleware {
	var one sync.Mutex
	decide := func(ctx context.Context, inv *Invocation) (Decision, bool) {
		one.Lock()
		defer one.Unlock()
		type answer struct {
			decision Decision
			needed   bool
		}
		got, err := guard(func() (answer, error) {
			if ctx.Err() != nil {
				return answer{}, ctx.Err()
			}
			d, needed, err := approve(ctx, inv)
			return answer{d, needed}, err
		})
		if err != nil {
			by := got.decision.By
			if by == "" {
				by = "error"
			}
			return Decision{By: by, Reason: "the approval could not be asked for: " + err.Error()}, true
		}
		return got.decision, got.needed
	}
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			d, needed := decide(ctx, inv)
			if !needed {
				return next(ctx, inv)
			}
			event := ToolApproval{ID: inv.Call.ID, Decision: "denied", By: d.By, Reason: d.Reason}
			if d.Approved {
				event.Decision = "approved"
			}
			inv.Emit(event)
			if d.Approved {
				return next(ctx, inv)
			}
			text := rejected
			if d.Reason != "" {
				text += " " + d.Reason
			}
			return ToolResult{Text: text, Failed: true}, nil
		}
	}
}
