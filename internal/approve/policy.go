// Package approve decides on actions that need approval: by the flags of the run, by
// an earlier answer, or by asking the person at the terminal.
//
// The decision is about an [agent.Approval], whatever its tool: the package knows no
// tools, only kinds of actions, whose flags and words are in one table.
package approve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/script"
)

// Mode is the value of --approve.
type Mode string

// The modes of --approve.
const (
	Ask    Mode = "ask"    // ask the user; also the empty string
	Always Mode = "always" // run without asking
	Never  Mode = "never"  // do not run
	Later  Mode = "later"  // end the run at the first question
)

// noSandbox is the name of the sandbox if there is none.
const noSandbox = "none"

// ErrNoUser is returned if approval is required and no user is available.
var ErrNoUser = errors.New("no one is available")

// Request holds what the user needs for a decision.
type Request struct {
	*agent.Approval
	Sandbox      string   // name of the sandbox, "none", or "" if none is needed
	NotEnforced  []string // what the sandbox does not enforce
	Digest       string   // of the content; "" if nothing can change
	Changed      bool     // the content changed since it was approved or listed
	ChangedFiles []string // names of what changed, as far as they are known
	Unseen       []string // existing files that the call names and the sandbox hides
	Session      bool     // answers can be kept in the session

	waits bool // an earlier run left the call open
}

// Answer is the user's decision.
type Answer struct {
	Approved bool
	Scope    Scope  // what is approved from now on
	Session  bool   // for the session, not only for the run
	Reason   string // for the model
	Read     bool   // allow it to read the files of Unseen
}

// Asker prompts the user. The error is an [ErrNoUser] if no one can answer.
type Asker func(ctx context.Context, request Request) (Answer, error)

// Options configures a [Policy].
type Options struct {
	Mode Mode
	// Scripts and Tools hold patterns of --allow-script and --allow-tool; what they
	// match runs without asking, in every mode.
	Scripts, Tools []Pattern
	// Commands and Edits hold the patterns of --allow-command and --allow-edit.
	Commands []CommandPattern
	Edits    []EditPattern
	// Trusted are the skills whose own allowed-tools approve what they name by a pattern
	// (--trust-allowed-tools).
	Trusted []string
	// Ask prompts the user and is never called concurrently. If it is nil or returns
	// ErrNoUser, the call is denied. Another error ends the call, but not the run.
	Ask Asker
	// Keeps means that the session outlives the run, so that answers can be kept in it.
	Keeps bool
	// Answers are answers to calls that waited when the run began, by their ids.
	Answers map[string]Answer
	// Unsandboxed is true if the user allows programs without a sandbox (--sandbox
	// off). Otherwise one runs without approval only in a sandbox, and the user
	// decides on one without.
	Unsandboxed bool
}

// Policy decides on actions, with the options of a run and the answers of its user.
type Policy struct {
	opt Options

	mu       sync.Mutex               // held while the user is prompted
	approved map[string]agent.Content // the last one of each action, nil if nothing can change
	standing []given                  // answers for the rest of the run
}

// New returns a policy. An unknown mode is an error.
func New(opt Options) (*Policy, error) {
	switch opt.Mode {
	case "":
		opt.Mode = Ask
	case Ask, Always, Never, Later:
	default:
		return nil, fmt.Errorf("unknown approval mode %q (ask, always, never or later)", opt.Mode)
	}
	return &Policy{opt: opt, approved: map[string]agent.Content{}}, nil
}

// Approve implements [agent.Approver]. A call that an earlier run left open goes on waiting
// if nobody can answer.
func (p *Policy) Approve(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	if p.settled(a) || inv == nil {
		return p.decide(ctx, inv, a)
	}
	d, done, err := p.answered(ctx, inv, a)
	if done || err != nil {
		return d, err
	}
	nobody := inv.Resumed() && p.opt.Ask == nil && (p.opt.Mode == Ask || a.Attended)
	if p.opt.Mode == Later || nobody {
		return p.postpone(ctx, inv, a)
	}
	return p.decide(ctx, inv, a)
}

