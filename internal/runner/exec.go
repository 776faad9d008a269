package runner

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

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
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
	ExitCode      *int     `json:"exit_code"` // null if it was not run
	TimedOut      bool     `json:"timed_out"`
	LimitMS       int64    `json:"limit_ms"` // its time limit
	Excess        string   `json:"excess"`   // the other exceeded limit: "more than 256 processes"; or ""
	Signal        string   `json:"signal"`
	DurationMS    int64    `json:"duration_ms"`
	Stdout        string   `json:"stdout"`
	Stderr        string   `json:"stderr"`
	Truncated     bool     `json:"truncated"`
	Error         *string  `json:"error"` // null if it exited with 0
}

// Exec runs one script, given as SKILL SCRIPT ARGUMENT..., and prints its outcome. The
// error is an *fault.Error, or the reason why the script was not run.
func (r *Runner) Exec(ctx context.Context, asJSON bool, args []string) error {
	r.named = true
	r.ReadKeys(ctx)                   // errors about flags may contain keys
	asked := r.Yes || r.Approve != "" // otherwise naming the script approves it
	if err := r.check(); err != nil {
		return err
	}
	if len(args) == 0 {
		return fault.Usage("list the skills with: skills list", "missing arguments: SKILL SCRIPT")
	}
	supervisor.DisableDump() // keys are in its environment
	defer r.Close()
	words := append([]string{}, args[min(2, len(args)):]...)
	t, err := r.findCall(ctx, args, words)
	if t == nil {
		return err
	}
	out := execution{
		SchemaVersion: 1, Skill: t.Skill.Name, Script: t.Script.Name, Args: words,
		Command: append([]string{}, t.Command...), Cwd: r.Dir, Sandbox: r.scripts.ExpectedSandbox().Name, LimitMS: r.ScriptTimeout.Milliseconds(),
	}
	if t.Script.Call != nil {
		out.Sandbox = sandbox.None // it is a part of this program
	}
	if err == nil && (asked || r.needsConsent(ctx, t)) {
		var d agent.Decision
		if d, err = r.policy.Decide(ctx, t); err == nil && !d.Approved {
			err = fault.AsFailed(d.Hint, fmt.Errorf("%s/%s was not run: %s", t.Skill.Name, t.Script.Name, d.Reason))
		}
	}
	if err == nil {
		if gaps := r.notEnforced(ctx); gaps != "" && t.Script.Call == nil {
			r.Warn("%s", gaps)
		}
		var result script.Result
		if result, err = t.Run(ctx); err == nil {
			out.fill(result)
			err = r.outcome(ctx, t, result)
		}
	}
	err = r.printExecution(out, asJSON, err)
	r.printLeft()
	return err
}

// findCall finds the skill, the script and its arguments. The error may come with a
// call.
func (r *Runner) findCall(ctx context.Context, args, words []string) (*skills.Call, error) {
	skill, scriptName := args[0], strings.Join(args[1:min(2, len(args))], "")
	name, err := r.findNamed(ctx, skill)
	if err == nil {
		err = r.buildSkills("")
	}
	if err != nil {
		return nil, err
	}
	t, err := r.provider.Find(ctx, name, scriptName, nil)
	switch unknown := errors.Is(err, skills.ErrUnknownSkill); {
	case t != nil:
		raw, err := scriptArguments(t, words)
		if err != nil {
			return nil, err
		}
		return r.provider.Find(ctx, name, scriptName, raw)
	case unknown || errors.Is(err, skills.ErrUnknownScript):
		hint := fault.Hint(err) // the user probably means the folder with this name
		if info, here := os.Stat(r.absolute(skill)); here == nil && info.IsDir() && unknown {
			hint = "for the folder here write ./" + skill
		}
		return nil, cmp.Or(r.chooser.Missing(skill), error(&fault.Error{Code: fault.Misuse, Err: err, Hint: hint}))
	}
	return nil, err
}

// needsConsent reports whether a named script still needs approval: if no sandbox
// works, and a user is at the terminal. Otherwise the runner rejects it.
func (r *Runner) needsConsent(ctx context.Context, t *skills.Call) bool {
	if t.Script.Call != nil || r.scripts.Sandbox == script.SandboxOff || r.asker() == nil {
		return false
	}
	status, err := r.scripts.TrySandbox(ctx)
	return err == nil && status.Name == sandbox.None
}

// findNamed finds the skill for SKILL: a folder if it contains a slash, else a skill in
// the default places, or a built-in one.
func (r *Runner) findNamed(ctx context.Context, word string) (name string, err error) {
	if word != "." && word != ".." && !strings.ContainsAny(word, `/`+string(os.PathSeparator)) {
		own, err := builtin.Skills(r.Dir)
		if err != nil {
			return "", err
		}
		// Built-in skills are for users who know their names.
		r.NoBuiltin = word != "" && !slices.ContainsFunc(own, func(s *loader.Skill) bool { return strings.EqualFold(s.Name, word) })
		return word, r.findSkills(ctx)
	}
	if _, err := os.Stat(r.absolute(word)); err != nil {
		return "", fault.Usage("check the path and the current directory", "%s does not exist", word)
	}
	files, err := r.fileSource([]string{word})
	if err != nil {
		return "", err
	}
	r.source = loader.Cache(files)
	found, err := r.source.Skills(ctx)
	if err = cmp.Or(err, r.chooser.End(r.announceNote)); err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fault.Usage("name the folder of one skill, the one with its SKILL.md", "%s has %d usable skills", word, len(found))
	}
	return found[0].Name, nil
}

// Complete returns the names of a skill's scripts, or of all skills if skill is "".
func (r *Runner) Complete(ctx context.Context, skill string) ([]string, error) {
	name, err := r.findNamed(ctx, skill)
	if err != nil {
		return nil, err
	}
	found, err := r.source.Skills(ctx)
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
func (r *Runner) outcome(ctx context.Context, t *skills.Call, got script.Result) error {
	name := t.Skill.Name + "/" + t.Script.Name
	switch {
	case got.OK():
		return nil
	case got.TimedOut:
		return &fault.Error{Code: fault.Limit, Err: fmt.Errorf("%s exceeded its time limit of %s and was terminated", name, r.ScriptTimeout), Hint: "increase it with --script-timeout"}
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
func (r *Runner) printExecution(e execution, asJSON bool, cause error) error {
	if asJSON {
		if cause != nil {
			text := printable.Text(r.mask.Text(cause.Error()))
			e.Error = &text
		}
		if err := printable.WriteJSON(r.mask.Lines(printable.EscapeJSON(r.Stdout)), e); err != nil {
			return err
		}
		return cause
	}
	if cause != nil && e.Stderr != "" && !strings.HasSuffix(e.Stderr, "\n") {
		e.Stderr += "\n"
	}
	// Standard error is last, where users of a terminal look.
	if _, err := io.WriteString(printable.Exact(r.Stdout), printable.Text(r.mask.Text(e.Stdout))); err != nil {
		return err
	}
	if _, err := io.WriteString(printable.Exact(r.Stderr), printable.Text(r.mask.Text(e.Stderr))); err != nil {
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
		if name = strings.TrimPrefix(name, "--"); name == words[i] || name == "" {
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
