package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"skills/internal/agent"
	"skills/internal/script"
)

// Recorder is told of every decision on a script and of every script that is
// run. What it cannot record does not happen: its error denies the call, or
// keeps the script from being started, and ends the run.
type Recorder interface {
	Decided(ctx context.Context, run ScriptRun, d agent.Decision) error
	Started(ctx context.Context, run ScriptRun) error
	// Ended follows each Started, with the error of a script that could not be
	// started or failed as a function.
	Ended(ctx context.Context, run ScriptRun, result agent.ToolResult, err error) error
}

// ScriptRun is a script that is to be run, or was.
type ScriptRun struct {
	CallID        string
	Tool          string // the tool that was called
	Skill, Script string
	Arguments     json.RawMessage // as the tool read them
	Command       []string        // nil for a function, and where it cannot be known
	Digest        string          // SHA-256 of the file in hexadecimal; "" for a function, and where it cannot be known
}

// errNoRecord ends a run that would go on without its record.
var errNoRecord = errors.New("what is not recorded is not run")

// scriptRun is the plan as a recorder is told of it.
func (k kit) scriptRun(inv *agent.Invocation, p plan) ScriptRun {
	run := ScriptRun{CallID: inv.Call.ID, Tool: inv.Call.Name, Skill: p.skill.Name, Script: p.script.Name, Arguments: p.arguments, Digest: p.digest}
	if p.script.Call != nil {
		return run
	}
	if command, err := k.opt.Runner.Command(p.file(), p.args); err == nil {
		run.Command = command
	}
	if run.Digest == "" {
		if digest, err := script.Digest(p.file()); err == nil {
			run.Digest = digest
		}
	}
	return run
}

// resolve finds what a call of run_skill_script is going to run. ok is false for
// what the tool is going to refuse.
func (k kit) resolve(ctx context.Context, inv *agent.Invocation) (found plan, ok bool, err error) {
	// A tool of the same kind reads the arguments, so that no spelling is read
	// in one way here and in another there.
	look := agent.NewTool(runTool, "", runSchema(), func(ctx context.Context, _ *agent.Invocation, in runInput) (agent.ToolResult, error) {
		var refusal string
		found, refusal = k.plan(ctx, in)
		ok = refusal == ""
		return agent.ToolResult{}, nil
	})
	same := *inv
	_, err = look.Call(ctx, &same)
	return found, ok, err
}

// ScriptRun returns the script that a model's call of run_skill_script names, as
// a recorder is told of it, for those who decide before the policy does. ok is
// false for other tools, and for what could not be run.
func (p *Provider) ScriptRun(ctx context.Context, call agent.ToolCall) (run ScriptRun, ok bool) {
	if call.Name != runTool {
		return ScriptRun{}, false
	}
	c, err := p.list(ctx)
	if err != nil {
		return ScriptRun{}, false
	}
	k, inv := kit{p, c}, &agent.Invocation{Call: call, Arguments: json.RawMessage(call.Arguments)}
	found, ok, err := k.resolve(ctx, inv)
	if err != nil || !ok {
		return ScriptRun{}, false
	}
	return k.scriptRun(inv, found), true
}

// perform runs a script between its two records.
func (k kit) perform(ctx context.Context, inv *agent.Invocation, p plan) (agent.ToolResult, error) {
	do := k.runFile
	if p.script.Call != nil {
		do = callFunction
	}
	if k.opt.Recorder == nil {
		return do(ctx, p)
	}
	run := k.scriptRun(inv, p)
	if err := k.opt.Recorder.Started(ctx, run); err != nil {
		inv.Stop(fmt.Errorf("%w: %w", errNoRecord, err))
		return agent.ToolResult{}, errNoRecord
	}
	result, err := do(ctx, p)
	if rerr := k.opt.Recorder.Ended(ctx, run, result, err); rerr != nil {
		inv.Stop(fmt.Errorf("recording the end of a script: %w", rerr))
	}
	return result, err
}

// record tells the recorder of a decision.
func (p *Policy) record(ctx context.Context, inv *agent.Invocation, found plan, d agent.Decision, err error) error {
	recorder := p.provider.opt.Recorder
	if recorder == nil {
		return err
	}
	if err != nil { // as the approval takes it
		d = agent.Undecided(ctx, agent.Decision{}, err)
	}
	if rerr := recorder.Decided(ctx, kit{p.provider, nil}.scriptRun(inv, found), d); rerr != nil {
		inv.Stop(fmt.Errorf("%w: %w", errNoRecord, rerr))
		return errNoRecord
	}
	return err
}
