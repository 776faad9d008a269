package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// Mode says what happens before a script runs.
type Mode string

// The modes of --approve.
const (
	Ask    Mode = "ask"    // a person decides; also the empty string
	Always Mode = "always" // it runs
	Never  Mode = "never"  // it does not
)

// PolicyOptions are the rules of a [Policy].
type PolicyOptions struct {
	Mode Mode
	// Allow holds patterns over "skill/script"; what matches runs without
	// asking, whatever the mode. See [NewPolicy].
	Allow []string
	// Ask asks a person, one question at a time; nil where there is nobody to
	// ask, which means no, and so does an error that is ErrNobody. Another error
	// ends the call, not the run.
	Ask func(ctx context.Context, request Request) (Answer, error)
	// Trusted says which skills may run their scripts without a question, such
	// as those that are built in; nil means none.
	Trusted func(skill *loader.Skill) bool
	// Dir is the scripts' working directory, for the person who is asked.
	Dir string
	// Sandbox tries the sandbox when a script file is decided on for the first
	// time: most runs run no script. Its error says why scripts cannot be run
	// here at all. Nil for no sandbox.
	Sandbox func(ctx context.Context) (sandbox.Status, error)
	// Unconfined says that a person wants scripts to run without a sandbox
	// (--sandbox off). Without it, files run unattended only in a sandbox, and a
	// person who is asked decides on a script without one.
	Unconfined bool
	// Unseen are the existing files that a script's arguments, or the prompt,
	// name and that its sandbox does not show; nil for none. AllowRead shows one
	// of them to all scripts from then on.
	Unseen    func(s script.Script, args []string) []string
	AllowRead func(path string) error
}

// ErrNobody says that there is nobody to ask, now or ever.
var ErrNobody = errors.New("no terminal to ask at")

// Request is what a person needs to see to decide.
type Request struct {
	Skill, Script string
	Command       []string        // exact command line; nil for a script that is a function
	Args          []string        // the script's own part of the command line
	Arguments     json.RawMessage // as the model wrote them
	// Source returns the text of the script that would run, at most 1 MiB of it;
	// an error says why that cannot be shown. It is empty for a function.
	Source       func() (string, error)
	Dir          string   // working directory
	Sandbox      string   // "none" for none
	AllowedTools string   // what the skill asks to use, which allows nothing by itself
	Changed      bool     // whether the script is another since it was approved or listed
	Gaps         []string // what the sandbox does not enforce
	Unseen       []string // existing files that it names and that the sandbox does not show
}

// Answer is a person's decision.
type Answer struct {
	Approved bool
	Remember bool   // approve this script from now on, with any arguments
	Reason   string // told to the model
	Read     bool   // let it read the files of Unseen
}

// Policy decides which calls of run_skill_script may run.
type Policy struct {
	opt      PolicyOptions
	provider *Provider
	allow    []pattern

	mu         sync.Mutex // held while a person is asked
	remembered map[string]bool
	approved   map[string]string // digest of each script when the person last approved it
}

// NewPolicy returns the policy for the provider's tool. A pattern is a skill
// and a script with a slash between them. Both may hold * ? and [..], and in
// the script's part they also match slashes: "pdf/*" means all scripts of the
// skill pdf, "*/*.py" all Python scripts. A pattern that cannot be read, and a
// mode there is not, are errors.
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
	p := &Policy{opt: opt, provider: provider, remembered: map[string]bool{}, approved: map[string]string{}}
	for _, text := range opt.Allow {
		parsed, err := newPattern(text)
		if err != nil {
			return nil, err
		}
		p.allow = append(p.allow, parsed)
	}
	return p, nil
}

// Approve is the policy as an [agent.Approver]. Names are looked up exactly as
// the tool looks them up; a call that the tool is going to refuse needs no
// approval. The decision's By is "flag" (--approve always, --allow-script),
// "policy" (--approve never, nobody to ask, no confinement) or "user".
func (p *Policy) Approve(ctx context.Context, inv *agent.Invocation) (agent.Decision, bool, error) {
	if inv.Tool == nil || inv.Tool.Name != runTool {
		return agent.Decision{}, false, nil
	}
	plan, ok, err := p.resolve(ctx, inv)
	if end := context.Cause(ctx); end != nil && err == nil {
		return agent.Decision{}, true, end // the names were not looked up to the end
	}
	if err != nil || !ok {
		return agent.Decision{}, false, err
	}
	if p.opt.Trusted != nil && p.opt.Trusted(plan.skill) {
		if err = p.record(ctx, inv, plan, agent.Decision{Approved: true, By: "policy", Reason: "the skill is trusted"}, nil); err == nil {
			err = state().Update(inv.Session, func(r *record) error {
				if r.approved == nil {
					r.approved = map[string]approval{}
				}
				r.approved[inv.Call.ID] = approval{unsandboxed: true}
				return nil
			})
		}
		return agent.Decision{}, err != nil, err
	}
	if plan.script.Call == nil {
		if plan.digest, err = script.Digest(plan.file()); err != nil {
			unread := denied("it cannot be read: " + detail(err))
			return unread, true, p.record(ctx, inv, plan, unread, nil)
		}
	}
	decision, err := p.decide(ctx, &plan)
	if err = p.record(ctx, inv, plan, decision, err); err == nil && decision.Approved {
		err = state().Update(inv.Session, func(r *record) error {
			if r.approved == nil {
				r.approved = map[string]approval{}
			}
			r.approved[inv.Call.ID] = approval{plan.digest, plan.unsandboxed}
			return nil
		})
	}
	return decision, true, err
}

