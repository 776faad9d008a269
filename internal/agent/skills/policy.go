package skills

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/script"
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
	// Sandbox is the confinement that will be in force; "none" and "" for none.
	Sandbox string
	// Gaps is what that leaves open, for the person who is asked.
	Gaps []string
	// Confinement tells Sandbox and Gaps when a script file is decided on for the
	// first time, in their place: to find them out takes time, and most runs run
	// no script. Nil for what stands there.
	Confinement func() (sandbox string, gaps []string)
	// Unconfined says that a person wants scripts to run without confinement.
	// Without it, Always does not run files where Sandbox is none: what nobody
	// watches has to be confined.
	Unconfined bool
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
	Sandbox      string   // confinement, "none" for none
	AllowedTools string   // what the skill asks to use, which allows nothing by itself
	Changed      bool     // whether the script is another since it was approved or listed
	Gaps         []string // what it leaves open
}

// Answer is a person's decision.
type Answer struct {
	Approved bool
	Remember bool   // approve this script from now on, with any arguments
	Reason   string // told to the model
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
	confinement := opt.Confinement
	if confinement == nil {
		confinement = func() (string, []string) { return opt.Sandbox, opt.Gaps }
	}
	opt.Confinement = sync.OnceValues(func() (string, []string) {
		sandbox, gaps := confinement()
		return cmp.Or(sandbox, "none"), gaps
	})
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
		err = p.record(ctx, inv, plan, agent.Decision{Approved: true, By: "policy", Reason: "the skill is trusted"}, nil)
		return agent.Decision{}, err != nil, err
	}
	if plan.script.Call == nil {
		if plan.digest, err = script.Digest(plan.file()); err != nil {
			unread := denied("it cannot be read: " + detail(err))
			return unread, true, p.record(ctx, inv, plan, unread, nil)
		}
	}
	decision, err := p.decide(ctx, plan)
	if err = p.record(ctx, inv, plan, decision, err); err == nil && decision.Approved {
		err = state().Update(inv.Session, func(r *record) error {
			if r.approved == nil {
				r.approved = map[string]string{}
			}
			r.approved[inv.Call.ID] = plan.digest
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
func (p *Policy) decide(ctx context.Context, plan plan) (agent.Decision, error) {
	for _, rule := range p.allow {
		if rule.matches(plan.skill.Name, plan.script.Name) && plan.changed() {
			return changed(), nil
		}
		if rule.matches(plan.skill.Name, plan.script.Name) {
			return agent.Decision{Approved: true, By: "flag", Reason: "--allow-script " + rule.text}, nil
		}
	}
	switch p.opt.Mode {
	case Never:
		return denied("scripts are not run here (--approve never)"), nil
	case Always:
		if plan.script.Call == nil && p.unconfined() {
			return denied("scripts cannot be confined here, and without a person to watch them they are only run confined; --sandbox off runs them all the same"), nil
		}
		if plan.changed() {
			return changed(), nil
		}
		return agent.Decision{Approved: true, By: "flag", Reason: "--approve always"}, nil
	}
	if p.opt.Ask == nil {
		return p.nobody(plan, ErrNobody), nil
	}
	return p.ask(ctx, plan)
}

// ask asks the person, unless the answer is known.
func (p *Policy) ask(ctx context.Context, plan plan) (agent.Decision, error) {
	sandbox, gaps := "none", []string(nil)
	if plan.script.Call == nil {
		sandbox, gaps = p.opt.Confinement()
	}
	request := Request{
		Skill: plan.skill.Name, Script: plan.script.Name, Arguments: plan.arguments,
		Args: plan.args, Source: plan.source, Dir: p.opt.Dir, Sandbox: sandbox, Gaps: gaps, AllowedTools: strings.Join(strings.Fields(plan.skill.AllowedTools), " "),
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
	if p.remembered[key] {
		return agent.Decision{Approved: true, By: "user", Reason: "approved for the rest of the run"}, nil
	}
	if err := context.Cause(ctx); err != nil {
		return agent.Decision{}, err
	}
	before, known := p.approved[name]
	request.Changed = known && before != plan.digest || !known && plan.changed()
	answer, err := p.opt.Ask(ctx, request)
	switch {
	case errors.Is(err, ErrNobody):
		return p.nobody(plan, err), nil
	case err != nil:
		return agent.Decision{}, err
	}
	if answer.Approved {
		p.approved[name] = plan.digest
		p.remembered[key] = answer.Remember
	}
	return agent.Decision{Approved: answer.Approved, By: "user", Reason: answer.Reason}, nil
}

// nobody is the answer where nobody is there to give one.
func (p *Policy) nobody(plan plan, why error) agent.Decision {
	return denied(fmt.Sprintf("%v; to run it without asking, start with --allow-script '%s/%s'%s",
		why, plan.skill.Name, plan.script.Name, p.always(plan)))
}

// unconfined reports whether script files would run without confinement that
// nobody has given up in words.
func (p *Policy) unconfined() bool {
	if p.opt.Unconfined {
		return false
	}
	sandbox, _ := p.opt.Confinement()
	return sandbox == "none"
}

// always names the way to run every script like this one without asking; a
// function is part of this program and needs no confinement.
func (p *Policy) always(plan plan) string {
	if plan.script.Call == nil && p.unconfined() {
		return ", or with -y and --sandbox off"
	}
	return ", or with -y"
}

// changed is the answer where nobody looks at what a script has become.
func changed() agent.Decision {
	return denied("the script has changed since the skill was loaded, and what it is now nobody has seen")
}

func denied(reason string) agent.Decision { return agent.Decision{By: "policy", Reason: reason} }
