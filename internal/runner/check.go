package runner

import (
	"cmp"
	"fmt"
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
		if r.Demo { // its script is ours
			r.AllowScripts = append(r.AllowScripts, "unit-converter/*")
		}
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
	says := fmt.Sprintf
	for _, c := range []struct {
		wrong      bool
		text, hint string
	}{
		{r.MaxTurns < 1, says("--max-turns %v is less than 1", r.MaxTurns), "pass at least 1"},
		{r.Timeout < 0, says("--timeout %v is negative", r.Timeout), "pass a time such as 90s or 10m, or 0 for no limit"},
		{r.ScriptTimeout <= 0, says("--script-timeout %v is not positive", r.ScriptTimeout), "pass a time such as 90s"},
		{r.MaxTokens < 0, says("--max-tokens %v is negative", r.MaxTokens), "pass a number of tokens, or 0 for no limit"},
		{r.FinishTodos < 0, says("--finish-todos %v is negative", r.FinishTodos), "pass a number, or 0 for never"},
		{r.FinishTodos > 0 && r.NoTodo, "--finish-todos cannot be used with --no-todo", "use only one of them"},
		{r.IdleTimeout < 0, says("--idle-timeout %v is negative", r.IdleTimeout), "pass a time such as 30s, or 0 for no limit"},
		{r.Retries < 0, says("--retries %v is negative", r.Retries), "pass a number, 0 for never"},
		{r.MaxToolCalls < 0, says("--max-tool-calls %v is negative", r.MaxToolCalls), "pass a number of calls, or 0 for no limit"},
		{r.MaxRepeats < 0 || r.MaxRepeats == 1, says("--max-repeats %v is less than 2", r.MaxRepeats), "pass at least 2, or 0 for no limit"},
		{r.MaxFailures < 0, says("--max-failures %v is negative", r.MaxFailures), "pass a number of turns, or 0 to end at the first that fails"},
		{r.Replay != "" && r.Record != "", "--record cannot be used with --replay", "record a run with a server, then play it back"},
		{r.Demo && r.Session != "", "--demo cannot be used with --session", "omit --session"},
		{r.Demo && r.NoBuiltin, "--demo cannot be used with --no-builtin", "omit --no-builtin"},
		{r.Demo && (r.Replay != "" || r.Record != "" || len(r.Skills) > 0),
			"--demo cannot be used with --replay, --record or --skills", "the demo has its own skill and its own recording"},
	} {
		if c.wrong {
			return Refuse(c.hint, "%s", c.text)
		}
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
