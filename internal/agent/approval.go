package agent

// An action that needs approval is decided on after it is prepared, and what runs is what
// was shown: a decision holds for the tool and the arguments at its time. No answer, an
// error and a panic of the approver are denials.

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
	// Waiting is set if nobody has decided: the run ends, and the call waits in its session.
	Waiting *Waiting
}

// Approval is what somebody decides on before an action runs. The strings come
// from skills, servers and models: whoever shows them makes them safe to show.
type Approval struct {
	Action Summary  // with the content that was read last
	Dir    string   // working directory of the program, or ""
	Args   []string // the part of the action's command that the model chose
	Note   string   // what the skill itself says about approvals, which approves nothing
	Details
	// Content is the content of what would run; nil if nothing can change. An answer
	// holds for the same content only. Read reads it again.
	Content Content
	Read    func(ctx context.Context) (Content, error)
	// Blocked is why the action cannot be started, whatever is decided; or nil.
	Blocked error
	// Source returns the beginning of the program's text, or the reason why it is
	// unavailable; nil if there is none to show.
	Source func() (string, error)
	// Sandbox tries the sandbox in which the action runs; nil if it needs none.
	// An error is why it cannot be started.
	Sandbox func(ctx context.Context) (Sandbox, error)
	// Unseen returns existing files that the call names and the sandbox hides; nil
	// for none.
	Unseen func() []string
	// Grant receives the terms of an approval before the action runs; nil if there
	// are none. An error denies the call.
	Grant func(Terms) error
}

// Details describe actions that are no scripts or tools of servers.
type Details struct {
	// Facts say what the action does.
	// Preview is what the prompt shows below them as far as it fits, such as a diff.
	Facts   []Fact
	Preview []string
	// Parts are the words of the commands that a command line runs; Opaque is why they are
	// not all that it does, or "".
	Parts  [][]string
	Opaque string
	// Allowed are the allowed-tools of loaded skills, which approve nothing by themselves.
	Allowed []AllowedTools
	// Attended means that only a person can approve the action, whatever flags say, and
	// only this once.
	Attended bool
}

// AllowedTools is the field of a skill that lists the tools it needs.
type AllowedTools struct{ Skill, Tools string }

// Fact is something about an action for a decision.
type Fact struct {
	Label, Value string
	Path         bool // the end of the value matters as much as its beginning
	Source       bool // the value is the text of a program
}

// Content is what would run, at one time.
type Content interface {
	Digest() string  // of all of it
	Action() Summary // what the call does with it
	// Unlisted returns what differs from what was listed before: the names of files, if
	// they are known, and whether anything does.
	Unlisted() (names []string, changed bool)
	// Changed returns what differs from earlier content of the same action.
	Changed(earlier Content) (names []string, changed bool)
}

// Sandbox describes the sandbox of an action.
type Sandbox struct {
	Name        string // of the backend, or "none"
	NotEnforced []string
}

// Terms are what an approval includes.
type Terms struct {
	Unsandboxed bool     // the action may run without a sandbox
	Read        []string // files that it may read in addition
	Content     Content  // what was approved; only this may run
}

// Approver decides on an action that needs it. An error denies the call. It is
// never called concurrently, even if calls run concurrently.
type Approver func(ctx context.Context, inv *Invocation, a *Approval) (Decision, error)

// RequireApproval has every action decided on that asks for it ([Action]). Each
// decision is a [ToolApproval] event; a denied call is not run, the model gets
// the reason, and the run goes on. An error or a panic of the approver denies the
// call, and so does the end of the run.
//
// A decision, even that none is needed, applies to the tool and the arguments
// at that time: a call that a middleware inside this one changes is not run.
// Calls without a tool, and those that cannot be prepared, need no decision.
func RequireApproval(approve Approver) Middleware {
	decide := func(ctx context.Context, inv *Invocation, a *Approval) (d Decision) {
		_, err := RecoverPanic(func() (_ struct{}, err error) {
			err = ctx.Err()
			if err == nil {
				d, err = approve(ctx, inv, a)
			}
			return struct{}{}, cmp.Or(err, ctx.Err())
		})
		if err != nil {
			return Undecided(ctx, d, err)
		}
		return d
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
			action, err := inv.Prepare(ctx)
			var asked *Approval
			if ctx.Err() == nil { // otherwise the call may not be prepared completely
				if err != nil {
					return ToolResult{}, err
				}
				asked = action.Approval()
				if asked == nil {
					return next(ctx, inv)
				}
			}
			d := decide(ctx, inv, asked)
			if d.Waiting == nil {
				d.Waiting = inv.keepsWaiting(d)
			}
			inv.report(d)
			if d.Approved {
				return next(ctx, inv)
			}
			if d.Waiting != nil {
				return ToolResult{}, inv.waitFor(*d.Waiting)
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

// report emits a decision.
func (inv *Invocation) report(d Decision) {
	event := ToolApproval{
		ID: inv.Call.ID, Decision: "denied", By: d.By, Reason: d.Reason, Hint: d.Hint, Tool: inv.Tool.Name, Action: inv.current(),
	}
	switch {
	case d.Approved:
		event.Decision = "approved"
	case d.Waiting != nil:
		event.Decision = "waiting"
	}
	inv.Emit(event)
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