// resolve finds what the tool is going to run.
func (p *Policy) resolve(ctx context.Context, inv *agent.Invocation) (found plan, ok bool, err error) {
	var c *catalogue
	if err := state().View(inv.Session, func(r record) { c = r.catalogue }); err != nil {
		return plan{}, false, err
	}
	if c == nil {
		return plan{}, false, errors.New("deciding on a script: the skills are not known yet")
	}
	return kit{p.provider, c}.resolve(ctx, inv)
}

// decide applies the rules in their order.
func (p *Policy) decide(ctx context.Context, plan *plan) (agent.Decision, error) {
	for _, rule := range p.allow {
		if rule.matches(plan.skill.Name, plan.script.Name) {
			return p.unattended(ctx, plan, "--allow-script "+rule.text)
		}
	}
	switch p.opt.Mode {
	case Never:
		return denied("scripts are not run here (--approve never)"), nil
	case Always:
		return p.unattended(ctx, plan, "--approve always")
	}
	if p.opt.Ask == nil {
		return p.nobody(ctx, plan, ErrNobody), nil
	}
	return p.ask(ctx, plan)
}

// unattended decides on a script that a flag approves: without a person who
// looks, a file runs only unchanged and in a sandbox.
func (p *Policy) unattended(ctx context.Context, plan *plan, flag string) (agent.Decision, error) {
	if plan.script.Call == nil && !p.opt.Unconfined {
		status, err := p.opt.Sandbox(ctx)
		switch {
		case context.Cause(ctx) != nil:
			return agent.Decision{}, context.Cause(ctx)
		case err != nil:
			return denied("it cannot be started: " + detail(err)), nil
		case status.Name == sandbox.None:
			return denied("no sandbox works here, and unattended scripts need one; pass --sandbox off to run them without"), nil
		}
	}
	if plan.changed() {
		return changed(), nil
	}
	plan.unsandboxed = p.opt.Unconfined
	return agent.Decision{Approved: true, By: "flag", Reason: flag}, nil
}

// ask asks the person, unless the answer is known.
func (p *Policy) ask(ctx context.Context, plan *plan) (agent.Decision, error) {
	status := sandbox.Status{Name: sandbox.None}
	if plan.script.Call == nil {
		var err error
		if status, err = p.opt.Sandbox(ctx); err != nil {
			return denied("it cannot be started: " + detail(err)), context.Cause(ctx)
		}
	}
	request := Request{
		Skill: plan.skill.Name, Script: plan.script.Name, Arguments: plan.arguments,
		Args: plan.args, Source: plan.source, Dir: p.opt.Dir, Sandbox: status.Name, Gaps: status.NotEnforced, AllowedTools: strings.Join(strings.Fields(plan.skill.AllowedTools), " "),
	}
	if plan.script.Call == nil {
		var err error
		if request.Command, err = p.provider.opt.Runner.Command(plan.file(), plan.args); err != nil {
			// Nobody is asked about what cannot be shown. It is a denial, for
			// by the time it would run, it might be able to.
			return denied("it cannot be started: " + detail(err)), nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// A script that has changed is another script.
	name := plan.skill.Name + "/" + plan.script.Name
	key := name + "/" + plan.digest
	plan.unsandboxed = status.Name == sandbox.None
	if p.remembered[key] {
		return agent.Decision{Approved: true, By: "user", Reason: "approved for the rest of the run"}, nil
	}
	if err := context.Cause(ctx); err != nil {
		return agent.Decision{}, err
	}
	before, known := p.approved[name]
	request.Changed = known && before != plan.digest || !known && plan.changed()
	request.Unseen = p.unseen(plan)
	answer, err := p.opt.Ask(ctx, request)
	switch {
	case errors.Is(err, ErrNobody):
		return p.nobody(ctx, plan, err), nil
	case err != nil:
		return agent.Decision{}, err
	}
	if answer.Approved {
		for _, path := range request.Unseen {
			if !answer.Read {
				break
			}
			if err := p.opt.AllowRead(path); err != nil {
				return denied("it cannot be started: " + detail(err)), nil
			}
		}
		p.approved[name] = plan.digest
		p.remembered[key] = answer.Remember
	}
	return agent.Decision{Approved: answer.Approved, By: "user", Reason: answer.Reason}, nil
}

// nobody is the answer where nobody is there to give one.
func (p *Policy) nobody(ctx context.Context, plan *plan, why error) agent.Decision {
	return denied(fmt.Sprintf("%v; to run it without asking, start with --allow-script '%s/%s', or with -y%s",
		why, plan.skill.Name, plan.script.Name, p.withoutSandbox(ctx, plan)))
}

// unseen are the files that the sandbox would not show.
func (p *Policy) unseen(plan *plan) []string {
	if plan.script.Call != nil || p.opt.Unseen == nil {
		return nil
	}
	return p.opt.Unseen(plan.file(), plan.args)
}

// withoutSandbox names the flags that a script file needs besides: where no
// sandbox works, and for the files it names. A function is part of this program
// and needs none.
func (p *Policy) withoutSandbox(ctx context.Context, plan *plan) string {
	if plan.script.Call == nil && !p.opt.Unconfined {
		if status, err := p.opt.Sandbox(ctx); err != nil || status.Name == sandbox.None {
			return "; add --sandbox off, because no sandbox works here"
		}
	}
	if hidden := p.unseen(plan); len(hidden) > 0 {
		return "; add --allow-read '" + strings.Join(hidden, "' --allow-read '") + "', which the sandbox does not show"
	}
	return ""
}

// changed is the answer where nobody looks at what a script has become.
func changed() agent.Decision {
	return denied("the script has changed since the skill was loaded, and what it is now nobody has seen")
}

func denied(reason string) agent.Decision { return agent.Decision{By: "policy", Reason: reason} }
