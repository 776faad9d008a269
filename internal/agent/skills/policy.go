package skills

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"skills/internal/agent"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// Mode is the value of --approve.
type Mode string

// The modes of --approve.
const (
	Ask    Mode = "ask"    // ask the user; also the empty string
	Always Mode = "always" // run without asking
	Never  Mode = "never"  // do not run
)

// PolicyOptions configures a [Policy].
type PolicyOptions struct {
	Mode Mode
	// Allow holds patterns for "skill/script"; matching scripts run without asking, in
	// every mode. See [NewPolicy].
	Allow []string
	// Ask prompts the user and is never called concurrently. If it is nil or returns
	// ErrNoUser, the call is denied. Another error ends the call, but not the run.
	Ask func(ctx context.Context, request Request) (Answer, error)
	// Dir is the scripts' working directory, shown to the user.
	Dir string
	// Sandbox tests the sandbox before the first decision on a script file, because most
	// runs do not run scripts. Its error is the reason why scripts cannot be run. Nil
	// means no sandbox.
	Sandbox func(ctx context.Context) (sandbox.Status, error)
	// Unsandboxed is true if the user allows scripts without a sandbox (--sandbox off).
	// Otherwise a file runs without approval only in a sandbox, and the user decides on
	// a script without one.
	Unsandboxed bool
	// Unseen returns the existing files that a script's arguments, or the prompt, name
	// and its sandbox hides; may be nil. AllowRead makes one of them readable for all
	// later scripts.
	Unseen    func(s script.Script, args []string) []string
	AllowRead func(path string) error
}

// Policy decides which calls of run_skill_script may run.
type Policy struct {
	opt      PolicyOptions
	provider *Provider
	allow    []Pattern

	mu       sync.Mutex          // held while the user is prompted
	approved map[string]approval // the last one of each script
}

// NewPolicy returns the policy for the provider's tool. A pattern is a skill and a
// script separated by a slash. Both may contain * ? and [..], which also match slashes
// in the script's part: "pdf/*" means all scripts of the skill pdf, "*/*.py" all Python
// scripts. Invalid patterns and unknown modes are errors.
func NewPolicy(provider *Provider, opt PolicyOptions) (*Policy, error) {
	switch opt.Mode {
	case "":
		opt.Mode = Ask
	case Ask, Always, Never:
	default:
		return nil, fmt.Errorf("unknown approval mode %q (ask, always or never)", opt.Mode)
	}
	if opt.Sandbox == nil {
		opt.Sandbox = func(context.Context) (sandbox.Status, error) { return sandbox.Status{Name: sandbox.None}, nil }
	}
	p := &Policy{opt: opt, provider: provider, approved: map[string]approval{}}
	for _, text := range opt.Allow {
		parsed, err := ParsePattern(text, "skill", "script")
		if err != nil {
			return nil, err
		}
		p.allow = append(p.allow, parsed)
	}
	return p, nil
}

// Approve implements [agent.Approver]. It resolves the call, and the tool runs the
// resolved call; a call that cannot be resolved needs no approval, and the tool
// reports the error without resolving it again. The decision's By is
// "flag" (--approve always, --allow-script), "policy" (--approve never, no user
// available, no sandbox) or "user".
func (p *Policy) Approve(ctx context.Context, inv *agent.Invocation) (agent.Decision, bool, error) {
	if inv.Tool == nil || inv.Tool.Name != runTool {
		return agent.Decision{}, false, nil
	}
	in, fault := agent.DecodeArguments[runInput](runTool, string(inv.Arguments))
	if fault != "" {
		return agent.Decision{}, false, nil
	}
	var known *catalogue
	if err := state().View(inv.Session, func(r record) { known = r.catalogue }); err != nil {
		return agent.Decision{}, false, err
	}
	if known == nil {
		return agent.Decision{}, false, errors.New("deciding on a script: the skills are not known yet")
	}
	r := toolSet{p.provider, known}.resolve(ctx, in)
	if end := context.Cause(ctx); end != nil {
		return agent.Decision{}, true, end // resolving was not completed
	}
	err := state().Update(inv.Session, func(rec *record) error {
		rec.calls[inv.Call.ID] = r
		return nil
	})
	if err != nil || r.call == nil {
		return agent.Decision{}, false, err
	}
	decision, err := p.Decide(ctx, r.call)
	return decision, true, p.record(ctx, inv, r.call, decision, err)
}

