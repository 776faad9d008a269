package console

// One script of a skill is run as the agent would run it: the same search, sandbox and
// checks. Because the user names the script, it needs no approval, except without a
// sandbox.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// execution is the outcome of a script, printed by --json.
type execution struct {
	SchemaVersion int      `json:"schema_version"`
	Skill         string   `json:"skill"`
	Script        string   `json:"script"`
	Command       []string `json:"command"` // the interpreter, its arguments, the file, the arguments; [] for a function
	Args          []string `json:"args"`
	Cwd           string   `json:"cwd"`
	Sandbox       string   `json:"sandbox"`
	ending
	Stdout    string  `json:"stdout"`
	Stderr    string  `json:"stderr"`
	Truncated bool    `json:"truncated"`
	Error     *string `json:"error"` // null if it exited with 0
}

// ending is how the process of a script ended.
type ending struct {
	ExitCode   *int   `json:"exit_code"` // null if it was not run
	TimedOut   bool   `json:"timed_out"`
	LimitMS    int64  `json:"limit_ms"` // its time limit
	Excess     string `json:"excess"`   // the other exceeded limit: "more than 256 processes"; or ""
	Signal     string `json:"signal"`
	DurationMS int64  `json:"duration_ms"`
}

// Exec runs one script, given as SKILL SCRIPT ARGUMENT..., and prints its outcome. The
// error is a *fault.Error, or the reason why the script was not run.
func Exec(ctx context.Context, env Env, o Options, asJSON bool, args []string) error {
	c := &console{Env: env, Output: o.Output}
	supervisor.DisableDump() // keys are in its environment
	words := append([]string{}, args[min(2, len(args)):]...)
	options := o.Options
	options.Approval.Ask = c.asker(true)
	options.Valid = func() error {
		if len(args) == 0 {
			return fault.Usage("list the skills with: skills list", "missing arguments: SKILL SCRIPT")
		}
		return nil
	}
	parts, t, err := findCall(ctx, env, options, args, words)
	defer parts.Close()
	if t == nil {
		return err
	}
	out := execution{
		SchemaVersion: 1, Skill: t.Skill.Name, Script: t.Script.Name, Args: words, Command: append([]string{}, t.Command...), Cwd: env.Dir,
		ending: ending{LimitMS: options.Scripts.Timeout.Milliseconds()},
	}
	out.Sandbox = cmp.Or(run.RunsElsewhere(parts), parts.Scripts.ExpectedSandbox().Name)
	if t.Script.Call != nil {
		out.Sandbox = sandbox.None // it is a part of this program
	}
	asked := o.Approval.Yes || o.Approval.Mode != "" // otherwise naming the script approves it
	if err == nil && (asked || needsConsent(ctx, parts, t)) {
		err = consent(ctx, parts, t)
	}
	if err == nil {
		err = c.execute(ctx, parts, t, &out)
	}
	err = c.printExecution(parts, out, asJSON, err)
	for _, text := range parts.Left() {
		c.Warn("%s", text)
	}
	return err
}

// consent asks for approval of a script.
func consent(ctx context.Context, parts *run.Parts, t *skills.Call) error {
	d, err := parts.Policy.Decide(ctx, t.Approval())
	if err == nil && !d.Approved {
		err = fault.AsFailed(d.Hint, fmt.Errorf("%s/%s was not run: %s", t.Skill.Name, t.Script.Name, d.Reason))
	}
	return err
}

// execute runs a script. The error is why it did not succeed.
func (c *console) execute(ctx context.Context, parts *run.Parts, t *skills.Call, out *execution) error {
	gaps := ""
	if run.RunsElsewhere(parts) == "" {
		gaps = run.NotEnforced(ctx, parts.Scripts)
	}
	if gaps != "" && t.Script.Call == nil {
		c.Warn("%s", gaps)
	}
	result, err := t.Execute(ctx)
	if err != nil {
		return err
	}
	out.fill(result)
	return outcome(ctx, parts.Options.Scripts.Timeout, t, result)
}

// findCall finds the skill, the script and its arguments. The error may come with a
// call.
func findCall(ctx context.Context, env Env, o run.Options, args, words []string) (*run.Parts, *skills.Call, error) {
	name := ""
	parts, err := run.AssembleScripts(ctx, env.Env, o, func(ctx context.Context, p *run.Parts) (found run.Skills, err error) {
		found, name, err = findNamed(ctx, p, args[0])
		return found, err
	})
	if err != nil {
		return parts, nil, err
	}
	scriptName := strings.Join(args[1:min(2, len(args))], "")
	t, err := parts.Call(ctx, name, scriptName, nil)
	unknown := errors.Is(err, skills.ErrUnknownSkill)
	switch {
	case t != nil:
		raw, err := scriptArguments(t, words)
		if err != nil {
			return parts, nil, err
		}
		t, err = parts.Call(ctx, name, scriptName, raw)
		return parts, t, err
	case unknown || errors.Is(err, skills.ErrUnknownScript):
		err := run.Unknown(ctx, parts, args[0], err)
		hint := fault.Hint(err) // the user probably means the folder with this name
		info, here := os.Stat(files.Absolute(env.Dir, args[0]))
		if here == nil && info.IsDir() && unknown {
			hint = "for the folder here write ./" + args[0]
		}
		return parts, nil, &fault.Error{Code: fault.Misuse, Err: err, Hint: hint}
	}
	return parts, nil, err
}

// needsConsent reports whether a named script still needs approval: if no sandbox
// works, and a user is at the terminal. Otherwise it is rejected.
func needsConsent(ctx context.Context, parts *run.Parts, t *skills.Call) bool {
	sure := parts.Scripts.Sandbox == script.SandboxOff || run.RunsElsewhere(parts) != ""
	if t.Script.Call != nil || sure || !parts.Asks() {
		return false
	}
	status, err := parts.Scripts.TrySandbox(ctx)
	return err == nil && status.Name == sandbox.None
}

