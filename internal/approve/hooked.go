package approve

import (
	"context"

	"skills/internal/agent"
)

// ApproveAllowed is Approve for runs with hooks: a call that a trusted hook has allowed as
// it is now is approved like one that a flag approves. What only a person can approve, and
// what --approve never denies, is decided without the hook.
func (p *Policy) ApproveAllowed(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	by := inv.Allowed()
	open := !a.Attended && a.Blocked == nil && p.opt.Mode != Never
	if by == "" || !open {
		return p.Approve(ctx, inv, a)
	}
	d, err := p.unattended(ctx, a, by)
	if d.Approved {
		d.By = "hook"
	}
	return d, err
}
