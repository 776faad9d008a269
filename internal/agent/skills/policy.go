package skills

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/safefile"
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

// approval is an approval by the user: of a script with all files of its skill.
type approval struct {
	digest string
	files  safefile.Snapshot
	always bool
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
		return denied(reason, ""), nil
	}
	c.unsandboxed = p.opt.Unsandboxed
	return agent.Decision{Approved: true, By: "flag", Reason: flag}, nil
}

// notStarted denies a script whose policy cannot be enforced.
func notStarted(c *Call, err error) agent.Decision {
	return denied("it cannot be started: "+err.Error(), c.name()+" was not run: "+withHint(err))
}

// ask prompts the user, unless the answer is already known.
func (p *Policy) ask(ctx context.Context, c *Call) (agent.Decision, error) {
	status := sandbox.Status{Name: sandbox.None}
	if c.isFile() {
		var err error
		if status, err = p.opt.Sandbox(ctx); err != nil {
			return notStarted(c, err), context.Cause(ctx)
		}
	}
	c.unsandboxed = status.Name == sandbox.None
	p.mu.Lock()
	defer p.mu.Unlock()
	// Another prompt was open meanwhile.
	for range maxPrompts {
		if c.isFile() {
			if c.read(ctx); c.err != nil {
				return denied("it cannot be started: "+detail(c.err), ""), context.Cause(ctx)
			}
		}
		if p.remembers(c) {
			return agent.Decision{Approved: true, By: "user", Reason: "approved for the rest of the run"}, nil
		}
		d, unchanged, err := p.prompt(ctx, c, status)
		if err != nil || unchanged || !d.Approved {
			return d, err
		}
	}
	return denied("files of the skill changed while you were asked", ""), nil
}

// maxPrompts is how often the user is asked about one call of a skill that changes.
const maxPrompts = 3

// remembers reports whether the user approved the script with exactly these files for the
// rest of the run.
func (p *Policy) remembers(c *Call) bool {
	before := p.approved[c.name()]
	return before.always && before.digest == c.digest && len(c.changedFiles(before.files)) == 0
}

// prompt prompts the user. unchanged is false if a file of the skill changed meanwhile,
// so that the answer is for other files.
func (p *Policy) prompt(ctx context.Context, c *Call, status sandbox.Status) (d agent.Decision, unchanged bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return agent.Decision{}, false, err
	}
	request := p.request(c, status)
	answer, err := p.opt.Ask(ctx, request)
	switch {
	case errors.Is(err, ErrNoUser):
		return p.denyUnattended(ctx, c, err), true, nil
	case err != nil:
		return agent.Decision{}, false, err
	}
	d = agent.Decision{Approved: answer.Approved, By: "user", Reason: answer.Reason}
	if !answer.Approved {
		return d, true, nil
	}
	approved := approval{c.digest, c.files, answer.Remember}
	p.approved[c.name()] = approved
	if c.isFile() {
		if c.read(ctx); c.err != nil {
			return denied("it cannot be started: "+detail(c.err), ""), true, context.Cause(ctx)
		}
		if c.digest != approved.digest || len(c.changedFiles(approved.files)) > 0 {
			return d, false, nil
		}
		c.files = approved.files
	}
	if answer.Read {
		for _, path := range request.Unseen {
			if err := p.opt.AllowRead(path); err != nil {
				return denied("it cannot be started: "+detail(err), ""), true, nil
			}
		}
	}
	return d, true, nil
}

// request returns what the user is shown about a call.
func (p *Policy) request(c *Call, status sandbox.Status) Request {
	before, known := p.approved[c.name()]
	changed := c.changedSinceSeen()
	if known {
		changed = c.changedFiles(before.files)
	}
	return Request{
		Skill: c.Skill.Name, Script: c.Script.Name, Arguments: c.arguments, Command: c.Command,
		Args: c.Args, Source: c.source, Dir: p.opt.Dir, Sandbox: status.Name, NotEnforced: status.NotEnforced,
		AllowedTools: strings.Join(strings.Fields(c.Skill.AllowedTools), " "),
		Changed:      len(changed) > 0 || known && before.digest != c.digest || !known && c.changed(),
		ChangedFiles: changed, Files: c.filesDigest(), Unseen: p.unseen(c),
	}
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
