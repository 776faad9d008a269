package workspace

// A command line runs in a fresh shell in the sandbox of scripts. It is approved with its
// text and the commands that it consists of; what runs is what was shown.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/lazyregexp"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/script/gitline"
	"skills/internal/script/sandbox"
)

// Limits of a command.
const (
	maxCommand = 64 << 10 // bytes
	maxTimeout = 3600     // seconds
)

type commandInput struct {
	Command string `json:"command" alias:"cmd,script"`
	Skill   string `json:"skill" alias:"skillName,skill_name"`
	Timeout int    `json:"timeout" alias:"timeout_seconds"`
}

// command is a command line, the action of run_command.
type command struct {
	tools       toolSet
	inv         *agent.Invocation
	text        string
	skill       Skill // where it starts; zero for the working folder
	timeout     time.Duration
	line        Line
	history     bool // it may write the history of repositories
	unsandboxed bool
}

// runCommand prepares a command line.
func (t toolSet) runCommand(_ context.Context, inv *agent.Invocation, in commandInput) (agent.Action, error) {
	refuse := func(fault string) (agent.Action, error) {
		return agent.Answer(agent.Summary{Kind: agent.KindCommand, Name: in.Command, Line: in.Command, Arguments: inv.Arguments}, agent.ErrorResult(fault)), nil
	}
	switch {
	case strings.TrimSpace(in.Command) == "":
		return refuse("The command cannot be empty.")
	case len(in.Command) > maxCommand:
		return refuse(fmt.Sprintf("The command has more than %d bytes. Write the data to a file.", maxCommand))
	case strings.ContainsRune(in.Command, 0):
		return refuse("The command cannot contain a NUL character.")
	case in.Timeout < 0 || in.Timeout > maxTimeout:
		return refuse(fmt.Sprintf("The timeout is a number of seconds, at most %d.", maxTimeout))
	}
	c := &command{tools: t, inv: inv, text: in.Command, timeout: time.Duration(in.Timeout) * time.Second, line: ParseLine(in.Command)}
	c.history = c.line.writesHistory()
	if in.Skill != "" {
		var names []string
		for _, s := range t.skills {
			names = append(names, s.Name)
			if strings.EqualFold(s.Name, in.Skill) {
				c.skill = s
			}
		}
		if c.skill.Folder == "" {
			if len(names) == 0 {
				return refuse(fmt.Sprintf("No skill is loaded. Load %s first.", printable.Quoted(in.Skill)))
			}
			return refuse(fmt.Sprintf("The skill %s is not loaded, or has no folder. Loaded: %s.", printable.Quoted(in.Skill), strings.Join(names, ", ")))
		}
	}
	return c, nil
}

// Summary has the text of the command.
func (c *command) Summary() agent.Summary {
	line := printable.Line(c.text)
	if c.skill.Name != "" {
		line = c.skill.Name + ": " + line
	}
	s := agent.Summary{
		Kind: agent.KindCommand, Owner: c.skill.Name, Name: c.text, Line: line, Arguments: c.inv.Arguments,
		Command: []string{"bash", "-c", c.text},
	}
	if c.history {
		s.Grants = []string{gitline.Grant}
	}
	return s
}

// Approval asks with the commands of the line.
func (c *command) Approval() *agent.Approval {
	where := c.tools.access.dir
	if c.skill.Folder != "" {
		where = c.skill.Folder
	}
	facts := []agent.Fact{{Label: "command", Value: c.text, Source: true}}
	facts = append(facts, c.line.facts()...)
	facts = append(facts, agent.Fact{Label: "folder", Value: where, Path: true})
	a := &agent.Approval{
		Action: c.Summary(), Dir: where, Sandbox: c.sandbox,
		Details: agent.Details{Facts: facts, Parts: c.line.Commands, Opaque: c.line.Opaque, Allowed: c.tools.allowed()},
	}
	if strings.Contains(strings.TrimSpace(c.text), "\n") {
		a.Preview = strings.Split(strings.TrimRight(c.text, "\n"), "\n")
	}
	a.Grant = func(terms agent.Terms) error {
		c.unsandboxed = terms.Unsandboxed
		return nil
	}
	return a
}

func (c *command) sandbox(ctx context.Context) (agent.Sandbox, error) {
	if c.tools.opt.Sandbox == nil {
		return agent.Sandbox{Name: "none"}, nil
	}
	return c.tools.opt.Sandbox(ctx)
}

// Run runs the command between its two records.
func (c *command) Run(ctx context.Context) (agent.ToolResult, error) {
	return c.tools.recorded(ctx, c.inv, c.Summary(), func() (agent.ToolResult, error) {
		got, whole, err := c.run(ctx)
		if err != nil {
			return agent.ErrorResult("The command was not run: " + printable.Line(err.Error()) + "."), err
		}
		c.left(ctx, got.Left)
		return c.result(got, whole), nil
	})
}

