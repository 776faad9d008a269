package skills

import (
	"context"
	"errors"
	"strings"

	"skills/internal/agent"
	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// approval is an approval by the user: of a script with all files of its skill.
type approval struct {
	digest string
	files  files.Snapshot
	always bool
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
