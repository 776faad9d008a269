package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/hook"
	"skills/internal/printable"
	"skills/internal/suggest"
	"skills/internal/terminal"
	"skills/internal/todo"
)

// prepare sets up a run. The runner must be closed even after an error.
func (r *Runner) prepare(ctx context.Context, args []string) error {
	if err := r.check(); err != nil {
		return err
	}
	if len(args) == 0 && !r.Demo && !r.ShowContext && terminal.Is(r.Stdin) {
		return fault.Usage(noPromptHint, "no prompt")
	}
	if err := r.readEnv(ctx).err; errors.As(err, new(*files.UnfinishedError)) {
		return err // it is required for the keys in it
	}
	for _, step := range []func(context.Context) error{
		r.findSkills, r.planServer, r.planHooks, func(ctx context.Context) error { return r.planPrompt(ctx, args) },
		r.openSession, r.openAudit, r.openRecording, r.planSkills, r.planMCP, r.planAgent, r.planParams, r.attach,
		r.activate, r.planRecording,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// planServer finds the model's server, unless a recording or --show-context makes that
// unnecessary.
func (r *Runner) planServer(ctx context.Context) error {
	if r.Demo || r.Replay != "" || r.ShowContext {
		r.server = Server{Model: cmp.Or(r.Model, DefaultModel), BaseURL: "http://recording.invalid/v1"}
		return nil
	}
	var err error
	if r.server, err = r.FindServer(ctx); err != nil {
		return err
	}
	if err := r.ConfirmServer(ctx, r.server, false); err != nil {
		return err
	}
	if r.server.Warning != "" {
		r.Warn("%s", r.server.Warning)
	}
	return nil
}

func (r *Runner) planPrompt(ctx context.Context, args []string) error {
	switch {
	case r.Demo && len(args) > 0:
		return fault.Usage(fmt.Sprintf("omit the prompt; the demo uses %q", builtin.DemoPrompt), "--demo plays a recorded conversation, with its own prompt")
	case r.Demo:
		r.prompt = builtin.DemoPrompt
		return nil
	case r.ShowContext && len(args) == 0:
		return nil
	}
	var err error
	r.prompt, err = r.readPrompt(ctx, args)
	return err
}

// planSkills reads the instructions, and builds what offers the skills.
func (r *Runner) planSkills(ctx context.Context) (err error) {
	r.config.Instructions = r.System
	if name, isFile := strings.CutPrefix(r.System, "@"); isFile {
		if name == "" {
			return fault.Usage("write --system @FILE, or the text itself", "--system @: no file is named")
		}
		if r.config.Instructions, err = r.file(ctx, "--system", name, maxTextFile); err != nil {
			return err
		}
	}
	template, err := r.file(ctx, "--prompt-template", r.PromptTemplate, maxTextFile)
	if err != nil {
		return err
	}
	if err := r.buildSkills(template); err != nil {
		return err
	}
	r.warnOfExposed(r.unconfined...)
	return nil
}

// planAgent configures the agent with its context providers and middleware.
func (r *Runner) planAgent(ctx context.Context) error {
	c := &r.config
	var limits []agent.Middleware
	if r.MaxToolCalls > 0 {
		limits = append(limits, agent.LimitCalls(r.MaxToolCalls))
	}
	if r.MaxRepeats > 0 {
		limits = append(limits, agent.LimitRepeats(r.MaxRepeats))
	}
	if !r.StreamSet {
		r.Stream = r.Format == "text" && !r.Quiet && terminal.Is(r.Stdout)
	}
	c.Server = agent.Server{BaseURL: r.server.BaseURL, APIKey: r.server.key, UserAgent: "skills/" + r.Version, Retries: r.Retries}
	c.Model, c.Stream, c.Parallel = r.server.Model, r.Stream, r.Parallel
	// The approval is the innermost: what it approves is what runs.
	c.Middleware = slices.Concat(limits, c.Middleware, []agent.Middleware{agent.Approval(r.approve)})
	c.Limits = agent.Limits{Turns: r.MaxTurns, Tokens: r.MaxTokens, Idle: r.IdleTimeout, Failures: r.MaxFailures}
	if c.NoCompaction = r.Compact == "off"; !c.NoCompaction {
		c.Window = cmp.Or(r.ContextWindow, agent.Window(r.server.Model))
	}
	c.Providers = append(c.Providers, r.provider)
	if !r.NoTodo {
		instructions, err := r.file(ctx, "--todo-instructions", r.TodoInstructions, maxTextFile)
		if err != nil {
			return err
		}
		if r.TodoInstructions != "" && strings.TrimSpace(instructions) == "" {
			return fault.Usage("write instructions, or pass --no-todo", "--todo-instructions: %s is empty", r.TodoInstructions)
		}
		c.Providers = append(c.Providers, todo.New(todo.Options{Instructions: instructions, SuppressList: r.NoTodoMessage}))
		c.Checks = append(c.Checks, todo.CompletionCheck(r.FinishTodos))
	}
	if r.mcp != nil { // after all others, whose tools keep their names
		c.Providers = append(c.Providers, r.mcp)
	}
	return nil
}

// activate loads the skills named by the prompt and --skill.
func (r *Runner) activate(ctx context.Context) error {
	if r.Demo {
		r.announceNote("this is a recording: the model's turns are played back; the skill, its script and the todo list are real")
	}
	mentioned := skills.Mentioned{Rest: r.prompt}
	if !r.NoSlash {
		var err error
		if mentioned, err = r.provider.Mention(ctx, r.prompt); err != nil {
			word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(r.prompt), "/"), " ")
			return cmp.Or(r.chooser.Missing(word), fault.AsUsageIfHinted(err))
		}
	}
	for _, note := range mentioned.Notes {
		fmt.Fprintf(r.Stderr, "note: %s\n", printable.Line(note))
	}
	r.prompt = mentioned.Prompt()
	names := append(mentioned.Names, r.Activate...)
	for i, name := range names {
		if containsFold(names[:i], name) {
			continue
		}
		asks, err := r.provider.Activate(ctx, r.session, name)
		if err != nil {
			return cmp.Or(r.chooser.Missing(name), fault.AsUsage(fmt.Errorf("--skill: %w", err)))
		}
		if asks != "" {
			r.announceNote(asks)
		}
	}
	return nil
}