// Decide applies the rules to a call, in order. It approves the current content of the
// file.
func (p *Policy) Decide(ctx context.Context, c *Call) (d agent.Decision, err error) {
	if c.err != nil { // this may change before it runs
		return denied("it cannot be started: "+detail(c.err), ""), nil
	}
	defer func() {
		if err == nil && d.Approved {
			c.want = c.digest
		}
	}()
	for _, rule := range p.allow {
		if rule.Matches(c.Skill.Name, c.Script.Name) {
			return p.unattended(ctx, c, "--allow-script "+rule.Text)
		}
	}
	switch p.opt.Mode {
	case Never:
		return denied("scripts are not run here", "re-run without --approve never to be asked before a script runs"), nil
	case Always:
		return p.unattended(ctx, c, "--approve always")
	}
	if p.opt.Ask == nil {
		return p.denyUnattended(ctx, c, ErrNoUser), nil
	}
	return p.ask(ctx, c)
}

// unattended decides on a script that a flag approves: without a user, a file runs only
// unchanged and in a sandbox.
func (p *Policy) unattended(ctx context.Context, c *Call, flag string) (agent.Decision, error) {
	if c.isFile() && !p.opt.Unsandboxed {
		status, err := p.opt.Sandbox(ctx)
		switch {
		case context.Cause(ctx) != nil:
			return agent.Decision{}, context.Cause(ctx)
		case err != nil:
			return notStarted(c, err), nil
		case status.Name == sandbox.None:
			return denied("no sandbox works here, and unattended scripts need one", "re-run with --sandbox off to run scripts without a sandbox"), nil
		}
	}
	if c.changed() {
		reason := "the script changed after it was loaded and has not been approved"
		if names := c.changedSinceSeen(); len(names) > 0 && c.digest == c.Script.Digest {
			reason = "files of the skill changed after it was loaded and have not been approved: " + script.Names(names)
		}
		return denied(reason, "review the changes of the skill "+c.Skill.Name+", then start again to allow them"), nil
	}
	c.unsandboxed = p.opt.Unsandboxed
	return agent.Decision{Approved: true, By: "flag", Reason: flag}, nil
}

// notStarted denies a script whose policy cannot be enforced.
func notStarted(c *Call, err error) agent.Decision {
	return denied("it cannot be started: "+err.Error(), c.name()+" was not run: "+withHint(err))
}

// denyUnattended denies a call because no user is available.
func (p *Policy) denyUnattended(ctx context.Context, c *Call, why error) agent.Decision {
	flags := ""
	for _, path := range p.unseen(c) {
		flags += " --allow-read '" + path + "'"
	}
	if c.isFile() && !p.opt.Unsandboxed { // a function is part of this program and needs no sandbox
		if status, err := p.opt.Sandbox(ctx); err != nil || status.Name == sandbox.None {
			flags = " --sandbox off"
		}
	}
	return denied(why.Error(), fmt.Sprintf("re-run with --allow-script '%s'%s to allow it", c.name(), flags))
}

// unseen returns the files that the sandbox would hide.
func (p *Policy) unseen(c *Call) []string {
	if !c.isFile() || p.opt.Unseen == nil {
		return nil
	}
	return p.opt.Unseen(c.file(), c.Args)
}

// denied denies a call: the reason is for the model, the hint for the user.
func denied(reason, hint string) agent.Decision {
	return agent.Decision{By: "policy", Reason: reason, Hint: hint}
}
