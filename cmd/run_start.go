package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/audit"
	"skills/internal/builtin"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/safefile"
	"skills/internal/script"
	"skills/internal/todo"
)

// plan is everything a run needs, put together from the flags.
type plan struct {
	prompt    string
	server    server
	sources   []loader.Source // in the order of their precedence
	source    loader.Source   // all of them, as the provider sees them
	provider  *skills.Provider
	session   *agent.Session
	kept      agent.ContextProvider // the session's file, nil without one
	runID     string
	audit     *audit.Log         // nil without one
	hooks     []agent.Middleware // the user's programs around calls
	hookFiles []string           // those of them that scripts could write to
	config    agent.Config
	playback  *replay.Playback // nil without a recording to play
	recorder  *replay.Recorder // nil without one to write
	recording *bytes.Buffer    // what the recorder wrote
	target    *safefile.Target // where that goes in the end
	notes     []string         // told after run.started
	cleanup   []func() error
	closed    bool

	runner      *script.Runner // of script files; nil if nothing is run
	sandboxMode string
	gapsTold    bool // whether the warning about what the sandbox does not enforce was printed
}

// close undoes what belongs to this run alone; the first error is returned.
func (p *plan) close() error {
	var first error
	for _, f := range p.cleanup {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	p.cleanup, p.closed = nil, true
	return first
}

// plan prepares a run. The plan must be closed also after an error.
func (a *app) plan(ctx context.Context, f runFlags, args []string) (p *plan, err error) {
	p = &plan{session: agent.NewSession(), runID: newRunID()}
	defer func() {
		if failed := panicked(recover()); failed != nil {
			err = failed
		}
	}()
	if err := f.check(); err != nil {
		return p, err
	}
	if err := a.readEnv(ctx, f.envFile).err; errors.As(err, new(*safefile.UnfinishedError)) {
		return p, err // it was wanted for the keys in it
	}
	for _, step := range []func(context.Context, runFlags, []string, *plan) error{
		a.planSkills, a.planServer, a.planHooks, a.planPrompt, a.planSession, a.planAudit, a.planTarget, a.planProviders, a.planRecording,
	} {
		if err := step(ctx, f, args, p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// planServer finds the model's server; a recording or a look at the context
// needs none.
func (a *app) planServer(ctx context.Context, f runFlags, _ []string, p *plan) error {
	if f.demo || f.replay != "" || f.showContext {
		p.server = server{model: f.model, baseURL: "http://recording.invalid/v1"}
		if p.server.model == "" {
			p.server.model = defaultModel
		}
		return nil
	}
	var err error
	if p.server, err = a.server(ctx, f); err != nil {
		return err
	}
	if p.server.warning != "" {
		a.warn("%s", p.server.warning)
	}
	return nil
}

func (a *app) planPrompt(ctx context.Context, f runFlags, args []string, p *plan) error {
	switch {
	case f.demo && len(args) > 0:
		return wrongUsage(fmt.Sprintf("leave the prompt out; the demo asks %q", builtin.DemoPrompt), "--demo plays a recorded conversation, with its own prompt")
	case f.demo:
		p.prompt = builtin.DemoPrompt
		return nil
	case f.showContext && len(args) == 0:
		return nil
	}
	var err error
	p.prompt, err = a.prompt(ctx, args)
	return err
}

// planProviders makes the context providers and what stands around tool calls.
func (a *app) planProviders(ctx context.Context, f runFlags, _ []string, p *plan) error {
	system, err := a.text(ctx, "--system", f.system)
	if err != nil {
		return err
	}
	template := ""
	if f.promptTemplate != "" {
		if template, err = a.file(ctx, "--prompt-template", f.promptTemplate); err != nil {
			return err
		}
	}
	runner, err := a.scriptRunner(f, p, f.showContext)
	if err != nil {
		return err
	}
	policy, err := a.buildSkills(f, p, template, runner)
	switch {
	case errors.Is(err, prompt.ErrNoPlaceholder):
		return wrongUsage("put {skills} where the list of skills goes", "--prompt-template: %w", err)
	case err != nil:
		return wrongUsage("write it as SKILL/SCRIPT, such as 'unit-converter/*'", "--allow-script: %w", err)
	}
	p.config = agent.Config{
		Server: agent.Server{BaseURL: p.server.baseURL, APIKey: p.server.key, UserAgent: "skills/" + version(), Retries: f.attempts()},
		Model:  p.server.model, Instructions: system,
		Providers: p.providers(),
		// The approval is the innermost: what it has seen is what runs.
		Middleware: slices.Concat(f.brakes(), p.hooks, []agent.Middleware{agent.Approval(policy.Approve)}),
		Limits:     f.limits(), Stream: a.streams(f), Parallel: f.parallel,
	}
	if !f.noTodo {
		p.config.Providers = append(p.config.Providers, todo.New(todo.Options{}))
		p.config.Checks = append(p.config.Checks, todo.CompletionCheck(f.finishTodos))
	}
	return a.activate(ctx, f, p)
}

// activate loads the skills that the prompt and --skill name.
func (a *app) activate(ctx context.Context, f runFlags, p *plan) error {
	said, err := p.provider.Mention(ctx, p.prompt)
	if err != nil {
		return hinted(err)
	}
	for _, note := range said.Notes {
		fmt.Fprintf(a.Stderr, "note: %s\n", printable.Line(note))
	}
	p.prompt = said.Prompt()
	names := append(said.Names, f.activate...)
	if len(names) > 0 && !f.noBuiltin {
		if err := a.tellBuiltin(ctx, p, names); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[strings.ToLower(name)] {
			continue
		}
		seen[strings.ToLower(name)] = true
		_, err := p.provider.Activate(ctx, p.session, name)
		var asks string
		if err == nil {
			asks, err = p.provider.AllowedTools(ctx, name)
		}
		if err != nil {
			return &failure{exitUsage, fmt.Errorf("--skill: %w", err), hintOf(err)}
		}
		if asks != "" {
			p.notes = append(p.notes, asks)
		}
	}
	return nil
}
