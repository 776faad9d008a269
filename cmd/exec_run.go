package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"skills/internal/agent/skills"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/script"
	"skills/internal/terminal"
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
	Signal        string   `json:"signal"`
	DurationMS    int64    `json:"duration_ms"`
	Stdout        string   `json:"stdout"`
	Stderr        string   `json:"stderr"`
	Truncated     bool     `json:"truncated"`
	Error         *string  `json:"error"` // null where it exited with 0
}

// exec runs one script.
func (a *app) exec(ctx context.Context, f runFlags, asJSON bool, args []string) error {
	asked := f.yes || f.approve != "" // otherwise whoever typed its name has approved it
	if err := f.check(); err != nil {
		return err
	}
	if len(args) == 0 {
		return wrongUsage("skills list shows the skills there are", "exec wants a skill and one of its scripts")
	}
	script.Guard() // keys are in its environment
	a.mask = a.masker(f)
	p := &plan{}
	defer p.close()
	provider, name, err := a.execSkill(ctx, f, args[0], p, false)
	if err != nil {
		return err
	}
	scriptName, words := "", []string{}
	if len(args) > 1 {
		scriptName, words = args[1], args[2:]
	}
	t, err := provider.Find(ctx, name, scriptName, execArguments(words))
	if t == nil {
		return notFound(err)
	}
	out := execution{
		SchemaVersion: 1, Skill: t.Skill.Name, Script: t.Script.Name, Args: words,
		Command: append([]string{}, t.Command...), Cwd: a.Dir, Sandbox: p.sandbox().Name,
	}
	if err == nil && asked {
		err = a.decide(ctx, f, provider, t, p.sandbox())
	}
	var result script.Result
	if err == nil {
		if said := shortcomings(p.sandbox(), f.sandbox); said != "" && t.Script.Call == nil {
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

// execSkill finds what SKILL names: a folder where it has a slash in it, else a
// skill in the places that run looks in. look says that nothing will be run.
func (a *app) execSkill(ctx context.Context, f runFlags, word string, p *plan, look bool) (*skills.Provider, string, error) {
	name := word
	f.noBuiltin = true // their scripts are functions, which take no words
	if word == "." || word == ".." || strings.ContainsAny(word, `/`+string(os.PathSeparator)) {
		p.source = loader.Cache(loader.Files([]string{word}, loader.FilesOptions{Notify: a.notice}))
		found, err := p.source.Skills(ctx)
		if err != nil {
			return nil, "", err
		}
		if _, err := os.Stat(a.absolute(word)); err != nil {
			return nil, "", wrongUsage("check the spelling, and the folder this was started in", "%s does not exist", word)
		}
		if len(found) != 1 {
			return nil, "", wrongUsage("name the folder of one skill, the one with its SKILL.md", "%s holds %d skills that can be used", word, len(found))
		}
		name = found[0].Name
	} else if err := a.planSkills(ctx, f, nil, p); err != nil {
		return nil, "", err
	}
	runner, err := a.confine(ctx, f, p, look)
	if err != nil {
		return nil, "", err
	}
	provider, err := skills.New(skills.Options{Source: p.source, Runner: runner})
	return provider, name, err
}

// execArguments are the words as the tool takes them.
func execArguments(words []string) json.RawMessage {
	raw, _ := json.Marshal(words) // strings always can be
	return raw
}

// notFound is wrong usage where a name leads to nothing.
func notFound(err error) error {
	if !errors.Is(err, skills.ErrUnknownSkill) && !errors.Is(err, skills.ErrUnknownScript) {
		return err
	}
	var h interface{ Hint() string }
	errors.As(err, &h)
	return &failure{exitUsage, err, h.Hint()}
}

// decide asks the policy, as for a model's call.
func (a *app) decide(ctx context.Context, f runFlags, provider *skills.Provider, t *skills.Target, sandbox script.Confinement) error {
	policy, err := skills.NewPolicy(provider, skills.PolicyOptions{
		Mode: skills.Mode(f.approve), Allow: f.allowScripts, Ask: a.asker(),
		Dir: a.Dir, Sandbox: sandbox.Name, Gaps: sandbox.Gaps, Unconfined: script.SandboxMode(f.sandbox) == script.SandboxOff,
	})
	if err != nil {
		return wrongUsage("write it as SKILL/SCRIPT, such as 'unit-converter/*'", "--allow-script: %w", err)
	}
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
	e.Sandbox, e.TimedOut, e.Signal, e.DurationMS = r.Sandbox, r.TimedOut, r.Signal, took.Milliseconds()
	e.Stdout, e.Stderr, e.Truncated = r.Stdout, r.Stderr, r.Truncated
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
			said := terminal.Clean(a.mask.Text(failed.Error()))
			e.Error = &said
		}
		if err := report.EncodeJSON(a.mask.Lines(terminal.SafeJSON(a.Stdout)), e); err != nil {
			return err
		}
		return failed
	}
	// The standard error last: at a terminal it stands where one looks.
	for _, stream := range []struct {
		w    io.Writer
		text string
	}{{a.Stdout, e.Stdout}, {a.Stderr, e.Stderr}} {
		if _, err := io.WriteString(stream.w, terminal.Clean(a.mask.Text(stream.text))); err != nil {
			return err
		}
	}
	if e.Stderr != "" && !strings.HasSuffix(e.Stderr, "\n") && failed != nil {
		io.WriteString(a.Stderr, "\n")
	}
	return failed
}
