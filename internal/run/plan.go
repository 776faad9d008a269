package run

// With a plan first, the model loads skills and reads, but what needs an approval is denied
// until a person agrees to its plan. Without a person the plan is the answer; a session
// continues with it.

import (
	"context"
	"strings"

	"skills/internal/agent"
	"skills/internal/approve"
)

// plan is a run that begins with a plan. It is a context provider, which asks for the plan.
type plan struct {
	confirm func(ctx context.Context, plan string) (approve.PlanAnswer, error)
	active  bool // nothing may be run or changed yet
	file    string
}

const (
	planText = "You are planning. Load the skills that you need and read what you have to know, but run nothing and change nothing: such calls are denied now. " +
		"Then answer with the plan alone: numbered steps, each with the scripts, commands or files it is about, and how its success is seen. It is carried out once it is approved."
	planDenied   = "Nothing is run or changed before the plan is approved. Finish the plan, and answer with it."
	planApproved = "The plan is approved. Carry it out now."
	planChanged  = "The plan is approved with changes. Carry out this plan now:\n\n"
	planAgain    = "The plan is not approved: "
)

// Name implements [agent.ContextProvider].
func (*plan) Name() string { return "plan" }

// Invoking adds a message to each request while the model plans.
func (p *plan) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	return agent.Context{Ephemeral: func(context.Context) ([]agent.Message, error) {
		if !p.active {
			return nil, nil
		}
		return []agent.Message{{Role: agent.User, Text: planText}}, nil
	}}, nil
}

// Invoked does nothing.
func (*plan) Invoked(context.Context, *agent.Invoked) error { return nil }

// decide denies what needs an approval while the model plans, except reading skills.
func (p *plan) decide(next agent.Approver) agent.Approver {
	return func(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
		reads := a.Action.Kind == agent.KindSkill || a.Action.Kind == agent.KindResource
		if p.active && !reads {
			return agent.Decision{By: "policy", Reason: planDenied}, nil
		}
		return next(ctx, inv, a)
	}
}

// before returns the checks of a run that plans first: while it does, its answer is the
// plan, which the others are not about.
func (p *plan) before(checks []agent.CompletionCheck) []agent.CompletionCheck {
	out := []agent.CompletionCheck{p.check}
	for _, check := range checks {
		out = append(out, func(ctx context.Context, c agent.Completion) (string, error) {
			if p.active {
				return "", nil
			}
			return check(ctx, c)
		})
	}
	return out
}

// check has a person decide on the plan. Without one it is the answer.
func (p *plan) check(ctx context.Context, c agent.Completion) (string, error) {
	if !p.active || p.confirm == nil {
		return "", nil
	}
	answer, err := p.confirm(ctx, c.Text)
	if err != nil {
		return "", err
	}
	p.active = !answer.Approved
	event, next := agent.PlanEvent{Decision: "ended"}, ""
	switch {
	case answer.Approved && strings.TrimSpace(answer.Text) != strings.TrimSpace(c.Text):
		event.Decision, event.Plan, next = "changed", answer.Text, planChanged+answer.Text
	case answer.Approved:
		event.Decision, next = "approved", planApproved
	case answer.Reason != "":
		event.Decision, event.Reason, next = "rejected", answer.Reason, planAgain+answer.Reason+"\nAnswer with another plan."
	}
	c.Emit(event)
	return next, nil
}