// settled reports whether the decision on an action needs no question.
func (p *Policy) settled(a *agent.Approval) bool {
	return a.Blocked != nil || p.opt.Mode == Never || p.allowedCall(a) != ""
}

// Offers reports whether an action could be approved: it cannot if nothing runs
// (--approve never) and no pattern names it.
func (p *Policy) Offers(action agent.Summary) bool {
	return p.opt.Mode != Never || p.allowed(action) != ""
}

// Decide applies the rules to an action, in order, and grants what it approves. Afterwards
// the approval's Action is that of the content which was decided on. The decision's By is
// "flag" (--approve always, --allow-script, --allow-tool), "policy" (--approve never, no
// user available, no sandbox) or "user".
func (p *Policy) Decide(ctx context.Context, a *agent.Approval) (agent.Decision, error) {
	return p.decide(ctx, nil, a)
}

// decide decides on the action of a call, nil for none.
func (p *Policy) decide(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	session := sessionOf(inv)
	if a.Blocked != nil { // this may change before it runs
		return denied("it cannot be started: "+a.Blocked.Error(), ""), nil
	}
	if flag := p.allowedCall(a); flag != "" {
		return p.unattended(ctx, a, flag)
	}
	switch k := kindOf(a.Action); {
	case p.opt.Mode == Never:
		return denied(k.never, "re-run without --approve never to be asked "+k.before), nil
	case a.Attended && p.opt.Ask == nil:
		return denied("only a person can allow this change, and "+ErrNoUser.Error(), "run it at a terminal to be asked"), nil
	case a.Attended:
		return p.ask(ctx, inv, a)
	case p.opt.Mode == Always:
		return p.unattended(ctx, a, "--approve always")
	case p.opt.Ask == nil && p.stands(session, a):
		return p.ask(ctx, inv, a) // what does not stand is denied
	case p.opt.Ask == nil || p.opt.Mode == Later: // a call outside of a run cannot wait
		return p.denyUnattended(ctx, a, ErrNoUser), nil
	}
	return p.ask(ctx, inv, a)
}

// allowed returns the flag with the first pattern that matches an action, or "".
func (p *Policy) allowed(action agent.Summary) string {
	k := kindOf(action)
	for _, pattern := range k.patterns(p.opt) {
		if pattern.Matches(action.Owner, action.Name) {
			return k.flag + " " + pattern.Text
		}
	}
	return ""
}

// allowedCall is allowed for an action with all that is known about it.
func (p *Policy) allowedCall(a *agent.Approval) string {
	if a.Attended {
		return ""
	}
	switch a.Action.Kind {
	case agent.KindCommand:
		return cmp.Or(p.allowedCommand(a), p.trusted(a))
	case agent.KindEdit:
		for _, pattern := range p.opt.Edits {
			if pattern.Matches(a.Action.Name) {
				return "--allow-edit " + pattern.Text
			}
		}
		return p.trusted(a)
	}
	return p.allowed(a.Action)
}

// allowedCommand returns the flag that approves a command line: each of its commands must
// match a pattern, and nothing else may be in it.
func (p *Policy) allowedCommand(a *agent.Approval) string {
	if a.Opaque != "" || len(a.Parts) == 0 {
		return ""
	}
	flag := ""
	for _, words := range a.Parts {
		i := slices.IndexFunc(p.opt.Commands, func(pattern CommandPattern) bool { return pattern.Matches(a.Action.Owner, words) })
		if i < 0 {
			return ""
		}
		if flag == "" {
			flag = "--allow-command " + printable.ShellWord(p.opt.Commands[i].Text)
		}
	}
	return flag
}

