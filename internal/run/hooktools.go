package run

// Tools that a hook adds for one run are programs in the sandbox of scripts, approved like
// scripts: --allow-script '@hook/NAME' names them. They read their arguments as JSON from
// standard input.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/agent"
	"skills/internal/hook"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/script"
)

// hookOwner is the owner of tools of hooks in patterns and records. No skill has this name.
const hookOwner = "@hook"

// hookOptions returns what hooks need of a run.
func hookOptions(p *Parts) hook.Options {
	return hook.Options{
		RunID: p.ID, Mask: p.Mask.JSON, Note: p.notes.note, Tool: hookTools(p), Protocol: p.Options.Programs.HookProtocol,
		Record: func(r hook.Record) {
			if p.log != nil {
				p.log.Interception(r.Point, r)
			}
		},
		Lift: func(ctx context.Context, inv *agent.Invocation, reason string) (agent.Decision, bool) {
			if p.asker == nil {
				return agent.Decision{}, false
			}
			action := inv.Summary(ctx)
			a := &agent.Approval{Action: action, Dir: p.Env.Dir, Details: agent.Details{Attended: true, Facts: []agent.Fact{
				{Label: "tool", Value: inv.Call.Name}, {Label: "arguments", Value: action.Line}, {Label: "a hook", Value: reason},
			}}}
			d, err := p.Policy.Decide(ctx, a)
			if err != nil {
				d = agent.Undecided(ctx, d, err)
			}
			return d, true
		},
	}
}

// plugHooks adds the hooks to the agent: those of agent-hooks late, because they read what
// the other context providers add.
func plugHooks(p *Parts, h hooks, late bool) {
	if h.Hooks == nil || late != (p.Options.Programs.HookProtocol == hook.AgentHooks) {
		return
	}
	c := &p.config
	c.Providers = append(c.Providers, h)
	c.RunMiddleware = append(c.RunMiddleware, h.After)
	if h.Has("before-model", "after-model") {
		c.ModelMiddleware = append(c.ModelMiddleware, h.Model())
	}
	if h.Has("output") {
		c.Output = h.Output
	}
	held := h.Holds()
	c.Hold = len(held) > 0
	if c.Hold && c.Stream {
		p.notes.note("text of the model is held back until it has passed: " + strings.Join(printable.Map(held, func(c hook.Command) string { return printable.Truncate(c.Text, 60) }), ", "))
	}
}

// validName matches names of tools that all servers take.
var validName = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// hookTools returns the function that makes the tool that a hook adds.
func hookTools(p *Parts) func(hook.ToolSpec) (agent.Tool, error) {
	return func(spec hook.ToolSpec) (agent.Tool, error) { return hookTool(p, spec) }
}

func hookTool(p *Parts, spec hook.ToolSpec) (agent.Tool, error) {
	switch {
	case !validName().MatchString(spec.Name):
		return agent.Tool{}, errors.New("its name must be 1 to 64 letters, digits, _ or -")
	case len(spec.Command) == 0 || spec.Command[0] == "":
		return agent.Tool{}, errors.New("it has no command")
	case spec.Schema != nil && spec.Schema["type"] != "object":
		return agent.Tool{}, errors.New("its schema is not of the type object")
	}
	return agent.Tool{
		Name: spec.Name, Description: spec.Description, Schema: spec.Schema,
		Prepare: func(_ context.Context, inv *agent.Invocation) (agent.Action, error) {
			return &hookCall{parts: p, spec: spec, inv: inv}, nil
		},
	}, nil
}

// hookCall is a call of a hook's tool.
type hookCall struct {
	parts       *Parts
	spec        hook.ToolSpec
	inv         *agent.Invocation
	unsandboxed bool
}

// Summary names the tool and its command.
func (c *hookCall) Summary() agent.Summary {
	return agent.Summary{
		Kind: agent.KindScript, Owner: hookOwner, Name: c.spec.Name, Line: agent.DescribeArguments(c.inv.Arguments), Arguments: c.inv.Arguments,
		Command: c.spec.Command,
	}
}

// Approval asks with the command.
func (c *hookCall) Approval() *agent.Approval {
	facts := []agent.Fact{
		{Label: "tool", Value: c.spec.Name},
		{Label: "of hook", Value: c.spec.Hook},
		{Label: "command", Value: commandLine(c.spec.Command), Source: true},
		{Label: "arguments", Value: string(c.inv.Arguments)},
	}
	return &agent.Approval{
		Action: c.Summary(), Dir: c.parts.Env.Dir, Sandbox: trySandbox(c.parts.Scripts), Details: agent.Details{Facts: facts},
		Grant: func(terms agent.Terms) error {
			c.unsandboxed = terms.Unsandboxed
			return nil
		},
	}
}

// Run runs the command between its two records.
func (c *hookCall) Run(ctx context.Context) (agent.ToolResult, error) {
	log := c.parts.log
	if log != nil {
		err := log.Started(ctx, c.inv.Call, c.Summary())
		if err != nil {
			c.inv.Stop(fmt.Errorf("recording the start of a tool: %w", err))
			return agent.ErrorResult("tools that cannot be recorded are not run."), context.Cause(ctx)
		}
	}
	result, err := c.run(ctx)
	if log != nil {
		failure := log.Ended(ctx, c.inv.Call, c.Summary(), result, err)
		if failure != nil {
			c.inv.Stop(fmt.Errorf("recording the end of a tool: %w", failure))
		}
	}
	return result, err
}

func (c *hookCall) run(ctx context.Context) (agent.ToolResult, error) {
	text := "printf %s " + printable.ShellWord(string(c.inv.Arguments)) + " | " + commandLine(c.spec.Command)
	line := script.Line{Text: text, Folders: foldersOf(c.spec.Command), Unsandboxed: c.unsandboxed}
	got, err := script.Workspace{Runner: c.parts.Scripts}.RunLine(ctx, line)
	if err != nil {
		return agent.ErrorResult("The tool was not run: " + printable.Line(err.Error()) + "."), context.Cause(ctx)
	}
	return agent.ToolResult{
		Text: got.TextOf("Tool"), Failed: !got.OK(), Truncated: got.Truncated,
		Process: &agent.Process{ExitCode: got.ExitCode, TimedOut: got.TimedOut, Sandbox: got.Sandbox},
	}, nil
}

// foldersOf returns the folders of the files that a command names by their path, which it
// has to read.
func foldersOf(command []string) (folders []string) {
	for _, word := range command {
		info, err := os.Stat(word)
		if filepath.IsAbs(word) && err == nil && info.Mode().IsRegular() {
			folders = append(folders, filepath.Dir(word))
		}
	}
	return folders
}

// commandLine returns words as a line for a shell.
func commandLine(words []string) string {
	return strings.Join(printable.Map(words, printable.ShellWord), " ")
}
