package skills

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/script"
)

// Reasons why a script that there is cannot be run.
var (
	errNoScripts = errors.New("running scripts is switched off")
	errNoRunner  = errors.New("there is nothing to run script files with")
	errNoFolder  = errors.New("the skill has no folder, so there is no file to run")
)

// plan is a call of run_skill_script with its names resolved.
type plan struct {
	skill     *loader.Skill
	script    loader.Script
	arguments json.RawMessage // JSON, "null" for none
	args      []string        // of a file
	digest    string          // that the file had when it was approved, "" for that when it was listed
	broken    bool            // refused, because it cannot be started

	unsandboxed bool // a person has agreed that it runs without a sandbox
}

// approval is what was approved for a call.
type approval struct {
	digest      string // of the script's file
	unsandboxed bool   // it may run without a sandbox
}

// plan resolves a call. Otherwise refusal says why not, with the framework's
// words and order of checks. The same call always resolves to the same plan,
// so that what is approved is what is run.
func (k kit) plan(ctx context.Context, in runInput) (p plan, refusal string) {
	if !blank(in.SkillName) && blank(in.ScriptName) {
		return plan{}, "Script name cannot be empty."
	}
	skill, contents, refusal := k.open(ctx, in.SkillName)
	if refusal != "" {
		return plan{}, refusal
	}
	found, names, near := findScript(contents, in.ScriptName)
	if found.Name == "" {
		return plan{}, fmt.Sprintf("Script '%s' not found in skill '%s'.\n%s", shown(in.ScriptName), skill.Name, offer("scripts", names, near))
	}
	p = plan{skill: skill, script: found, arguments: in.Arguments}
	if err := k.check(&p); err != nil {
		return plan{broken: true}, p.failed(err)
	}
	return p, ""
}

// check says what keeps a script from being run, and completes the plan.
func (k kit) check(p *plan) error {
	if len(bytes.TrimSpace(p.arguments)) == 0 {
		p.arguments = json.RawMessage("null")
	}
	switch {
	case k.opt.NoScripts:
		return errNoScripts
	case p.script.Call != nil:
		p.arguments = unquoted(p.arguments, p.script.Schema)
		return nil
	case p.skill.Dir == "":
		return errNoFolder
	case k.opt.Runner == nil:
		return errNoRunner
	}
	var err error
	if p.args, err = script.Arguments(p.arguments); err != nil {
		return err
	}
	return fitting(p.args)
}

// Bounds of a command line: what every system, and bubblewrap, starts.
const (
	maxArgs     = 8000
	maxArgument = 128<<10 - 1 // bytes of one; Linux refuses more
)

// fitting refuses arguments that no program can be started with.
func fitting(args []string) error {
	n, longest := 0, 0
	for _, a := range args {
		n, longest = n+len(a)+1, max(longest, len(a))
	}
	switch {
	case len(args) > maxArgs:
		return fmt.Errorf("the argument list is too long for the system: %d bytes in %d arguments, and %d arguments are possible; pass them in a file", n, len(args), maxArgs)
	case longest > maxArgument:
		return fmt.Errorf("an argument is too long for the system: %d bytes, and %d are possible; pass it in a file", longest, maxArgument)
	}
	return nil
}

// failed is the framework's answer for a script that could not be run.
func (p plan) failed(err error) string {
	return fmt.Sprintf("Failed to execute script '%s' from skill '%s'. Exception: %s", p.script.Name, p.skill.Name, detail(err))
}

// changed says whether the file is not the one that was listed any more.
func (p plan) changed() bool {
	return p.script.Digest != "" && p.digest != p.script.Digest
}

// file is the plan's script as the runner takes it.
func (p plan) file() script.Script {
	return script.Script{Skill: p.skill.Name, Name: p.script.Name, Dir: p.skill.Dir, Digest: cmp.Or(p.digest, p.script.Digest), Folder: p.script.Folder, Unsandboxed: p.unsandboxed}
}

// run answers run_skill_script.
func (k kit) run(ctx context.Context, inv *agent.Invocation, in runInput) (agent.ToolResult, error) {
	p, refusal := k.plan(ctx, in)
	if refusal != "" {
		result, err := refuse(ctx, refusal)
		result.Broken = p.broken
		return result, err
	}
	if err := state().View(inv.Session, func(r record) {
		p.digest, p.unsandboxed = r.approved[inv.Call.ID].digest, r.approved[inv.Call.ID].unsandboxed
	}); err != nil {
		return agent.ToolResult{}, err
	}
	result, err := k.perform(ctx, inv, p)
	if err != nil {
		result, err = refuse(ctx, p.failed(err))
		result.Broken = true
	}
	return result, err
}

func (k kit) runFile(ctx context.Context, p plan) (agent.ToolResult, error) {
	got, err := k.opt.Runner.Run(ctx, p.file(), p.args)
	if err != nil {
		return agent.ToolResult{}, err
	}
	return agent.ToolResult{
		Text:      got.Text(),
		Failed:    !got.OK(),
		Truncated: got.Truncated,
		Process:   &agent.Process{ExitCode: got.ExitCode, TimedOut: got.TimedOut, Sandbox: got.Sandbox},
	}, nil
}

func callFunction(ctx context.Context, p plan) (agent.ToolResult, error) {
	text, err := guard(func() (string, error) { return p.script.Call(ctx, p.arguments) })
	if err != nil {
		return agent.ToolResult{}, err
	}
	if text == "" {
		text = "(no output)"
	}
	return agent.ToolResult{Text: strings.ReplaceAll(text, "\x00", string(unicode.ReplacementChar))}, nil
}

// unquoted takes an object out of the JSON string that a model has put it in,
// where the schema asks for an object.
func unquoted(arguments json.RawMessage, schema map[string]any) json.RawMessage {
	var inner string
	if schema["type"] != "object" || json.Unmarshal(arguments, &inner) != nil {
		return arguments
	}
	if inner = strings.TrimSpace(inner); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
		return json.RawMessage(inner)
	}
	return arguments
}
