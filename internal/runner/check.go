package runner

import (
	"cmp"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/suggest"
	"skills/internal/terminal"
)

// check refuses flags that cannot be meant.
func (r *Runner) check() error {
	for _, name := range r.PassEnv {
		if err := variableName("--pass-env", name); err != nil {
			return err
		}
	}
	if err := variableName("--api-key-env", r.KeyEnv); err != nil {
		return err
	}
	if r.Yes && r.Approve != "" && r.Approve != string(skills.Always) {
		return Refuse("use only one of them", "-y cannot be used with --approve %s", r.Approve)
	}
	switch {
	case r.Yes:
		r.Approve = string(skills.Always)
	case r.Approve == "":
		r.Approve = string(skills.Ask)
	}
	for _, c := range []struct{ flag, value, choices string }{
		{"--approve", r.Approve, "ask, always, never"},
		{"--sandbox", r.Sandbox, "auto, require, off"},
		{"--format", r.Format, strings.Join(Formats(), ", ")},
	} {
		names := strings.Split(c.choices, ", ")
		if !slices.Contains(names, c.value) {
			return Refuse(suggest.Hint(c.value, names, ""), "unknown value %q of %s", c.value, c.flag)
		}
	}
	switch {
	case r.MaxTurns < 1:
		return Refuse("pass at least 1", "--max-turns %d is less than 1", r.MaxTurns)
	case r.Timeout < 0:
		return Refuse("pass a time such as 90s or 10m, or 0 for no limit", "--timeout %s is negative", r.Timeout)
	case r.ScriptTimeout <= 0:
		return Refuse("pass a time such as 90s", "--script-timeout %s is not positive", r.ScriptTimeout)
	case r.MaxTokens < 0:
		return Refuse("pass a number of tokens, or 0 for no limit", "--max-tokens %d is negative", r.MaxTokens)
	case r.FinishTodos < 0:
		return Refuse("pass a number, or 0 for never", "--finish-todos %d is negative", r.FinishTodos)
	case r.FinishTodos > 0 && r.NoTodo:
		return Refuse("use only one of them", "--finish-todos cannot be used with --no-todo")
	case r.IdleTimeout < 0:
		return Refuse("pass a time such as 30s, or 0 for no limit", "--idle-timeout %s is negative", r.IdleTimeout)
	case r.Retries < 0:
		return Refuse("pass a number, 0 for never", "--retries %d is negative", r.Retries)
	case r.MaxToolCalls < 0:
		return Refuse("pass a number of calls, or 0 for no limit", "--max-tool-calls %d is negative", r.MaxToolCalls)
	case r.MaxRepeats < 0 || r.MaxRepeats == 1:
		return Refuse("pass at least 2, or 0 for no limit", "--max-repeats %d is less than 2", r.MaxRepeats)
	case r.MaxFailures < 0:
		return Refuse("pass a number of turns, or 0 to end at the first that fails", "--max-failures %d is negative", r.MaxFailures)
	case r.Replay != "" && r.Record != "":
		return Refuse("record a run with a server, then play it back", "--record cannot be used with --replay")
	case r.Demo && r.Session != "":
		return Refuse("omit --session", "--demo cannot be used with --session")
	case r.Demo && r.NoBuiltin:
		return Refuse("omit --no-builtin", "--demo cannot be used with --no-builtin")
	case r.Demo && (r.Replay != "" || r.Record != "" || len(r.Skills) > 0):
		return Refuse("the demo has its own skill and its own recording", "--demo cannot be used with --replay, --record or --skills")
	}
	return nil
}

// limits turns the flags into the agent's.
func (r *Runner) limits() agent.Limits {
	return agent.Limits{
		Turns: r.MaxTurns, Tokens: r.MaxTokens,
		Idle: cmp.Or(r.IdleTimeout, noneAtAll), Failures: cmp.Or(r.MaxFailures, noneAtAll),
	}
}

// noneAtAll is the agent's value for a flag of 0; its own 0 is the default.
const noneAtAll = -1

// callLimits are the limits that concern single calls.
func (r *Runner) callLimits() []agent.Middleware {
	var out []agent.Middleware
	if r.MaxToolCalls > 0 {
		out = append(out, agent.LimitCalls(r.MaxToolCalls))
	}
	if r.MaxRepeats > 0 {
		out = append(out, agent.LimitRepeats(r.MaxRepeats))
	}
	return out
}

// streams reports whether the run asks for server-sent events.
func (r *Runner) streams() bool {
	if r.StreamSet {
		return r.Stream
	}
	return r.Format == "text" && !r.Quiet && terminal.Is(r.Stdout)
}