// run runs the command; whole is where its output is kept if it was shortened, or "".
func (c *command) run(ctx context.Context) (got script.Result, whole string, err error) {
	output := &output{runner: c.tools.opt.Runner, most: c.tools.room(0)}
	defer func() { c.tools.room(output.close(whole != "")) }()
	line := script.Line{Text: c.text, Skill: c.skill.Folder, Timeout: c.timeout, Output: output, Unsandboxed: c.unsandboxed, History: c.history}
	for _, s := range c.tools.skills {
		if s.Folder != c.skill.Folder {
			line.Folders = append(line.Folders, s.Folder)
		}
	}
	got, err = c.tools.opt.Runner.RunLine(ctx, line)
	if err == nil && got.Truncated {
		whole = output.keep()
	}
	return got, whole, err
}

// result returns the output with what helps the model to go on.
func (c *command) result(got script.Result, whole string) agent.ToolResult {
	parts := []string{got.TextOf("Command")}
	switch {
	case whole != "":
		parts = append(parts, "The whole output is in "+whole+".")
	case got.Truncated:
		parts = append(parts, "The whole output is not kept. Have the command write less, or to a file.")
	}
	if !got.OK() {
		parts = append(parts, c.advice(got)...)
	}
	return agent.ToolResult{
		Text: strings.Join(parts, "\n"), Failed: !got.OK(), Truncated: got.Truncated,
		Process: &agent.Process{ExitCode: got.ExitCode, TimedOut: got.TimedOut, Sandbox: got.Sandbox},
	}
}

// notFound matches the messages of shells for a program that does not exist.
var notFound = lazyregexp.New(`(?m)^[^\n:]*(?:bash|sh)(?:: line \d+|: \d+)?: ([^\n:]+): (?:command )?not found$`)

// advice says what to do about a missing program, about paths that only a loaded skill has,
// and about a repository that is out of reach.
func (c *command) advice(got script.Result) (advice []string) {
	isTmp := func(path string) bool { return path == "/tmp" || strings.HasPrefix(path, "/tmp/") }
	if slices.ContainsFunc(got.Unseen, isTmp) {
		advice = append(advice, "Use $TMPDIR in place of /tmp: all commands and scripts share it.")
	}
	if match := notFound().FindStringSubmatch(got.Stderr); match != nil {
		advice = append(advice, printable.Line(match[1])+" is not installed here, or not visible in the sandbox.")
	}
	if c.skill.Folder == "" {
		if top := repositoryAbove(c.tools.access.dir); top != "" && c.line.starts("git") {
			advice = append(advice, fmt.Sprintf("The working folder is a part of the Git repository %s, which is out of reach from here. Nothing helps in this run; the user can start one in %[1]s.", printable.Line(top)))
		}
	}
	for _, words := range c.line.Commands {
		for _, word := range words {
			local := filepath.IsLocal(word) && strings.ContainsAny(word, "/.")
			if !local {
				continue
			}
			if text := c.elsewhere(word); text != "" {
				return append(advice, text)
			}
		}
	}
	return advice
}

// elsewhere says where a relative path is that the command cannot have found where it started,
// or returns "".
func (c *command) elsewhere(word string) string {
	if c.skill.Folder != "" {
		return linkedOut(c.skill, word)
	}
	if _, err := os.Lstat(filepath.Join(c.tools.access.dir, word)); err == nil {
		return ""
	}
	return c.inSkill(word)
}

// linkedOut says that a path is a link in a skill that is not followed, or returns "".
func linkedOut(s Skill, word string) string {
	path := filepath.Join(s.Folder, word)
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && sandbox.Within(real, sandbox.Real(s.Folder)) {
		return ""
	}
	return fmt.Sprintf("%s is a link in the skill %s that leads out of its folder. It is not followed; the user can put a copy of the file in its place.", word, s.Name)
}

// repositoryAbove returns the folder of the repository that a folder is in, "" if there is
// none, or the folder has a repository of its own.
func repositoryAbove(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		_, err := os.Lstat(filepath.Join(at, ".git"))
		switch {
		case err == nil && at != dir:
			return at
		case err == nil, at == filepath.Dir(at):
			return ""
		}
	}
}

// inSkill says where a relative path is that only a loaded skill has, or returns "".
func (c *command) inSkill(word string) string {
	for _, s := range c.tools.skills {
		_, _, err := loader.ReadFile(context.Background(), s.Folder, filepath.ToSlash(filepath.Clean(word)), 0, 1)
		if err == nil {
			return fmt.Sprintf("%s is a file of the skill %s: use run_skill_script, or the path %s.", word, s.Name, filepath.Join(s.Folder, word))
		}
		if text := linkedOut(s, word); text != "" {
			return text
		}
	}
	return ""
}

// left reports protected names that appeared or changed while the command ran.
func (c *command) left(ctx context.Context, left []script.Leftover) {
	if len(left) == 0 {
		return
	}
	c.inv.Emit(agent.WarningEvent{Message: "protected files appeared or changed while a command ran: " + script.LeftoverText(left), Repeated: true})
	if c.tools.opt.Recorder == nil {
		return
	}
	names := make([]string, len(left))
	for i, l := range left {
		names[i] = l.String()
	}
	err := c.tools.opt.Recorder.Left(ctx, c.inv.Call, c.Summary(), names)
	if err != nil {
		c.inv.Stop(fmt.Errorf("recording what a command left behind: %w", err))
	}
}