// unattended decides on an action that a flag approves: without a user, a program runs
// only unchanged and in a sandbox.
func (p *Policy) unattended(ctx context.Context, a *agent.Approval, flag string) (agent.Decision, error) {
	if a.Sandbox != nil && !p.opt.Unsandboxed {
		box, err := a.Sandbox(ctx)
		switch {
		case context.Cause(ctx) != nil:
			return agent.Decision{}, context.Cause(ctx)
		case err != nil:
			return notStarted(a, err), nil
		case box.Name == noSandbox:
			what := kindOf(a.Action).plural
			return denied("no sandbox works here, and unattended "+what+" need one", "re-run with --sandbox off to run "+what+" without a sandbox"), nil
		}
	}
	if a.Content != nil {
		names, changed := a.Content.Unlisted()
		if changed {
			return unlisted(a, names), nil
		}
	}
	return grant(a, agent.Terms{Unsandboxed: p.opt.Unsandboxed, Content: a.Content}, agent.Decision{Approved: true, By: "flag", Reason: flag}), nil
}

// grant passes the terms of an approval to the action; it denies what cannot be granted.
func grant(a *agent.Approval, terms agent.Terms, d agent.Decision) agent.Decision {
	if a.Grant == nil {
		return d
	}
	if err := a.Grant(terms); err != nil {
		return denied("it cannot be started: "+err.Error(), "")
	}
	return d
}

// notStarted denies a program whose sandbox cannot be built. The hint has flags, which
// the model does not need.
func notStarted(a *agent.Approval, err error) agent.Decision {
	text := err.Error()
	if hint := fault.Hint(err); hint != "" {
		text += " (" + hint + ")"
	}
	return denied("it cannot be started: "+err.Error(), a.Action.Target()+" was not run: "+text)
}

// unlisted denies an unattended program whose content changed.
func unlisted(a *agent.Approval, names []string) agent.Decision {
	reason := "the script changed after it was loaded and has not been approved"
	if len(names) > 0 && !slices.Contains(names, a.Action.Name) {
		reason = "files of the skill changed after it was loaded and have not been approved: " + script.Names(names)
	}
	return denied(reason, "review the changes of the skill "+a.Action.Owner+", then start again to allow them")
}

// maxPrompts is how often the user is asked about one call whose content changes.
const maxPrompts = 3

// sessionOf returns the session of a call, nil for none.
func sessionOf(inv *agent.Invocation) *agent.Session {
	if inv == nil {
		return nil
	}
	return inv.Session
}

