package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/printable"
	"skills/internal/safefile"
	"skills/internal/terminal"
	"skills/internal/todo"
)

// prepare assembles a run. The runner must be closed also after an error.
func (r *Runner) prepare(ctx context.Context, args []string) error {
	if err := r.check(); err != nil {
		return err
	}
	if len(args) == 0 && !r.Demo && !r.ShowContext && terminal.Is(r.Stdin) {
		return Refuse(noPromptHint, "no prompt")
	}
	if err := r.readEnv(ctx).err; errors.As(err, new(*safefile.UnfinishedError)) {
		return err // it was wanted for the keys in it
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

// planServer finds the model's server; a recording or a look at the context
// needs none.
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
		return Refuse(fmt.Sprintf("leave the prompt out; the demo asks %q", builtin.DemoPrompt), "--demo plays a recorded conversation, with its own prompt")
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

// planProviders makes the context providers and the middleware of tool calls.
func (r *Runner) planProviders(ctx context.Context) error {
	system, err := r.text(ctx, "--system", r.System)
	if err != nil {
		return err
	}
	template := ""
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
	r.config = agent.Config{
		Server: agent.Server{BaseURL: r.server.BaseURL, APIKey: r.server.key, UserAgent: "skills/" + r.Version, Retries: cmp.Or(r.Retries, noneAtAll)},
		Model:  r.server.Model, Instructions: system,
		// The approval is the innermost: what it has seen is what runs.
		Middleware: slices.Concat(r.callLimits(), r.hooks, []agent.Middleware{agent.Approval(r.policy.Approve)}),
		Limits:     r.limits(), Stream: r.streams(), Parallel: r.Parallel,
	}
	if r.kept != nil { // what it brings back comes before everything else
		r.config.Providers = append(r.config.Providers, r.kept)
	}
	r.config.Providers = append(r.config.Providers, r.provider)
	if !r.NoTodo {
		r.config.Providers = append(r.config.Providers, todo.New(todo.Options{}))
		r.config.Checks = append(r.config.Checks, todo.CompletionCheck(r.FinishTodos))
	}
	return r.activate(ctx)
}

// activate loads the skills that the prompt and --skill name.
func (r *Runner) activate(ctx context.Context) error {
	if r.Demo {
		r.notes = append(r.notes, "this is a recording: the model's turns are played back; the skill, its script and the todo list are real")
	}
	said := skills.Mentioned{Rest: r.prompt}
	if !r.NoSlash {
		var err error
		if said, err = r.provider.Mention(ctx, r.prompt); err != nil {
			return Hinted(err)
		}
	}
	for _, note := range said.Notes {
		fmt.Fprintf(r.Stderr, "note: %s\n", printable.Line(note))
	}
	r.prompt = said.Prompt()
	names := append(said.Names, r.Activate...)
	if len(names) > 0 && !r.NoBuiltin {
		if err := r.noteBuiltin(ctx, names); err != nil {
			return err
		}
	}
	for i, name := range names {
		if containsFold(names[:i], name) {
			continue
		}
		_, err := r.provider.Activate(ctx, r.session, name)
		var asks string
		if err == nil {
			asks, err = r.provider.AllowedTools(ctx, name)
		}
		if err != nil {
			return Refused(fmt.Errorf("--skill: %w", err))
		}
		if asks != "" {
			r.notes = append(r.notes, asks)
		}
	}
	return nil
}
