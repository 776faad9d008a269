package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/history"
	"skills/internal/todo"
)

// The order in which a run is assembled is part of what a person sees: cheap errors come
// before slow ones, nothing is asked for before it is clear that the run can begin, and
// files are opened before the first script can touch them. Each step takes what it needs
// and returns what it made.

// assemble makes the parts of a run; file holds the variables that were read for the keys.
// The parts describe what is known so far even after an error, which is a *fault.Error if
// the person can correct it.
func (p *Parts) assemble(ctx context.Context, file Variables) error {
	err := p.check()
	if err != nil {
		return err
	}
	if errors.As(file.err, new(*files.UnfinishedError)) {
		return file.err // it is required for the keys in it
	}
	p.Skills, err = findSkills(ctx, p.Env, p.Options, "--skills: ", p.notes)
	if err != nil {
		return err
	}
	err = p.Skills.checkTrusted(ctx, p.Options.Approval.Trusted)
	if err != nil {
		return err
	}
	p.Server, err = chooseServer(ctx, p.Env, p.Options, file)
	if err != nil {
		return err
	}
	p.price, err = p.Server.PriceOr(p.Options.Limits)
	if err != nil {
		return err
	}
	hooks, err := loadHooks(p.Env, p.Options, hookOptions(p))
	if err != nil {
		return err
	}
	if p.Options.Prompt.Read != nil {
		p.Prompt, err = p.Options.Prompt.Read(ctx)
		if err != nil {
			return err
		}
	}
	history, err := p.openFiles()
	if err != nil {
		return err
	}
	p.config.Instructions, err = systemText(ctx, p.Env, p.Options.Prompt.System)
	if err != nil {
		return err
	}
	err = p.offerSkills(ctx, hooks)
	if err != nil {
		return err
	}
	err = offerTools(ctx, p)
	if err != nil {
		return err
	}
	err = p.configure(ctx, history, hooks)
	if err != nil {
		return err
	}
	return complete(ctx, p, hooks)
}

// complete adds what needs the configured agent.
func complete(ctx context.Context, p *Parts, h hooks) error {
	err := startTraces(ctx, p, h)
	if err != nil {
		return err
	}
	err = p.activate(ctx)
	if err != nil {
		return err
	}
	return p.plug(ctx)
}

// offerTools makes what offers other tools than those of skills.
func offerTools(ctx context.Context, p *Parts) error {
	var err error
	p.mcp, err = connectMCP(ctx, p)
	if err != nil {
		return err
	}
	if p.mcp != nil {
		p.closers = append(p.closers, p.mcp.Close)
		err = addServerSkills(ctx, p)
		if err != nil {
			return err
		}
	}
	if p.Skills.open {
		err = p.Skills.Chooser.End(p.notes.note)
		if err != nil {
			return err
		}
	}
	p.work, err = offerWorkspace(p)
	if err != nil {
		return err
	}
	if p.Options.Prompt.Loop.Plan {
		p.plan = &plan{confirm: p.Options.Prompt.Loop.Confirm, active: true, file: p.Options.Files.Session}
	}
	p.until, err = newUntil(ctx, p)
	return err
}

// New returns parts that can only find skills.
func New(env Env, o Options) *Parts {
	p := &Parts{Env: env, Options: o, ID: fmt.Sprintf("%016x", rand.Uint64()), Session: agent.NewSession()}
	p.notes = newNotes(env.Notify)
	return p
}

// begin returns parts that know only the keys, which nothing may show. They must be
// closed.
func begin(ctx context.Context, env Env, o Options) (*Parts, Variables) {
	p := New(env, o)
	file := ReadVariables(ctx, env, o.Server)
	p.Mask = ReadKeys(env, o.Server, o.Programs.MCP, file)
	return p, file
}

// check checks the options, and sets their defaults.
func (p *Parts) check() error {
	checked, err := p.Options.checked()
	if err == nil && p.Options.Valid != nil {
		err = p.Options.Valid()
	}
	if err != nil {
		return err
	}
	p.Options = checked
	if checked.Approval.Ask != nil {
		p.asker = checked.Approval.Ask(p.Mask.Text)
	}
	return nil
}

