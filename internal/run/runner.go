package run

// Scripts of skills may run elsewhere: a program of the user's, outside the sandbox, gets
// each call as JSON and returns what the script printed and its exit code. The call is
// resolved and approved like any other, and its files are compared right before.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/hook"
	"skills/internal/printable"
	"skills/internal/script"
)

// elsewhere runs scripts through a program of the user's.
type elsewhere struct {
	name    string // in place of that of a sandbox
	words   []string
	pinned  *hook.PinnedRunner
	scripts *script.Runner // resolves the calls
}

const (
	maxRunnerAnswer = 8 << 20
	runnerGrace     = 30 * time.Second // beyond the time limit of a script, to start and stop what it runs in
)

// newElsewhere returns the runner of --runner. Its error is a *fault.Error.
func newElsewhere(env Env, o Options, scripts *script.Runner) (*elsewhere, error) {
	const form = "write it as 'PROGRAM ARGUMENT...'"
	command, err := hook.Parse(o.Scripts.Runner)
	if err != nil {
		return nil, fault.Usage(form, "--runner: %w", err)
	}
	runner := &script.Runner{
		Dir: env.Dir, Env: env.Environ, AllowWrite: writable(env, o.Scripts)[1:], Timeout: o.Scripts.Timeout + runnerGrace,
		PassEnv: o.Scripts.PassEnv, OutputLimit: maxRunnerAnswer,
	}
	err = script.Startable(runner, command.Words)
	if err != nil {
		return nil, fault.Usage("install it, or check the path and the PATH", "--runner: %w", err)
	}
	return &elsewhere{
		name: "runner " + filepath.Base(command.Words[0]), words: command.Words, scripts: scripts,
		pinned: hook.NewPinnedRunner(runner, env.Dir, writable(env, o.Scripts), command),
	}, nil
}

// try takes the place of trying a sandbox: the user trusts the runner.
func (e *elsewhere) try(context.Context) (agent.Sandbox, error) {
	return agent.Sandbox{Name: e.name}, nil
}

// Command returns the command line here, or the script with its arguments if its
// interpreter is not installed here.
func (e *elsewhere) Command(s script.Script, args []string) ([]string, error) {
	command, err := e.scripts.Command(s, args)
	if err == nil {
		return command, nil
	}
	if _, unreadable := script.Digest(s); unreadable != nil {
		return nil, err
	}
	return append([]string{filepath.Join(s.Dir, filepath.FromSlash(s.Name))}, args...), nil
}

// runnerCall is what the program reads.
type runnerCall struct {
	SchemaVersion int      `json:"schema_version"`
	Skill         string   `json:"skill"`
	Script        string   `json:"script"`
	Folder        string   `json:"folder"` // of the skill
	Digest        string   `json:"digest"` // SHA-256 of the script
	Arguments     []string `json:"arguments"`
	Command       []string `json:"command"`
	Cwd           string   `json:"cwd"`
	TimeoutMS     int64    `json:"timeout_ms"`
}

// runnerAnswer is what it writes.
type runnerAnswer struct {
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode *int   `json:"exit_code"`
	TimedOut bool   `json:"timed_out"`
}

// Run implements [skills.Runner].
func (e *elsewhere) Run(ctx context.Context, s script.Script, args []string) (script.Result, error) {
	command, err := e.Command(s, args)
	if err != nil {
		return script.Result{}, err
	}
	err = script.Check(ctx, s)
	if err != nil {
		return script.Result{}, err
	}
	input := printable.JSONText(runnerCall{
		SchemaVersion: 1, Skill: s.Skill, Script: s.Name, Folder: s.Dir, Digest: s.Digest, Arguments: append([]string{}, args...),
		Command: command, Cwd: e.scripts.Dir, TimeoutMS: cmp.Or(e.scripts.Timeout, script.DefaultTimeout).Milliseconds(),
	})
	if e.scripts.Around != nil {
		defer e.scripts.Around()()
	}
	got, err := e.pinned.Ask(ctx, e.words, []byte(input+"\n"), "SKILLS_RUNNER=1")
	if err != nil {
		return script.Result{}, fmt.Errorf("the %s: %w", e.name, err)
	}
	if ctx.Err() != nil {
		return script.Result{}, context.Cause(ctx)
	}
	answer, err := readRunnerAnswer(got)
	if err != nil {
		return script.Result{}, fmt.Errorf("the %s failed: %w", e.name, err)
	}
	result := script.Elsewhere(e.scripts, answer.Stdout, answer.Stderr)
	result.ExitCode, result.TimedOut, result.Duration, result.Limit = *answer.ExitCode, answer.TimedOut, got.Duration, e.scripts.Timeout
	result.Sandbox, result.Command = e.name, command
	return result, nil
}

// readRunnerAnswer reads what the program wrote. Its own failure is not that of the script.
func readRunnerAnswer(got script.Result) (answer runnerAnswer, err error) {
	if !got.OK() {
		return answer, errors.New(strings.ReplaceAll(printable.TruncateMiddle(got.TextOf("it"), 1000), "\n", "; "))
	}
	err = json.Unmarshal([]byte(got.Stdout), &answer)
	switch {
	case err != nil:
		return answer, errors.New("its output is not one JSON object")
	case answer.ExitCode == nil:
		return answer, errors.New("its output has no exit_code")
	}
	return answer, nil
}
