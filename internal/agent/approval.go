package agent

import (
	"cmp"
	"context"
	"errors"
)

// rejected starts the result of a denied call, with the framework's words.
const rejected = "Tool call invocation rejected."

// changedReason is the reason for denying a call with changed arguments.
const changedReason = "Its arguments were changed after the decision."

// Decision is the decision whether a call may run.
type Decision struct {
	Approved bool
	By       string // who decided: "user", "policy", a flag; "nobody" if the run ended or the terminal was closed first
	Reason   string // for the model and the transcript; may be empty
	Hint     string // for the user, how to allow the call; may be empty
}

// Approver decides on a call. If needed is false, calls of this kind run
// without a decision or an event. An error denies the call. It is never called
// concurrently, even if calls run concurrently.
type Approver func(ctx context.Context, inv *Invocation) (d Decision, needed bool, err error)

// Approval requires a decision before a tool runs. Each decision is a
// [ToolApproval] event; a denied call is not run, the model gets the reason,
// and the run goes on. An error or a panic of the approver denies the call, and
// so does the end of the run.
//
// A decision, even that none is needed, applies to the tool and the arguments
// at that time: a call that a middleware inside this one changes is not run.
// Calls without a tool need no decision.
func Approval(approve Approver) Middleware {
	decide := func(ctx context.Context, inv *Invocation) (d Decision, needed bool) {
		_, err := RecoverPanic(func() (_ struct{}, err error) {
			if err = ctx.Err(); err == nil {
				d, needed, err = approve(ctx, inv)
			}
			return struct{}{}, cmp.Or(err, ctx.Err())
		})
		if err != nil {
			return Undecided(ctx, d, err), true
		}
		return d, needed
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

// ErrUnanswered is the error of an approver whose prompt was closed.
var ErrUnanswered = errors.New("the terminal was closed before you answered")

// Undecided returns the denial of a call without a decision: err is the reason,
// ctx shows whether the run has ended. d is the decision that came with the
// error, whose By is kept.
func Undecided(ctx context.Context, d Decision, err error) Decision {
	switch ended := ctx.Err(); {
	case ended == nil && errors.Is(err, ErrUnanswered):
		return Decision{By: "nobody", Reason: err.Error()}
	case ended == nil:
		return Decision{By: cmp.Or(d.By, "error"), Reason: "the approval could not be asked for: " + err.Error()}
	case errors.Is(ended, context.DeadlineExceeded):
		return Decision{By: "nobody", Reason: "the run reached its time limit before you answered"}
	}
	return Decision{By: "nobody", Reason: "interrupted before you answered"}
}

// bind records what was approved; the outermost approval counts.
func (inv *Invocation) bind(tool string, arguments []byte) {
	if inv.decided == nil {
		this := digest(tool, arguments)
		inv.decided = &this
	}
}