// chooseServer finds the model's server, unless a recording or a preview makes that
// unnecessary.
func chooseServer(ctx context.Context, env Env, o Options, file Variables) (Server, error) {
	if o.Demo || o.Files.Replay != "" || o.Preview {
		_, user, _ := userConfig(env) // nothing is sent
		_, name, _ := user.SplitModel(o.Server.Model)
		return Server{Model: cmp.Or(name, DefaultModel), BaseURL: "http://recording.invalid/v1"}, nil
	}
	if o.Server.Found != nil {
		found := *o.Server.Found
		found.Model = cmp.Or(o.Server.Model, found.Model)
		return found, nil
	}
	server, err := FindServer(env, o.Server, file)
	if err != nil {
		return server, err
	}
	err = ConfirmServer(ctx, env, o.Server, server, o.Approval.Confirm)
	if err != nil {
		return server, err
	}
	if server.Warning != "" {
		env.Warn("%s", server.Warning)
	}
	return server, nil
}

// openFiles opens the files that the run writes, and returns the session's.
func (p *Parts) openFiles() (*history.File, error) {
	history, err := openSession(p.Env, p.Options, p.Mask)
	if history != nil {
		p.closers = append(p.closers, history.Close)
	}
	if err != nil {
		return nil, err
	}
	if history != nil {
		p.Session = history.Session
		err := checkWaiting(p, history)
		if err == nil {
			p.continued, err = continued(p.Options, history)
		}
		if err != nil {
			return nil, err
		}
	}
	p.context, err = openContextHistory(p)
	if err != nil {
		return nil, err
	}
	p.log, err = openAudit(p.Env, p.Options, p.ID, p.Mask)
	if err != nil {
		return nil, err
	}
	if p.log != nil {
		p.closers = append(p.closers, p.log.Close)
	}
	p.recording, err = openRecording(p.Env, p.Options)
	if p.recording.target != nil {
		p.closers = append(p.closers, p.recording.target.Close)
	}
	return history, err
}

// offerSkills makes what offers the skills and runs their scripts.
func (p *Parts) offerSkills(ctx context.Context, h hooks) error {
	template, err := p.Env.file(ctx, "--prompt-template", p.Options.Prompt.Template, maxTextFile)
	if err != nil {
		return err
	}
	n := needs{
		mask: p.Mask, found: p.Skills, notes: p.notes, asker: p.asker, template: template, protect: h.protect,
		prompt: func() string { return p.Prompt }, left: p.noteLeft, around: p.scriptStarts, loaded: sayTools(p),
	}
	if p.log != nil {
		n.recorder = p.log
	}
	made, err := offerSkills(p.Env, p.Options, n)
	p.Scripts, p.Provider, p.Policy, p.elsewhere = made.scripts, made.provider, made.policy, made.elsewhere
	if p.Scripts != nil {
		p.closers = append(p.closers, p.Scripts.Close)
	}
	if err != nil {
		return err
	}
	if h.commands != nil {
		p.warnOf("hook", h.commands)
	}
	if p.elsewhere != nil {
		p.warnOf("runner", p.elsewhere.pinned)
	}
	return nil
}

