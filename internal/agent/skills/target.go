package skills

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/script"
)

// ErrUnknownScript says that a skill has no script of a name; the error that
// wraps it has a method Hint() string with those it has.
var ErrUnknownScript = errors.New("no such script")

// unknownScript is an ErrUnknownScript with its names and a hint.
type unknownScript struct{ skill, name, hint string }

func (e *unknownScript) Error() string {
	if blank(e.name) {
		return fmt.Sprintf("no script of skill %q is named", e.skill)
	}
	return fmt.Sprintf("script %q not found in skill %q", e.name, e.skill)
}
func (e *unknownScript) Unwrap() error { return ErrUnknownScript }

// Hint lists the scripts there are and the nearest name.
func (e *unknownScript) Hint() string { return e.hint }

// Target is a script that was found by its name, and what it is to be given:
// a call of run_skill_script without a model.
type Target struct {
	Skill   *loader.Skill
	Script  loader.Script
	Args    []string // the words for a file; nil for a function
	Command []string // the command line of a file; nil for a function

	provider *Provider
	plan     plan
}

// Find looks a script up as the tool does, in its names and its arguments. The
// error is an [ErrUnknownSkill], an [ErrUnknownScript], or says why the script
// could not be run.
func (p *Provider) Find(ctx context.Context, skillName, scriptName string, arguments json.RawMessage) (*Target, error) {
	c, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	match, near := loader.Lookup(c.names, skillName)
	if match == "" {
		return nil, c.unknown(skillName, near)
	}
	skill, _ := c.find(match)
	contents, err := contentsOf(ctx, skill)
	if err != nil {
		return nil, fmt.Errorf("loading skill %q: %w", skill.Name, err)
	}
	found, names, near := findScript(contents, scriptName)
	if found.Name == "" {
		return nil, &unknownScript{skill.Name, scriptName, offer("scripts", names, near)}
	}
	t := &Target{Skill: skill, Script: found, provider: p, plan: plan{skill: skill, script: found, arguments: bytes.Clone(arguments)}}
	if err := (kit{p, c}).check(&t.plan); err != nil {
		return nil, err
	}
	t.Args = t.plan.args
	if found.Call == nil {
		if t.Command, err = p.opt.Runner.Command(t.plan.file(), t.Args); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Scripts returns the names of a skill's scripts, none for a skill there is
// not.
func (p *Provider) Scripts(ctx context.Context, skillName string) ([]string, error) {
	c, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	skill, _ := c.find(skillName)
	if skill == nil {
		return nil, nil
	}
	contents, err := contentsOf(ctx, skill)
	_, names, _ := findScript(contents, "")
	return names, err
}

// findScript looks a script up among those of a skill. Without one, near holds
// names like it.
func findScript(contents loader.Contents, name string) (found loader.Script, names, near []string) {
	for _, s := range contents.Scripts {
		names = append(names, s.Name)
	}
	match, near := loader.Lookup(names, name)
	if match == "" {
		return loader.Script{}, names, near
	}
	for _, s := range contents.Scripts {
		if s.Name == match {
			found = s
			break
		}
	}
	return found, names, nil
}

// Decide applies the policy to a target, as Approve does to a call. What is
// approved is what it is now: a file that changes afterwards is not run.
func (p *Policy) Decide(ctx context.Context, t *Target) (agent.Decision, error) {
	if err := t.fix(); err != nil {
		return agent.Decision{}, err
	}
	return p.decide(ctx, &t.plan)
}

// fix notes what the script's file was when it was listed, or is now.
func (t *Target) fix() (err error) {
	if t.Script.Call == nil && t.plan.digest == "" {
		if t.plan.digest = t.Script.Digest; t.plan.digest != "" {
			return nil
		}
		t.plan.digest, err = script.Digest(t.plan.file())
	}
	return err
}

// Run runs the script as the tool does. An error says why it was not started;
// of a function, why it failed, and its text is the standard output.
func (t *Target) Run(ctx context.Context) (script.Result, error) {
	if err := t.fix(); err != nil {
		return script.Result{}, err
	}
	if t.Script.Call == nil {
		return t.provider.opt.Runner.Run(ctx, t.plan.file(), t.plan.args)
	}
	got, err := callFunction(ctx, t.plan)
	if err != nil {
		return script.Result{}, err
	}
	return script.Result{Stdout: got.Text, Sandbox: "none"}, nil
}
