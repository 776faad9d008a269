package skills

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/params"
	"skills/internal/script"
)

// Call is a resolved call of run_skill_script. It is resolved once, then approved and
// run; the file must not change in between.
type Call struct {
	Skill   *loader.Skill
	Script  loader.Script
	Args    []string // the script's part of a file's command line; nil for a function
	Command []string // the command line of a file; nil for a function

	runner      Runner
	arguments   json.RawMessage        // JSON, "null" for none
	digest      string                 // current SHA-256 of the file; "" for a function
	files       files.Snapshot         // the files of the skill; nil for a function
	covers      func(name string) bool // which of them matter; nil for all
	known       *knownFiles
	want        string // required digest
	unsandboxed bool   // may run without a sandbox
	err         error  // why it cannot be started
}

// resolved is the result of resolving a call: a call, or the error result for it.
type resolved struct {
	call      *Call
	errResult agent.ToolResult
}

// resolve resolves a call, with the framework's words and order of checks.
func (k toolSet) resolve(ctx context.Context, in runInput) resolved {
	if !blank(in.SkillName) && blank(in.ScriptName) {
		return resolved{errResult: agent.ErrorResult("Script name cannot be empty.")}
	}
	missing := ""
	for _, again := range []bool{false, true} { // the script may have been added since
		skill, contents, errText := k.open(ctx, in.SkillName, again)
		if errText != "" {
			return resolved{errResult: agent.ErrorResult(errText)}
		}
		found, names, similar := findScript(contents, in.ScriptName)
		if found.Name != "" {
			c, err := k.newCall(ctx, skill, contents, found, in.Arguments)
			if err != nil {
				return resolved{errResult: c.failed(err)}
			}
			return resolved{call: c}
		}
		missing = fmt.Sprintf("Script '%s' not found in skill '%s'.\n%s", shown(in.ScriptName), skill.Name, offer("scripts", names, similar))
	}
	return resolved{errResult: agent.ErrorResult(missing)}
}

// newCall completes a call of a script. The error is the reason why the script cannot
// be run with these arguments; Call.err, why it cannot be started now.
func (p *Provider) newCall(ctx context.Context, skill *loader.Skill, contents loader.Contents, found loader.Script, arguments json.RawMessage) (*Call, error) {
	c := &Call{Skill: skill, Script: found, runner: p.runner(skill), arguments: bytes.Clone(arguments), known: &p.files}
	if len(bytes.TrimSpace(c.arguments)) == 0 {
		c.arguments = json.RawMessage("null")
	}
	switch {
	case found.Call != nil:
		if found.Schema["type"] == "object" {
			c.arguments = params.Unwrap(c.arguments)
		}
		return c, nil
	case skill.Dir == "":
		return c, errors.New("the skill has no folder, so there is no file to run")
	case c.runner == nil:
		return c, errors.New("no runner for script files is configured")
	}
	var err error
	if c.Args, err = script.Arguments(c.arguments); err != nil {
		return c, err
	}
	c.covers = p.covers(skill, contents)
	c.read(ctx)
	if c.err == nil {
		p.files.pin(skill.Dir, c.files)
	}
	c.want = found.Digest
	return c, nil
}

// findScript finds a script by name. If there is none, similar holds similar names.
func findScript(contents loader.Contents, name string) (found loader.Script, names, similar []string) {
	for _, s := range contents.Scripts {
		names = append(names, s.Name)
	}
	match, similar := loader.Lookup(names, name)
	if match != "" {
		return contents.Scripts[slices.Index(names, match)], names, nil
	}
	return loader.Script{}, names, similar
}

func (c *Call) name() string { return c.Skill.Name + "/" + c.Script.Name }

func (c *Call) isFile() bool { return c.Script.Call == nil }

// changed reports whether the file differs from the one that was listed.
func (c *Call) changed() bool {
	return c.Script.Digest != "" && c.digest != c.Script.Digest || len(c.changedSinceSeen()) > 0
}

func (c *Call) changedSinceSeen() []string {
	if c.files == nil {
		return nil
	}
	return c.covered(c.known.changedSinceSeen(c.Skill.Dir, c.files))
}

func (c *Call) file() script.Script {
	return script.Script{
		Skill: c.Skill.Name, Name: c.Script.Name, Dir: c.Skill.Dir, Folder: c.Script.Folder,
		Digest: c.want, Files: c.files, Covers: c.covers, Unsandboxed: c.unsandboxed,
	}
}

// failed returns the framework's result for a script that could not be run.
func (c *Call) failed(err error) agent.ToolResult {
	return agent.ErrorResult(fmt.Sprintf("Failed to execute script '%s' from skill '%s'. Exception: %s", c.Script.Name, c.Skill.Name, detail(err)))
}

// Run runs the script. The error is the reason why it was not started, or the error of
// a function, whose text is the standard output.
func (c *Call) Run(ctx context.Context) (script.Result, error) {
	if c.isFile() {
		file := c.file()
		file.Digest = cmp.Or(c.want, c.digest)
		return c.runner.Run(ctx, file, c.Args)
	}
	text, err := agent.RecoverPanic(func() (string, error) { return c.Script.Call(ctx, c.arguments) })
	if err != nil {
		return script.Result{}, err
	}
	text = cmp.Or(text, "(no output)")
	return script.Result{Stdout: strings.ReplaceAll(text, "\x00", string(unicode.ReplacementChar)), Sandbox: "none"}, nil
}