// configure configures the agent with its context providers and middleware.
func (p *Parts) configure(ctx context.Context, history *history.File, h hooks) error {
	o, c := p.Options, &p.config
	c.Server = p.Server.Connection("skills/"+p.Env.Version, o.Server.Retries)
	c.Model, c.Stream, c.Parallel = p.Server.Model, o.Server.Stream, o.Limits.Parallel
	c.Limits = agent.Limits{Turns: o.Limits.Turns, Tokens: o.Limits.Tokens, Idle: o.Server.Idle, Failures: o.Limits.Failures}
	if p.price != nil {
		c.Limits.Cost, c.Limits.Price = o.Limits.Cost, *p.price
	}
	c.NoCompaction = o.Limits.Compact == "off"
	c.Summarize = o.Limits.Compact == "summary" && o.Files.Replay == "" && !o.Demo // a recording has no summaries
	if !c.NoCompaction {
		c.Window = cmp.Or(o.Limits.Window, p.Server.Window, agent.Window(p.Server.Model))
	}
	todos, err := newTodo(ctx, p.Env, o.Todo)
	if err != nil {
		return err
	}
	o.Request.Params, err = p.Server.Params(o.Request.Params)
	if err != nil {
		return err
	}
	c.ToolCalls = toolCalls(p.Env, o, p.Server, p.notes.note)
	params, wanted, err := requestParams(ctx, p.Env, o.Request)
	if err != nil {
		return err
	}
	c.Params = params
	c.Attachments, err = attach(ctx, p.Env, o.Prompt)
	if err != nil {
		return err
	}
	c.Middleware = p.middleware(h)
	if history != nil { // its messages come first
		c.Providers = append(c.Providers, history)
	}
	plugHooks(p, h, false)
	if p.context != nil {
		p.context.hooks = h.Hooks
		c.Providers = append(c.Providers, p.context)
	}
	c.Providers = append(c.Providers, p.Provider)
	if todos != nil {
		c.Providers = append(c.Providers, todos)
		c.Checks = append(c.Checks, todo.CompletionCheck(o.Todo.Finish))
	}
	if p.work != nil {
		c.Providers = append(c.Providers, p.work)
	}
	if p.mcp != nil { // after all others, whose tools keep their names
		c.Providers = append(c.Providers, p.mcp)
	}
	plugHooks(p, h, true)
	checkAnswers(p, wanted)
	return nil
}

// checkAnswers adds what follows an answer.
func checkAnswers(p *Parts, wanted *answer) {
	c := &p.config
	c.Next = p.Options.Prompt.Next
	if p.until != nil {
		c.Checks = append(c.Checks, p.until.check)
	}
	if wanted.schema != nil { // last, because the other checks may make the run continue
		c.IsAnswer = wanted.matches
		c.Checks = append(c.Checks, wanted.check)
		c.RunMiddleware = append(c.RunMiddleware, wanted.around)
	}
	if p.plan != nil { // before all others, which are about the work
		c.Providers = append(c.Providers, p.plan)
		c.Checks = p.plan.before(c.Checks)
	}
}

// middleware returns what wraps every call, the outermost first: keys are masked for the
// model, then for hooks; the approval is the innermost, so that what it approves is what
// runs.
func (p *Parts) middleware(h hooks) []agent.Middleware {
	var between []agent.Middleware
	if p.Options.Limits.ToolCalls > 0 {
		between = append(between, agent.LimitCalls(p.Options.Limits.ToolCalls))
	}
	if p.Options.Limits.Repeats > 0 {
		between = append(between, agent.LimitRepeats(p.Options.Limits.Repeats))
	}
	decide := p.Policy.Approve
	if h.Hooks != nil {
		between = append(between, h.Middleware())
		decide = p.Policy.ApproveAllowed
	}
	if p.plan != nil {
		decide = p.plan.decide(decide)
	}
	if p.log != nil {
		decide = approve.Recorded(decide, p.log)
	}
	return maskedCalls(p.Mask, append(between, agent.RequireApproval(decide)))
}

// systemText returns the text before all instructions, which may be in a file.
func systemText(ctx context.Context, env Env, text string) (string, error) {
	name, isFile := strings.CutPrefix(text, "@")
	switch {
	case !isFile:
		return text, nil
	case name == "":
		return "", fault.Usage("write --system @FILE, or the text itself", "--system @: no file is named")
	}
	return env.file(ctx, "--system", name, maxTextFile)
}

// newTodo returns the todo list, or nil if it is off.
func newTodo(ctx context.Context, env Env, o Todo) (agent.ContextProvider, error) {
	if o.Off {
		return nil, nil
	}
	instructions, err := env.file(ctx, "--todo-instructions", o.Instructions, maxTextFile)
	if err != nil {
		return nil, err
	}
	if o.Instructions != "" && strings.TrimSpace(instructions) == "" {
		return nil, fault.Usage("write instructions, or pass --no-todo", "--todo-instructions: %s is empty", o.Instructions)
	}
	return todo.New(todo.Options{Instructions: instructions, SuppressList: o.NoMessage}), nil
}

