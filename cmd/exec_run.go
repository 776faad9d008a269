package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"skills/internal/agent/skills"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// execution is what came of a script, as --json prints it.
type execution struct {
	SchemaVersion int      `json:"schema_version"`
	Skill         string   `json:"skill"`
	Script        string   `json:"script"`
	Command       []string `json:"command"` // the interpreter, its arguments, the file, the arguments; [] for a function
	Args          []string `json:"args"`
	Cwd           string   `json:"cwd"`
	Sandbox       string   `json:"sandbox"`
	ExitCode      *int     `json:"exit_code"` // null where it was not run
	TimedOut      bool     `json:"timed_out"`
	LimitMS       int64    `json:"limit_ms"` // its time limit
	Excess        string   `json:"excess"`   // the other limit at which it was ended: "more than 256 processes"; "" where it was not
	Signal        string   `json:"signal"`
	DurationMS    int64    `json:"duration_ms"`
	Stdout        string   `json:"stdout"`
	Stderr        string   `json:"stderr"`
	Truncated     bool     `json:"truncated"`
	Error         *string  `json:"error"` // null where it exited with 0
}

// exec runs one script.
func (a *app) exec(ctx context.Context, f runFlags, asJSON bool, args []string) error {
	a.mask = a.masker(ctx, f)         // also for what is wrong with the flags
	asked := f.yes || f.approve != "" // otherwise whoever typed its name has approved it
	if err := f.check(); err != nil {
		return err
	}
	if len(args) == 0 {
		return wrongUsage("skills list shows the skills there are", "exec wants a skill and one of its scripts")
	}
	supervisor.DisableDump() // keys are in its environment
	p := &plan{}
	defer p.close()
	provider, name, err := a.execSkill(ctx, f, args[0], p, false)
	if err != nil {
		return err
	}
	policy, err := a.execPolicy(f, provider, p)
	if err != nil {
		return err
	}
	scriptName, words := "", []string{}
	if len(args) > 1 {
		scriptName, words = args[1], args[2:]
	}
	t, err := a.target(ctx, provider, name, scriptName, words)
	if t == nil {
		return a.notFound(err, args[0])
	}
	out := execution{
		SchemaVersion: 1, Skill: t.Skill.Name, Script: t.Script.Name, Args: words,
		Command: append([]string{}, t.Command...), Cwd: a.Dir, Sandbox: p.runner.ExpectedSandbox().Name, LimitMS: f.scriptTimeout.Milliseconds(),
	}
	if t.Script.Call != nil {
		out.Sandbox = "none" // it is a part of this program
	}
	if err == nil && (asked || a.needsConsent(ctx, p, t)) {
		err = decide(ctx, policy, t)
	}
	var result script.Result
	if err == nil {
		status, serr := p.trySandbox(ctx)
		if said := notEnforced(status, f.sandbox); said != "" && t.Script.Call == nil && serr == nil {
			a.warn("%s", said)
		}
		began := time.Now()
		if result, err = t.Run(ctx); err == nil {
			out.fill(result, time.Since(began))
			err = a.ended(ctx, f, t, result)
		}
	}
	return a.showExecution(out, asJSON, err)
}

// needsConsent reports whether a script that was named still needs a yes: where
// no sandbox works, and somebody is at the terminal. Without a terminal the
// runner refuses it, unless the sandbox is off.
func (a *app) needsConsent(ctx context.Context, p *plan, t *skills.Target) bool {
	if t.Script.Call != nil || p.runner == nil || p.runner.Sandbox == script.SandboxOff || a.prompter(true).Ask() == nil {
		return false
	}
	status, err := p.trySandbox(ctx)
	return err == nil && status.Name == sandbox.None
}

// execPolicy is the policy of a model's calls, as the flags have it.
func (a *app) execPolicy(f runFlags, provider *skills.Provider, p *plan) (*skills.Policy, error) {
	policy, err := skills.NewPolicy(provider, skills.PolicyOptions{
		Mode: skills.Mode(f.approve), Allow: f.allowScripts, Ask: a.prompter(true).Ask(),
		Dir: a.Dir, Sandbox: p.trySandbox, Unconfined: script.SandboxMode(f.sandbox) == script.SandboxOff,
	})
	if err != nil {
		return nil, wrongUsage("write it as SKILL/SCRIPT, such as 'unit-converter/*'", "--allow-script: %w", err)
	}
	return policy, nil
}

// decide asks the policy, as for a model's call.
func decide(ctx context.Context, policy *skills.Policy, t *skills.Target) error {
	d, err := policy.Decide(ctx, t)
	if err == nil && !d.Approved {
		err = fmt.Errorf("%s/%s was not run: %s", t.Skill.Name, t.Script.Name, d.Reason)
	}
	return err
}

func (e *execution) fill(r script.Result, took time.Duration) {
	if r.Duration > 0 {
		took = r.Duration // without the time it took to get there
	}
	e.Sandbox, e.TimedOut, e.Excess, e.Signal, e.DurationMS = r.Sandbox, r.TimedOut, r.Excess, r.Signal, took.Milliseconds()
	e.Stdout, e.Stderr, e.Truncated = r.Stdout, r.Stderr, r.Truncated
	if len(e.Command) == 0 {
		e.Stdout += "\n" // a function returns a value, and prints no line
	}
	e.ExitCode = &r.ExitCode
}

// ended is the error of a script that was run, nil where it exited with 0.
func (a *app) ended(ctx context.Context, f runFlags, t *skills.Target, r script.Result) error {
	name := t.Skill.Name + "/" + t.Script.Name
	switch {
	case r.OK():
		return nil
	case r.TimedOut:
		return &failure{exitLimit, fmt.Errorf("%s was ended at its time limit of %s", name, f.scriptTimeout), "allow more with --script-timeout"}
	case r.Interrupted:
		return context.Cause(ctx)
	case r.Excess != "":
		return &failure{exitLimit, fmt.Errorf("%s had %s and was ended", name, r.Excess), ""}
	case r.Signal != "":
		return problem("", fmt.Errorf("%s was ended by signal %s", name, r.Signal))
	}
	return problem("", fmt.Errorf("%s exited with code %d", name, r.ExitCode))
}

// showExecution prints what came of the script. failed is why it is no success.
func (a *app) showExecution(e execution, asJSON bool, failed error) error {
	if asJSON {
		if failed != nil {
			said := printable.Text(a.mask.Text(failed.Error()))
			e.Error = &said
		}
		if err := printable.WriteJSON(a.mask.Lines(printable.EscapeJSON(a.Stdout)), e); err != nil {
			return err
		}
		return failed
	}
	// The standard error last: at a terminal it stands where one looks.
	for _, stream := range []struct {
		w    io.Writer
		text string
	}{{a.Stdout, e.Stdout}, {a.Stderr, e.Stderr}} {
		if _, err := io.WriteString(stream.w, printable.Text(a.mask.Text(stream.text))); err != nil {
			return err
		}
	}
	if e.Stderr != "" && !strings.HasSuffix(e.Stderr, "\n") && failed != nil {
		io.WriteString(a.Stderr, "\n")
	}
	return failed
}