func (k toolSet) run(ctx context.Context, inv *agent.Invocation, in runInput) (agent.ToolResult, error) {
	var r resolved
	known := false
	if err := state().View(inv.Session, func(rec record) { r, known = rec.calls[inv.Call.ID] }); err != nil {
		return agent.ToolResult{}, err
	}
	if !known {
		r = k.resolve(ctx, in) // no policy
	}
	if r.call == nil {
		return r.errResult, context.Cause(ctx)
	}
	result, err := k.perform(ctx, inv, r.call)
	if err != nil {
		return r.call.failed(err), context.Cause(ctx)
	}
	return result, nil
}

// perform runs a script between its two records.
func (k toolSet) perform(ctx context.Context, inv *agent.Invocation, c *Call) (agent.ToolResult, error) {
	run := c.record(inv)
	if k.opt.Recorder != nil {
		if err := k.opt.Recorder.Started(ctx, run); err != nil {
			inv.Stop(fmt.Errorf("%w: %w", errNoRecord, err))
			return agent.ToolResult{}, errNoRecord
		}
	}
	var result agent.ToolResult
	got, err := c.Run(ctx)
	if err == nil && c.isFile() && k.mayWrite(c.Skill, got.Sandbox) {
		if after, err := files.TakeSnapshot(ctx, c.Skill.Dir); err == nil {
			k.files.wrote(c.Skill.Dir, c.files, after)
		}
	}
	switch {
	case err != nil:
	case c.isFile():
		result = agent.ToolResult{
			Text: got.Text(), Failed: !got.OK(), Truncated: got.Truncated,
			Process: &agent.Process{ExitCode: got.ExitCode, TimedOut: got.TimedOut, Sandbox: got.Sandbox},
		}
	default:
		result.Text = got.Stdout
	}
	if k.opt.Recorder != nil {
		if rerr := k.opt.Recorder.Ended(ctx, run, result, err); rerr != nil {
			inv.Stop(fmt.Errorf("recording the end of a script: %w", rerr))
		}
	}
	k.reportLeft(ctx, inv, run, got.Left)
	return result, err
}

// reportLeft reports what a script left behind to the user and the recorder.
func (k toolSet) reportLeft(ctx context.Context, inv *agent.Invocation, run ScriptRun, left []script.Leftover) {
	if len(left) == 0 {
		return
	}
	inv.Emit(agent.WarningEvent{Message: LeftBehind(run.Skill+"/"+run.Script, left), Repeated: true})
	if k.opt.Recorder == nil {
		return
	}
	names := make([]string, len(left))
	for i, l := range left {
		names[i] = l.String()
	}
	if err := k.opt.Recorder.Left(ctx, run, names); err != nil {
		inv.Stop(fmt.Errorf("recording what a script left behind: %w", err))
	}
}

// LeftBehind returns the warning about what a script left behind.
func LeftBehind(name string, left []script.Leftover) string {
	return "protected files appeared or changed while " + name + " ran: " + script.LeftoverText(left)
}

// ErrUnknownScript is returned for an unknown script name; the error that wraps it has
// a hint with the known ones.
var ErrUnknownScript = errors.New("no such script")

// Find resolves a call by the user like the tool does. The error is an
// [ErrUnknownSkill], an [ErrUnknownScript], or the reason why the script cannot be run.
// If a call is returned too, the error is why the script cannot be started.
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
		return nil, &fault.Error{Message: text, Hint: offer("scripts", names, similar), Err: ErrUnknownScript}
	}
	call, err := p.newCall(ctx, skill, contents, found, arguments)
	if err != nil {
		return nil, err
	}
	return call, call.err
}

// ScriptRun returns the script of a model's call of run_skill_script in a recorder's
// form, for decisions made before the policy's. ok is false for other tools, and for
// what cannot be run.
func (p *Provider) ScriptRun(ctx context.Context, call agent.ToolCall) (run ScriptRun, ok bool) {
	in, fault := agent.DecodeArguments[runInput](runTool, call.Arguments)
	if call.Name != runTool || fault != "" {
		return ScriptRun{}, false
	}
	c, err := p.list(ctx)
	if err != nil {
		return ScriptRun{}, false
	}
	r := toolSet{p, c}.resolve(ctx, in)
	if r.call == nil {
		return ScriptRun{}, false
	}
	return r.call.record(&agent.Invocation{Call: call}), true
}

const maxSource = 1 << 20

// source returns the start of the resolved script.
func (c *Call) source() (string, error) {
	if !c.isFile() {
		return "", nil
	}
	file := c.file()
	file.Digest = c.digest
	text, size, _, err := script.Source(file, maxSource)
	if err != nil || size == int64(len(text)) {
		return string(text), err
	}
	return fmt.Sprintf("%s\n(%d bytes more)", strings.ToValidUTF8(string(text), ""), size-int64(len(text))), nil
}
