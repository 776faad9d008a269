package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/script"
)

// ErrUnknownScript says that a skill has no script of a name; the error that
// wraps it has a method Hint() string with those it has.
var ErrUnknownScript = errors.New("no such script")

// Find resolves a call that no model made, as the tool does. The error is an
// [ErrUnknownSkill], an [ErrUnknownScript], or says why the script cannot be
// run; with a call, it is why the script cannot be started.
func (p *Provider) Find(ctx context.Context, skillName, scriptName string, arguments json.RawMessage) (*Call, error) {
	skill, contents, err := p.loadSkill(ctx, skillName)
	if err != nil {
		return nil, err
	}
	found, names, similar := findScript(contents, scriptName)
	if found.Name == "" {
		text := fmt.Sprintf("script %q not found in skill %q", scriptName, skill.Name)
		if blank(scriptName) {
			text = fmt.Sprintf("no script of skill %q is named", skill.Name)
		}
		return nil, &hintedError{text, offer("scripts", names, similar), ErrUnknownScript}
	}
	call, err := p.newCall(skill, found, arguments)
	if err != nil {
		return nil, err
	}
	return call, call.err
}

// Scripts returns the names of a skill's scripts, none for an unknown skill.
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

// ScriptRun returns the script that a model's call of run_skill_script names, as
// a recorder gets it, for those who decide before the policy does. ok is
// false for other tools, and for what cannot be run.
func (p *Provider) ScriptRun(ctx context.Context, call agent.ToolCall) (run ScriptRun, ok bool) {
	in, fault := agent.DecodeArguments[runInput](runTool, call.Arguments)
	if call.Name != runTool || fault != "" {
		return ScriptRun{}, false
	}
	c, err := p.list(ctx)
	if err != nil {
		return ScriptRun{}, false
	}
	found := toolSet{p, c}.resolve(ctx, in).call
	if found == nil {
		return ScriptRun{}, false
	}
	return found.record(&agent.Invocation{Call: call}), true
}

// maxSource is how much of a script a person is shown.
const maxSource = 1 << 20

// source returns the beginning of the script's text, if it is the one that was
// resolved.
func (c *Call) source() (string, error) {
	if !c.isFile() {
		return "", nil
	}
	file := c.file()
	file.Digest = c.digest
	text, size, err := script.Source(file, maxSource)
	if err != nil || size == int64(len(text)) {
		return string(text), err
	}
	return fmt.Sprintf("%s\n(%d bytes more)", strings.ToValidUTF8(string(text), ""), size-int64(len(text))), nil
}