// findNamed finds the skill for SKILL: a folder if it contains a slash, else a skill in
// the default places, or a built-in one.
func findNamed(ctx context.Context, p *run.Parts, word string) (found run.Skills, name string, err error) {
	isPath := word == "." || word == ".." || strings.ContainsAny(word, `/`+string(os.PathSeparator))
	if !isPath {
		own, err := builtin.Skills(p.Env.Dir)
		if err != nil {
			return found, "", err
		}
		// Built-in skills are for users who know their names.
		known := slices.ContainsFunc(own, func(s *loader.Skill) bool { return strings.EqualFold(s.Name, word) })
		p.Options.Skills.NoBuiltin = word != "" && !known
		found, err = p.FindSkills(ctx, "--skills: ")
		return found, word, err
	}
	_, err = os.Stat(files.Absolute(p.Env.Dir, word))
	if err != nil {
		return found, "", fault.Usage("check the path and the current directory", "%s does not exist", word)
	}
	return p.FindFolder(ctx, word)
}

// Complete returns the names of a skill's scripts, or of all skills if skill is "".
func Complete(ctx context.Context, env Env, o run.Options, skill string) ([]string, error) {
	skills, name, err := findNamed(ctx, run.New(env.Env, o), skill)
	if err != nil {
		return nil, err
	}
	found, err := skills.Source.Skills(ctx)
	if skill == "" {
		return printable.Map(found, func(s *loader.Skill) string { return s.Name }), err
	}
	for _, s := range found {
		if strings.EqualFold(s.Name, name) {
			contents, err := s.Contents(ctx)
			return printable.Map(contents.Scripts, func(x loader.Script) string { return x.Name }), err
		}
	}
	return nil, err
}

func (e *execution) fill(r script.Result) {
	e.Sandbox, e.TimedOut, e.Excess, e.Signal, e.DurationMS = r.Sandbox, r.TimedOut, r.Excess, r.Signal, r.Duration.Milliseconds()
	e.Stdout, e.Stderr, e.Truncated, e.ExitCode = r.Stdout, r.Stderr, r.Truncated, &r.ExitCode
	if len(e.Command) == 0 {
		e.Stdout += "\n" // a function's value has no line feed
	}
}

// outcome returns the error of a script that was run, or nil if it exited with 0.
func outcome(ctx context.Context, timeout time.Duration, t *skills.Call, got script.Result) error {
	name := t.Skill.Name + "/" + t.Script.Name
	switch {
	case got.OK():
		return nil
	case got.TimedOut:
		return &fault.Error{Code: fault.Limit, Err: fmt.Errorf("%s exceeded its time limit of %s and was terminated", name, timeout), Hint: "increase it with --script-timeout"}
	case got.Interrupted:
		return context.Cause(ctx)
	case got.Excess != "":
		return &fault.Error{Code: fault.Limit, Err: fmt.Errorf("%s had %s and was terminated", name, got.Excess)}
	case got.Signal != "":
		return fault.AsFailed("", fmt.Errorf("%s was terminated by signal %s", name, got.Signal))
	}
	return fault.AsFailed("", fmt.Errorf("%s exited with code %d", name, got.ExitCode))
}

// printExecution prints the outcome of a script. cause is the reason why it failed, or
// nil.
func (c *console) printExecution(parts *run.Parts, e execution, asJSON bool, cause error) error {
	if asJSON {
		if cause != nil {
			text := printable.Text(parts.Mask.Text(cause.Error()))
			e.Error = &text
		}
		if err := printable.WriteJSON(parts.Mask.Lines(printable.EscapeJSON(c.Stdout)), e); err != nil {
			return err
		}
		return cause
	}
	if cause != nil && e.Stderr != "" && !strings.HasSuffix(e.Stderr, "\n") {
		e.Stderr += "\n"
	}
	// Standard error is last, where users of a terminal look.
	if _, err := io.WriteString(printable.Exact(c.Stdout), printable.Text(parts.Mask.Text(e.Stdout))); err != nil {
		return err
	}
	if _, err := io.WriteString(printable.Exact(c.Stderr), printable.Text(parts.Mask.Text(e.Stderr))); err != nil {
		return err
	}
	return cause
}

// scriptArguments converts the words after -- to the tool's arguments. A file gets the
// words; a function gets an object: the only word if that is one, or the values of
// --name value, --name=value and --name.
func scriptArguments(t *skills.Call, words []string) (json.RawMessage, error) {
	if t.Script.Call == nil {
		return json.RawMessage(printable.JSONText(words)), nil
	}
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		if !json.Valid([]byte(words[0])) {
			return nil, fault.Usage(describeParameters(t.Script), "the arguments of %s are no JSON object", t.Script.Name)
		}
		return json.RawMessage(words[0]), nil
	}
	object := map[string]any{}
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		name = strings.TrimPrefix(name, "--")
		if name == words[i] || name == "" {
			return nil, fault.Usage(describeParameters(t.Script), "%s takes its arguments by their names, got %q", t.Script.Name, words[i])
		}
		object[name] = true
		if given {
			object[name] = value
		} else if i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			object[name] = words[i]
		}
	}
	return json.RawMessage(printable.JSONText(object)), nil
}

// describeParameters describes the parameters of a function.
func describeParameters(s loader.Script) string {
	properties, _ := s.Schema["properties"].(map[string]any)
	if len(properties) == 0 {
		return "it takes none"
	}
	names := slices.Sorted(maps.Keys(properties))
	return "it takes --" + strings.Join(names, " VALUE, --") + " VALUE, or one JSON object"
}
