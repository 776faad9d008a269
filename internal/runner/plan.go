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
	"skills/internal/printable"
	"skills/internal/safefile"
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
		return Refuse(noPromptHint, "no prompt")
	}
	if err := r.readEnv(ctx).err; errors.As(err, new(*safefile.UnfinishedError)) {
		return err // it is required for the keys in it
	}
	for _, step := range []func(context.Context) error{
		r.findSkills, r.planServer, r.planHooks, func(ctx context.Context) error { return r.planPrompt(ctx, args) },
		r.openSession, r.openAudit, r.openRecording, r.planProviders, r.planRecording,
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
	if r.server.Warning != "" {
		r.warnf("%s", r.server.Warning)
	}
	return nil
}

func (r *Runner) planPrompt(ctx context.Context, args []string) error {
	switch {
	case r.Demo && len(args) > 0:
		return Refuse(fmt.Sprintf("omit the prompt; the demo asks %q", builtin.DemoPrompt), "--demo plays a recorded conversation, with its own prompt")
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

// planProviders creates the context providers and the middleware of tool calls.
func (r *Runner) planProviders(ctx context.Context) error {
	var err error
	system, template := r.System, ""
	if name, isFile := strings.CutPrefix(system, "@"); isFile {
		if name == "" {
			return Refuse("write --system @FILE, or the text itself", "--system @: no file is named")
		}
		if system, err = r.file(ctx, "--system", name, maxTextFile); err != nil {
			return err
		}
	}
	if r.PromptTemplate != "" {
		if template, err = r.file(ctx, "--prompt-template", r.PromptTemplate, maxTextFile); err != nil {
			return err
		}
	}
	if err := r.planScripts(r.ShowContext); err != nil {
		return err
	}
	if err := r.buildSkills(template, false); err != nil {
		return err
	}
	if err := r.planMCP(ctx); err != nil {
		return err
	}
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
	r.config = agent.Config{
		Server: agent.Server{BaseURL: r.server.BaseURL, APIKey: r.server.key, UserAgent: "skills/" + r.Version, Retries: cmp.Or(r.Retries, noneAtAll)},
		Model:  r.server.Model, Instructions: system,
		// The approval is the innermost: what it approves is what runs.
		Middleware: slices.Concat(limits, r.hooks, []agent.Middleware{agent.Approval(r.approve)}),
		Limits: agent.Limits{
			Turns: r.MaxTurns, Tokens: r.MaxTokens,
			Idle: cmp.Or(r.IdleTimeout, noneAtAll), Failures: cmp.Or(r.MaxFailures, noneAtAll),
		},
		Stream: r.Stream, Parallel: r.Parallel,
	}
	if r.config.NoCompaction = r.Compact == "off"; !r.config.NoCompaction {
		r.config.Window = cmp.Or(r.ContextWindow, agent.Window(r.server.Model))
	}
	if err := cmp.Or(r.planParams(ctx), r.attach(ctx)); err != nil {
		return err
	}
	if r.kept != nil { // its history comes first
		r.config.Providers = append(r.config.Providers, r.kept)
	}
	if r.runHooks != nil {
		r.config.Providers = append(r.config.Providers, r.runHooks)
		r.config.Runs = []agent.RunMiddleware{r.runHooks.After}
	}
	r.config.Providers = append(r.config.Providers, r.provider)
	if !r.NoTodo {
		o := todo.Options{SuppressList: r.NoTodoMessage}
		if r.TodoInstructions != "" {
			if o.Instructions, err = r.file(ctx, "--todo-instructions", r.TodoInstructions, maxTextFile); err != nil {
				return err
			}
			if strings.TrimSpace(o.Instructions) == "" {
				return Refuse("write instructions, or pass --no-todo", "--todo-instructions: %s is empty", r.TodoInstructions)
			}
		}
		r.config.Providers = append(r.config.Providers, todo.New(o))
		r.config.Checks = append(r.config.Checks, todo.CompletionCheck(r.FinishTodos))
	}
	if r.mcp != nil { // after all others, whose tools keep their names
		r.config.Providers = append(r.config.Providers, r.mcp)
	}
	if r.schema != nil { // the last: it is about the answer that remains
		r.config.Checks = append(r.config.Checks, r.checkAnswer)
		r.config.Runs = append(r.config.Runs, r.checkRun)
	}
	return r.activate(ctx)
}

// activate loads the skills named by the prompt and --skill.
func (r *Runner) activate(ctx context.Context) error {
	if r.Demo {
		r.noted("this is a recording: the model's turns are played back; the skill, its script and the todo list are real")
	}
	mentioned := skills.Mentioned{Rest: r.prompt}
	if !r.NoSlash {
		var err error
		if mentioned, err = r.provider.Mention(ctx, r.prompt); err != nil {
			word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(r.prompt), "/"), " ")
			return cmp.Or(r.chooser.Missing(word), Hinted(err))
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
			return cmp.Or(r.chooser.Missing(name), Refused(fmt.Errorf("--skill: %w", err)))
		}
		if asks != "" {
			r.noted(asks)
		}
	}
	return nil
}

