package approve

import (
	"context"
	"fmt"

	"skills/internal/agent"
)

// Later means that nobody is asked during a run: it ends at the first question, and the
// call waits in its session for an answer. An answer that is given beforehand, by the id
// of the call, holds for what was recorded: if anything of it has changed, the call waits
// again.

// ParseAnswer parses an answer that is given beforehand: yes, always, or no, which a
// reason for the model may follow.
func ParseAnswer(text string) (Answer, error) {
	answer, ok := readAnswer(text)
	if !ok || answer.Read {
		return Answer{}, fmt.Errorf("%q is not an answer (yes, no or always)", text)
	}
	answer.Session = answer.Scope != ScopeCall // the next run of the session is another process
	return answer, nil
}

// changedRecord is why an answer does not hold.
const changedRecord = "what would run has changed since it was recorded"

// answered decides on a call that waited, by the answer that was given for it. It returns
// false if there is none.
func (p *Policy) answered(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (d agent.Decision, done bool, err error) {
	recorded, waited := agent.WaitingCall(inv.Session, inv.Call.ID)
	answer, given := p.opt.Answers[inv.Call.ID]
	if !waited || !given {
		return d, false, nil
	}
	if !answer.Approved {
		return agent.Decision{By: "user", Reason: answer.Reason}, true, nil
	}
	now, box, err := p.current(ctx, a)
	if err != nil {
		return denied("it cannot be started: "+err.Error(), ""), true, context.Cause(ctx)
	}
	if w := agent.NewWaiting(inv.Call, a, box.Name); w.Digest != recorded.Digest {
		return agent.Decision{By: "policy", Reason: changedRecord, Waiting: &w}, true, nil
	}
	p.mu.Lock()
	p.approved[key(a)] = now
	err = p.remember(inv.Session, a, now, answer, box.Name)
	p.mu.Unlock()
	if err != nil {
		return agent.Decision{}, true, err
	}
	d = agent.Decision{Approved: true, By: "user", Reason: "--approve-call"}
	return grant(a, agent.Terms{Unsandboxed: box.Name == noSandbox, Content: now}, d), true, nil
}

// current reads what an approval is about at present, and tries its sandbox.
func (p *Policy) current(ctx context.Context, a *agent.Approval) (now agent.Content, box agent.Sandbox, err error) {
	if a.Sandbox != nil {
		box, err = a.Sandbox(ctx)
		if err != nil {
			return nil, box, err
		}
	}
	now, err = read(ctx, a)
	if err == nil && now != nil {
		a.Action = now.Action()
	}
	return now, box, err
}

// postpone has a call wait for an answer after the run.
func (p *Policy) postpone(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	now, box, err := p.current(ctx, a)
	if err != nil {
		return notStarted(a, err), context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if how := p.remembers(inv.Session, a, now, box.Name); how != "" {
		return p.remembered(a, now, box.Name, how), nil
	}
	w := agent.NewWaiting(inv.Call, a, box.Name)
	return agent.Decision{By: "policy", Reason: "nobody has approved it yet", Waiting: &w}, nil
}
