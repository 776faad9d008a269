package skills

// A call of a script is resolved once, with the checks and words of the framework in their
// order. The approval, the records and the run use the resolved call, so they cannot
// differ.

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
	"skills/internal/printable"
	"skills/internal/script"
)

// Call is a call of a script, the action of run_skill_script. It is resolved once, then
// approved and run; the file must not change in between.
type Call struct {
	Skill   *loader.Skill
	Script  loader.Script
	Args    []string // the script's part of a file's command line; nil for a function
	Command []string // the command line of a file; nil for a function

	given
	provider    *Provider
	inv         *agent.Invocation // nil for a call by the user
	runner      Runner
	digest      string                 // current SHA-256 of the file; "" for a function
	files       files.Snapshot         // the files of the skill; nil for a function
	covers      func(name string) bool // which of them matter; nil for all
	known       *knownFiles
	want        string // required digest
	unsandboxed bool   // may run without a sandbox
	err         error  // why it cannot be started
}

// given is what the caller wrote.
type given struct {
	arguments json.RawMessage // JSON, "null" for none
	note      string          // how a call that was not quite right was understood, or ""
	history   bool            // the file writes the history of repositories, and may
}

// run resolves a call, with the framework's words and order of checks.
func (k toolSet) run(ctx context.Context, inv *agent.Invocation, in runInput) (agent.Action, error) {
	summary := inv.Describe()
	summary.Line = strings.Join(append([]string{in.SkillName + "/" + in.ScriptName}, commandWords(in.Arguments)...), " ")
	if !blank(in.SkillName) && blank(in.ScriptName) {
		return failed(summary, "Script name cannot be empty."), nil
	}
	missing, repaired := "", guessed[runInput](inv)
	for _, again := range []bool{false, true} { // the script may have been added since
		skill, contents, errText := k.open(ctx, in.SkillName, again)
		if errText != "" {
			return failed(summary, errText), nil
		}
		found, _, _ := findScript(contents, in.ScriptName)
		if found.Name == "" && again {
			found, repaired = understandScript(skill, contents, in.ScriptName)
		}
		if found.Name != "" {
			in.SkillName, in.ScriptName = skill.Name, found.Name
			return k.prepare(ctx, inv, skill, contents, found, in, repaired)
		}
		missing = k.takes.missingScript(skill, contents, in)
	}
	return failed(summary, missing), nil
}

// prepare resolves a call of a script that exists. repaired is true if the call was not
// quite right.
func (k toolSet) prepare(ctx context.Context, inv *agent.Invocation, skill *loader.Skill, contents loader.Contents, found loader.Script, in runInput, repaired bool) (agent.Action, error) {
	summary := inv.Describe()
	summary.Line = strings.Join(append([]string{skill.Name + "/" + found.Name}, commandWords(in.Arguments)...), " ")
	err := k.startable(skill, found)
	if err != nil {
		return agent.Answer(summary, notRun(skill, found, err)), nil
	}
	meant, err := k.takes.interpret(skill, found, in.Arguments)
	if err != nil {
		result := notRun(skill, found, err)
		result.Text += k.takes.rightCall(skill, found, in.Arguments)
		return agent.Answer(summary, result), nil
	}
	c := k.newCall(ctx, skill, contents, found, meant)
	c.inv = inv
	if repaired || meant.repaired != nil {
		if meant.repaired != nil {
			in.Arguments = meant.repaired
		}
		c.note = understood(in)
	}
	return c, nil
}

// commandWords returns the words that a script gets for a model's arguments, quoted as
// for a shell.
func commandWords(arguments json.RawMessage) []string {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return nil
	}
	words, err := script.Arguments(arguments)
	if err != nil {
		return []string{string(arguments)}
	}
	for i, word := range words {
		words[i] = printable.ShellWord(word)
	}
	return words
}

// Summary names the skill and the script, with the content that was read last.
func (c *Call) Summary() agent.Summary { return c.content().Action() }

