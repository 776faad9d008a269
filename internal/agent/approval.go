package agent

import (
	"cmp"
	"context"
	"errors"
)

// rejected begins the answer to a denied call, in the framework's words.
const rejected = "Tool call invocation rejected."

// changedReason is why a call is denied whose arguments changed.
const changedReason = "Its arguments were changed after the decision."

// Decision is the answer to the question whether a call may run.
type Decision struct {
	Approved bool
	By       string // what decided: "user", "policy", a flag; "nobody" where the run ended before
	Reason   string // for the model and the transcript; may be empty
	Hint     string // for the person: how to allow it; may be empty
}

// Approver decides on a call. needed false means that calls of this kind need
// no decision: they run, without an event. An error denies the call.
// It is asked about one call after the other, also where calls run
// concurrently.
type Approver func(ctx context.Context, inv *Invocation) (d Decision, needed bool, err error)

// Approval asks before a tool runs. Each decision is a [ToolApproval] event; a
// denied call is answered to the model with the reason and not run, and the
// run goes on. What the approver cannot decide, by an error or a panic, is
// denied, and so is what it decides when the run is over.
//
// A decision, also that none is needed, is bound to the tool and the arguments
// as they are then: a call that a middleware inside this one changes is not run.
// Calls without a tool need no decision.
func Approval(approve Approver) Middleware {
	decide := func(ctx context.Context, inv *Invocation) (Decision, bool) {
		type answer struct {
			decision Decision
			needed   bool
		}
		got, err := Guard(func() (answer, error) {
			if ctx.Err() != nil {
				return answer{}, ctx.Err()
			}
			d, needed, err := approve(ctx, inv)
			if err == nil {
				err = ctx.Err()
			}
			return answer{d, needed}, err
		})
		if err != nil {
			return Undecided(ctx, got.decision, err), true
		}
		return got.decision, got.needed
	}
	return func(next Handler) Handler {
		return func(ctx context.Context, inv *Invocation) (ToolResult, error) {
			if inv.Tool == nil {
				inv.bind("", nil)
				return next(ctx, inv)
			}
			if inv.queue.wait(ctx) != nil {
				return ToolResult{}, errNotStarted
			}
			inv.bind(inv.Tool.Name, inv.Arguments)
			d, needed := decide(ctx, inv)
			if !needed {
				return next(ctx, inv)
			}
			event := ToolApproval{ID: inv.Call.ID, Decision: "denied", By: d.By, Reason: d.Reason, Hint: d.Hint}
			if d.Approved {
				event.Decision = "approved"
			}
			inv.Emit(event)
			if d.Approved {
				return next(ctx, inv)
			}
			inv.queue.pass()
			text := rejected
			if d.Reason != "" {
				text += " " + d.Reason
			}
			return ToolResult{Text: text, Failed: true}, nil
		}
	}
}

// Undecided is the denial of a call that nothing could decide on: err says why,
// ctx whether that is the run's end. d is the decision that came with the error;
// its By is kept.
func Undecided(ctx context.Context, d Decision, err error) Decision {
	switch ended := ctx.Err(); {
	case ended == nil:
		return Decision{By: cmp.Or(d.By, "error"), Reason: "the approval could not be asked for: " + err.Error()}
	case errors.Is(ended, context.DeadlineExceeded):
		return Decision{By: "nobody", Reason: "the time of the run was up before you answered"}
	}
	return Decision{By: "nobody", Reason: "interrupted before you answered"}
}

// bind notes what is decided on; the outermost approval counts.
func (inv *Invocation) bind(tool string, arguments []byte) {
	if inv.decided == nil {
		this := digest(tool, arguments)
		inv.decided = &this
	}
}