// ask prompts the user, unless the answer is already known.
func (p *Policy) ask(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	s := sessionOf(inv)
	request := Request{Approval: a, Session: p.opt.Keeps && s != nil, waits: inv != nil && inv.Resumed()}
	if a.Sandbox != nil {
		box, err := a.Sandbox(ctx)
		if err != nil {
			return notStarted(a, err), context.Cause(ctx)
		}
		request.Sandbox, request.NotEnforced = box.Name, box.NotEnforced
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// Another prompt was open meanwhile.
	for range maxPrompts {
		now, err := read(ctx, a)
		if err != nil {
			return denied("it cannot be started: "+err.Error(), ""), context.Cause(ctx)
		}
		if now != nil {
			a.Action = now.Action()
		}
		if how := p.remembers(s, a, now, request.Sandbox); how != "" {
			return p.remembered(a, now, request.Sandbox, how), nil
		}
		if p.opt.Ask == nil {
			return p.denyUnattended(ctx, a, ErrNoUser), nil
		}
		d, unchanged, err := p.prompt(ctx, s, request, now)
		if err != nil || unchanged || !d.Approved {
			return d, err
		}
	}
	return denied("files of the skill changed while you were asked", ""), nil
}

// read reads the content of an action as it is now; nil if nothing can change.
func read(ctx context.Context, a *agent.Approval) (agent.Content, error) {
	if a.Read == nil {
		return nil, nil
	}
	return a.Read(ctx)
}

// key identifies an action for later calls.
func key(a *agent.Approval) string {
	return strings.Join([]string{a.Action.Kind, a.Action.Owner, a.Action.Name}, "\x00")
}

// remembered approves an action that the user approved before.
func (p *Policy) remembered(a *agent.Approval, now agent.Content, sandbox, how string) agent.Decision {
	terms := agent.Terms{Unsandboxed: sandbox == noSandbox, Content: now}
	return grant(a, terms, agent.Decision{Approved: true, By: "user", Reason: "approved for the rest of the " + how})
}

// prompt prompts the user. unchanged is false if the content changed meanwhile, so that
// the answer is for another one.
func (p *Policy) prompt(ctx context.Context, s *agent.Session, request Request, now agent.Content) (d agent.Decision, unchanged bool, err error) {
	err = context.Cause(ctx)
	if err != nil {
		return agent.Decision{}, false, err
	}
	a := request.Approval
	p.describe(&request, now)
	answer, err := p.opt.Ask(ctx, request)
	switch {
	case errors.Is(err, ErrNoUser) && request.waits: // it goes on waiting
		return agent.Decision{By: "nobody", Reason: err.Error()}, true, nil
	case errors.Is(err, ErrNoUser):
		return p.denyUnattended(ctx, a, err), true, nil
	case err != nil:
		return agent.Decision{}, false, err
	}
	d = agent.Decision{Approved: answer.Approved, By: "user", Reason: answer.Reason}
	if !answer.Approved {
		return d, true, nil
	}
	p.approved[key(a)] = now
	if now != nil {
		after, err := read(ctx, a)
		if err != nil {
			return denied("it cannot be started: "+err.Error(), ""), true, context.Cause(ctx)
		}
		_, changed := after.Changed(now)
		if changed {
			return d, false, nil
		}
	}
	err = p.remember(s, a, now, answer, request.Sandbox)
	if err != nil {
		return agent.Decision{}, false, err
	}
	terms := agent.Terms{Unsandboxed: request.Sandbox == noSandbox, Content: now}
	if answer.Read {
		terms.Read = request.Unseen
	}
	return grant(a, terms, d), true, nil
}

// describe completes a request with what is known about the content.
func (p *Policy) describe(request *Request, now agent.Content) {
	request.Unseen = unseen(request.Approval)
	if now == nil {
		return
	}
	request.Digest = now.Digest()
	before, known := p.approved[key(request.Approval)]
	if known {
		request.ChangedFiles, request.Changed = now.Changed(before)
	} else {
		request.ChangedFiles, request.Changed = now.Unlisted()
	}
}

// denyUnattended denies a call because no user is available.
func (p *Policy) denyUnattended(ctx context.Context, a *agent.Approval, why error) agent.Decision {
	k := kindOf(a.Action)
	flags := ""
	for _, path := range unseen(a) {
		flags += " --allow-read '" + path + "'"
	}
	if a.Sandbox != nil && !p.opt.Unsandboxed {
		if box, err := a.Sandbox(ctx); err != nil || box.Name == noSandbox {
			flags = " --sandbox off"
		}
	}
	missing := k.plural + " need approval and " + why.Error()
	allow := "--approve always"
	switch {
	case a.Action.Kind == agent.KindCommand:
		allow = allowCommands(a)
		if allow == "" {
			return denied(missing, "run it at a terminal to be asked, or re-run with -y"+flags+" to allow everything")
		}
	case a.Action.Kind == agent.KindEdit:
		allow = k.flag + " " + printable.ShellWord(a.Action.Name)
	case k.flag != "":
		allow = k.flag + " '" + a.Action.Target() + "'"
	}
	return denied(missing, "re-run with "+allow+flags+" to allow it")
}

// maxSuggested is how many patterns a denial suggests.
const maxSuggested = 4

// allowCommands returns the flags that approve all commands of a line, or "".
func allowCommands(a *agent.Approval) string {
	if a.Opaque != "" {
		return ""
	}
	var all []string
	for _, words := range a.Parts {
		pattern, ok := commandPattern(a.Action.Owner, words)
		if !ok {
			return ""
		}
		flag := kindOf(a.Action).flag + " " + printable.ShellWord(pattern)
		if !slices.Contains(all, flag) {
			all = append(all, flag)
		}
	}
	if len(all) > maxSuggested {
		return ""
	}
	return strings.Join(all, " ")
}

// unseen returns the files that the sandbox would hide.
func unseen(a *agent.Approval) []string {
	if a.Unseen == nil {
		return nil
	}
	return a.Unseen()
}

// denied denies a call: the reason is for the model, the hint for the user.
func denied(reason, hint string) agent.Decision {
	return agent.Decision{By: "policy", Reason: reason, Hint: hint}
}