// startable returns the reason why a script can never be run.
func (p *Provider) startable(skill *loader.Skill, found loader.Script) error {
	switch {
	case found.Call != nil:
		return nil
	case skill.Dir == "":
		return errors.New("the skill has no folder, so there is no file to run")
	case p.runner(skill) == nil:
		return errors.New("no runner for script files is configured")
	}
	return nil
}

// newCall completes a call of a startable script. Call.err is the reason why it cannot be
// started now.
func (p *Provider) newCall(ctx context.Context, skill *loader.Skill, contents loader.Contents, found loader.Script, meant interpretation) *Call {
	c := &Call{
		Skill: skill, Script: found, provider: p, runner: p.runner(skill), given: given{arguments: bytes.Clone(meant.arguments)}, Args: meant.words,
		known: &p.files, covers: p.covers(skill, contents),
	}
	if len(bytes.TrimSpace(c.arguments)) == 0 {
		c.arguments = json.RawMessage("null")
	}
	if found.Call != nil {
		return c
	}
	c.read(ctx)
	if c.err == nil {
		p.files.pin(skill.Dir, c.files)
	}
	c.want = found.Digest
	return c
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

func (c *Call) file() script.Script {
	return script.Script{
		Skill: c.Skill.Name, Name: c.Script.Name, Dir: c.Skill.Dir, Folder: c.Script.Folder,
		Digest: c.want, Files: c.files, Covers: c.covers, Unsandboxed: c.unsandboxed, History: c.history,
	}
}

// notRun returns the framework's result for a script that could not be run.
func notRun(skill *loader.Skill, found loader.Script, err error) agent.ToolResult {
	return agent.ErrorResult(fmt.Sprintf("Failed to execute script '%s' from skill '%s'. Exception: %s", found.Name, skill.Name, detail(err)))
}

// Run implements [agent.Action]: it runs the script between its two records.
func (c *Call) Run(ctx context.Context) (agent.ToolResult, error) {
	result, err := c.recorded(ctx)
	if err != nil {
		return notRun(c.Skill, c.Script, err), context.Cause(ctx)
	}
	return withLine(result, c.note), nil
}

func (c *Call) recorded(ctx context.Context) (agent.ToolResult, error) {
	err := c.started(ctx)
	if err != nil {
		return agent.ToolResult{}, err
	}
	var result agent.ToolResult
	got, err := c.Execute(ctx)
	if err == nil {
		c.noteOwn(ctx, got.Sandbox)
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
	c.ended(ctx, result, err)
	c.reportLeft(ctx, got.Left)
	return result, err
}

// noteOwn remembers what the script changed in its skill's folder, if it was allowed to.
func (c *Call) noteOwn(ctx context.Context, sandbox string) {
	if !c.isFile() || !c.provider.mayWrite(c.Skill, sandbox) {
		return
	}
	after, err := files.TakeSnapshot(ctx, c.Skill.Dir)
	if err == nil {
		c.provider.files.wrote(c.Skill.Dir, c.files, after)
	}
}

// Execute runs the script. The error is the reason why it was not started, or the error
// of a function, whose text is the standard output.
func (c *Call) Execute(ctx context.Context) (script.Result, error) {
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
			text = fmt.Sprintf("missing the name of a script of skill %q", skill.Name)
		}
		return nil, &fault.Error{Message: text, Hint: offer("scripts", names, similar), Err: ErrUnknownScript}
	}
	err = p.startable(skill, found)
	if err != nil {
		return nil, err
	}
	meant, err := plainly(found, arguments)
	if err != nil {
		return nil, err
	}
	call := p.newCall(ctx, skill, contents, found, meant)
	return call, call.err
}

const maxSource = 1 << 20

// source returns the start of the script file.
func (c *Call) source() (string, error) {
	file := c.file()
	file.Digest = c.digest
	text, size, _, err := script.Source(file, maxSource)
	if err != nil || size == int64(len(text)) {
		return string(text), err
	}
	return fmt.Sprintf("%s\n(%d bytes more)", strings.ToValidUTF8(string(text), ""), size-int64(len(text))), nil
}