// check returns an error for invalid combinations of flags.
func (r *Runner) check() error {
	if err := cmp.Or(variableName("--pass-env", r.PassEnv...), variableName("--api-key-env", r.KeyEnv)); err != nil {
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
		{"--compact", cmp.Or(r.Compact, "auto"), "auto, off"},
		{"--format", r.Format, strings.Join(Formats(), ", ")},
	} {
		names := strings.Split(c.choices, ", ")
		if !slices.Contains(names, c.value) {
			return Refuse(suggest.Hint(c.value, names, ""), "unknown value %q of %s", c.value, c.flag)
		}
	}
	format := fmt.Sprintf
	for _, c := range []struct {
		wrong      bool
		text, hint string
	}{
		{r.MaxTurns < 1, format("--max-turns %v is less than 1", r.MaxTurns), "pass at least 1"},
		{r.Timeout < 0, format("--timeout %v is negative", r.Timeout), "pass a time such as 90s or 10m, or 0 for no limit"},
		{r.ScriptTimeout <= 0, format("--script-timeout %v is not positive", r.ScriptTimeout), "pass a time such as 90s"},
		{r.MaxTokens < 0, format("--max-tokens %v is negative", r.MaxTokens), "pass a number of tokens, or 0 for no limit"},
		{r.WindowSet && r.ContextWindow < 1, format("--context-window %v is less than 1", r.ContextWindow), "pass a number of tokens, such as 32768"},
		{r.FinishTodos < 0, format("--finish-todos %v is negative", r.FinishTodos), "pass a number, or 0 for never"},
		{r.FinishTodos > 0 && r.NoTodo, "--finish-todos cannot be used with --no-todo", "use only one of them"},
		{(r.TodoInstructions != "" || r.NoTodoMessage) && r.NoTodo, "--todo-instructions and --no-todo-message cannot be used with --no-todo", "omit --no-todo"},
		{r.IdleTimeout < 0, format("--idle-timeout %v is negative", r.IdleTimeout), "pass a time such as 30s, or 0 for no limit"},
		{r.Retries < 0, format("--retries %v is negative", r.Retries), "pass a number, 0 for never"},
		{r.MaxToolCalls < 0, format("--max-tool-calls %v is negative", r.MaxToolCalls), "pass a number of calls, or 0 for no limit"},
		{r.MaxRepeats < 0 || r.MaxRepeats == 1, format("--max-repeats %v is less than 2", r.MaxRepeats), "pass at least 2, or 0 for no limit"},
		{r.MaxFailures < 0, format("--max-failures %v is negative", r.MaxFailures), "pass a number of turns, or 0 to end at the first that fails"},
		{r.Replay != "" && r.Record != "", "--record cannot be used with --replay", "record a run with a server, then play it back"},
		{r.Demo && r.Session != "", "--demo cannot be used with --session", "omit --session"},
		{r.Demo && len(r.MCP) > 0, "--demo cannot be used with --mcp", "omit --mcp; the demo is recorded"},
		{r.Demo && r.NoBuiltin, "--demo cannot be used with --no-builtin", "omit --no-builtin"},
		{r.Demo && len(r.Only)+len(r.Without) > 0, "--demo cannot be used with --only or --without", "the demo has one skill, its own"},
		{r.Demo && (r.Replay != "" || r.Record != "" || len(r.Skills) > 0),
			"--demo cannot be used with --replay, --record or --skills", "the demo has its own skill and its own recording"},
	} {
		if c.wrong {
			return Refuse(c.hint, "%s", c.text)
		}
	}
	return nil
}

// noneAtAll is the agent's value for a flag of 0, because its 0 is the default.
const noneAtAll = -1