// activate loads the skills named by the prompt and --skill.
func (p *Parts) activate(ctx context.Context) error {
	if p.Options.Demo {
		p.notes.note("this is a recording: the model's turns are played back; the skill, its script and the todo list are real")
	}
	isPrompt, err := serverPrompt(ctx, p)
	if err != nil {
		return err
	}
	mentioned := skills.Mentioned{Rest: p.Prompt}
	if !isPrompt { // what a server writes loads no skill
		mentioned, err = p.mentioned(ctx)
		if err != nil {
			return err
		}
	}
	for _, note := range mentioned.Notes {
		p.Env.Note(note)
	}
	p.Prompt = mentioned.Prompt()
	names := append(mentioned.Names, p.Options.Prompt.Activate...)
	for i, name := range names {
		if containsFold(names[:i], name) {
			continue
		}
		asks, err := p.Provider.Activate(ctx, p.Session, name)
		if err != nil {
			if missing := p.Skills.Missing(name); missing != nil {
				return missing
			}
			return fault.AsUsage(fmt.Errorf("--skill: %w", Unknown(ctx, p, name, err)))
		}
		if asks != "" {
			p.notes.note(asks)
		}
	}
	return nil
}

// mentioned splits the skills off the prompt.
func (p *Parts) mentioned(ctx context.Context) (skills.Mentioned, error) {
	if p.Options.Prompt.NoSlash {
		return skills.Mentioned{Rest: p.Prompt}, nil
	}
	found, err := p.Provider.Mention(ctx, p.Prompt)
	if err == nil {
		return found, nil
	}
	word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(p.Prompt), "/"), " ")
	return found, fault.AsUsageIfHinted(Unknown(ctx, p, word, err))
}

// plug puts the recorder before the server, or a recording in its place.
func (p *Parts) plug(ctx context.Context) error {
	o := p.Options
	plays := o.Demo || o.Files.Replay != ""
	if o.Preview || !plays && o.Files.Record == "" {
		return nil
	}
	hide, err := placeholders(ctx, p.Env, p.Skills, p.Scripts)
	if err != nil {
		return err
	}
	if !plays {
		p.config.Server.Transport = p.recording.transport(hide)
		return nil
	}
	played, name, err := openPlayback(ctx, p.Env, o, hide, p.Mask)
	if err != nil {
		return err
	}
	p.playback = played
	p.config.Server.Transport, p.config.Server.Retries = played, 0
	p.Server.BaseURL = "replay:" + name
	if o.Server.Model == "" && played.Model != "" {
		p.config.Model, p.Server.Model = played.Model, played.Model
	}
	return nil
}

// AssembleScripts makes the parts that run scripts without a model, for skills that find
// returns; they must be closed, even after an error.
func AssembleScripts(ctx context.Context, env Env, o Options, find func(context.Context, *Parts) (Skills, error)) (*Parts, error) {
	p, _ := begin(ctx, env, o)
	err := p.check()
	if err != nil {
		return p, err
	}
	p.Skills, err = find(ctx, p)
	if err != nil {
		return p, err
	}
	err = p.offerSkills(ctx, hooks{})
	if err == nil && len(o.Programs.Tools) > 0 {
		p.work, err = offerWorkspace(p)
		p.Others = []agent.ContextProvider{p.work}
	}
	return p, err
}

// FindSkills finds the skills of the options' roots; flag names the roots in errors.
func (p *Parts) FindSkills(ctx context.Context, flag string) (Skills, error) {
	return findSkills(ctx, p.Env, p.Options, flag, p.notes)
}

// FindFolder finds the one skill in a folder, which no configuration excludes.
func (p *Parts) FindFolder(ctx context.Context, folder string) (Skills, string, error) {
	files, chooser, err := fileSource(p.Env, p.Options.Skills, []string{folder}, p.notes)
	if err != nil {
		return Skills{}, "", err
	}
	return oneSkill(ctx, Skills{Source: files, Chooser: chooser}, folder, p.notes)
}
