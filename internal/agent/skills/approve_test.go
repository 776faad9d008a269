package skills_test

import (
	"context"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/script"
)

// policyOptions are those of a policy, and how the scripts of its bench are confined.
type policyOptions struct {
	Mode        approve.Mode
	Allow       []string
	Ask         approve.Asker
	Unsandboxed bool

	Sandbox   func(ctx context.Context) (agent.Sandbox, error)
	Unseen    func(s script.Script, args []string) []string
	AllowRead func(path string) error
}

func (o policyOptions) policy(t *testing.T) *approve.Policy {
	t.Helper()
	opt := approve.Options{Mode: o.Mode, Ask: o.Ask, Unsandboxed: o.Unsandboxed}
	for _, text := range o.Allow {
		pattern, err := approve.ParsePattern(text, "skill", "script")
		if err != nil {
			t.Fatal(err)
		}
		opt.Scripts = append(opt.Scripts, pattern)
	}
	p, err := approve.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// policy decides on the calls of a bench.
type policy struct{ *approve.Policy }

// newPolicy returns a policy, and confines the scripts of the bench as it says.
func newPolicy(t *testing.T, b *bench, opt policyOptions) policy {
	t.Helper()
	b.confined = opt
	return policy{opt.policy(t)}
}

// confinement returns one in a working folder, that is as the bench's last policy says.
func (b *bench) confinement(dir string) skills.Confinement {
	return skills.Confinement{
		Dir: dir,
		Sandbox: func(ctx context.Context) (agent.Sandbox, error) {
			if b.confined.Sandbox == nil {
				return agent.Sandbox{Name: "none"}, nil
			}
			return b.confined.Sandbox(ctx)
		},
		Unseen: func(s script.Script, args []string) []string {
			if b.confined.Unseen == nil {
				return nil
			}
			return b.confined.Unseen(s, args)
		},
		AllowRead: func(path string) error { return b.confined.AllowRead(path) },
	}
}

// Approve decides on a call, if its action asks for that.
func (p policy) Approve(ctx context.Context, inv *agent.Invocation) (d agent.Decision, needed bool, err error) {
	action, err := inv.Prepare(ctx)
	if err != nil {
		return d, false, err
	}
	asked := action.Approval()
	if asked == nil {
		return d, false, nil
	}
	d, err = p.Policy.Approve(ctx, inv, asked)
	return d, true, err
}

// perform runs a call with its prepared action, as the loop does.
func perform(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
	action, err := inv.Prepare(ctx)
	if err != nil {
		return agent.ToolResult{}, err
	}
	return action.Run(ctx)
}