// Check returns the errors of flags that a run would find before it starts.
func (r *Runner) Check() error {
	for _, text := range r.AllowScripts {
		if _, err := skills.ParsePattern(text, "skill", "script"); err != nil {
			return badScriptPattern(err)
		}
	}
	return cmp.Or(r.check(), r.parseHooks(func(string, hook.Command) {}))
}

// check returns an error for invalid combinations of flags.
func (r *Runner) check() error {
	if err := cmp.Or(variableName("--pass-env", r.PassEnv...), variableName("--api-key-env", r.KeyEnv)); err != nil {
		return err
	}
	if r.Yes && r.Approve != "" && r.Approve != string(skills.Always) {
		return fault.Usage("use only one of them", "-y cannot be used with --approve %s", r.Approve)
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
		{"--compact", cmp.Or(r.Compact, "auto"), "auto, off"},
		{"--format", r.Format, strings.Join(Formats(), ", ")},
	} {
		names := strings.Split(c.choices, ", ")
		if !slices.Contains(names, c.value) {
			return fault.Usage(suggest.Hint(c.value, names, ""), "unknown value %q of %s", c.value, c.flag)
		}
	}
	return cmp.Or(
		fault.UsageIf(r.MaxTurns < 1, "pass at least 1", "--max-turns %v is less than 1", r.MaxTurns),
		fault.UsageIf(r.Timeout < 0, "pass a time such as 90s or 10m, or 0 for no limit", "--timeout %v is negative", r.Timeout),
		fault.UsageIf(r.ScriptTimeout <= 0, "pass a time such as 90s", "--script-timeout %v is not positive", r.ScriptTimeout),
		fault.UsageIf(r.MaxTokens < 0, "pass a number of tokens, or 0 for no limit", "--max-tokens %v is negative", r.MaxTokens),
		fault.UsageIf(r.WindowSet && r.ContextWindow < 1, "pass a number of tokens, such as 32768", "--context-window %v is less than 1", r.ContextWindow),
		fault.UsageIf(r.FinishTodos < 0, "pass a number, or 0 for never", "--finish-todos %v is negative", r.FinishTodos),
		fault.UsageIf(r.FinishTodos > 0 && r.NoTodo, "use only one of them", "--finish-todos cannot be used with --no-todo"),
		fault.UsageIf((r.TodoInstructions != "" || r.NoTodoMessage) && r.NoTodo, "omit --no-todo", "--todo-instructions and --no-todo-message cannot be used with --no-todo"),
		fault.UsageIf(r.IdleTimeout < 0 && r.IdleTimeout != agent.DefaultIdle, "pass a time such as 30s, or 0 for no limit", "--idle-timeout %v is negative", r.IdleTimeout),
		fault.UsageIf(r.Retries < 0, "pass a number, 0 for never", "--retries %v is negative", r.Retries),
		fault.UsageIf(r.MaxToolCalls < 0, "pass a number of calls, or 0 for no limit", "--max-tool-calls %v is negative", r.MaxToolCalls),
		fault.UsageIf(r.MaxRepeats < 0 || r.MaxRepeats == 1, "pass at least 2, or 0 for no limit", "--max-repeats %v is less than 2", r.MaxRepeats),
		fault.UsageIf(r.MaxFailures < 0, "pass a number of turns, or 0 to end at the first that fails", "--max-failures %v is negative", r.MaxFailures),
		fault.UsageIf(r.Replay != "" && r.Record != "", "record a run with a server, then play it back", "--record cannot be used with --replay"),
		fault.UsageIf(r.Demo && r.Session != "", "omit --session", "--demo cannot be used with --session"),
		fault.UsageIf(r.Demo && len(r.MCP) > 0, "omit --mcp; the demo is recorded", "--demo cannot be used with --mcp"),
		fault.UsageIf(r.Demo && r.NoBuiltin, "omit --no-builtin", "--demo cannot be used with --no-builtin"),
		fault.UsageIf(r.Demo && len(r.Choice.Only)+len(r.Choice.Without) > 0, "the demo has one skill, its own", "--demo cannot be used with --only or --without"),
		fault.UsageIf(r.Demo && (r.Replay != "" || r.Record != "" || len(r.Skills) > 0), "the demo has its own skill and its own recording", "--demo cannot be used with --replay, --record or --skills"),
	)
}
