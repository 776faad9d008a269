// Package skills is the skills context provider: it shows the model the catalogue of
// skills and gives it three tools, to load a skill, to read its resources, and to run
// its scripts. It also contains the policy that decides which scripts may run.
//
// Tools, parameters, texts and the order of checks are those of the Microsoft Agent
// Framework's document on its skills provider ("the framework" in comments).
// Extensions are documented where they are implemented: not-found results
// list the known names, long and binary resources are not included, the folder of a
// skill is given, and run_skill_script is omitted if nothing can be run.
//
// Tools open only names that a skill lists; a name from the model is never used as a
// path. The package starts no processes: see [Runner].
package skills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/prompt"
	"skills/internal/script"
)

// Name is the provider's name and the key of its state in a session.
const Name = "skills"

// DefaultResourceLimit is how many bytes of a resource one call returns.
const DefaultResourceLimit = 64 << 10

// Runner runs script files; [script.Runner] implements it.
type Runner interface {
	// Command returns the command line that Run would start, or the error that Run would
	// return.
	Command(s script.Script, args []string) ([]string, error)
	// Run runs a script and waits for its end. The error is the reason why it was not
	// started.
	Run(ctx context.Context, s script.Script, args []string) (script.Result, error)
}

// Options configures a provider; only Source is required.
type Options struct {
	Source loader.Source // several with settings of their own are one by [Combine]
	// Template replaces the instruction text; it must contain {skills}.
	Template string
	// Runner runs script files, which cannot run without it. Functions do not need it.
	Runner Runner
	// AskToRead has every skill that the model loads, and every file that it reads, approved.
	AskToRead bool
	// NoScripts omits the tool that runs scripts.
	NoScripts bool
	// Scripts describes how the scripts of a run are confined.
	Scripts Confinement
	// Recorder receives the runs of scripts; may be nil.
	Recorder Recorder
	// Notify receives what was shortened in the catalogue of every run; may be nil.
	Notify loader.Notify
	// ResourceLimit is the maximum number of bytes of a resource that one call returns; 0
	// means DefaultResourceLimit.
	ResourceLimit int64
	// OnLoad receives each skill that a session loads for the first time; may be nil.
	OnLoad func(s *loader.Skill, c loader.Contents)
	// Trusted are the skills whose allowed-tools approve what they name by a pattern.
	Trusted []string
	// Mask masks keys in the texts of skills before a run; may be nil.
	Mask func(text string) string
	// Listed repeats the catalogue in the description of load_skill, for clients that show
	// their model no instructions, within the budget of a catalogue that is searched.
	Listed bool
}

// Provider is the skills context provider, for any number of sessions, one run each.
type Provider struct {
	opt   Options
	files knownFiles
	takes takesIndex
}

// New returns a skills provider. It returns an error without a source, or for a
// template without a placeholder ([prompt.ErrNoPlaceholder]).
func New(opt Options) (*Provider, error) {
	if opt.Source == nil {
		return nil, errors.New("no source of skills is given")
	}
	if _, err := prompt.Instructions(opt.Template, nil); err != nil {
		return nil, err
	}
	if opt.ResourceLimit <= 0 {
		opt.ResourceLimit = DefaultResourceLimit
	}
	opt.ResourceLimit = max(opt.ResourceLimit, utf8.UTFMax) // enough for any character
	if opt.Notify == nil {
		opt.Notify = func(loader.Notice) {}
	}
	if opt.OnLoad == nil {
		opt.OnLoad = func(*loader.Skill, loader.Contents) {}
	}
	if opt.Mask == nil {
		opt.Mask = func(text string) string { return text }
	}
	return &Provider{opt: opt, files: knownFiles{first: map[string]files.Snapshot{}, own: map[string]files.Snapshot{}}}, nil
}

// Name is "skills".
func (*Provider) Name() string { return Name }

// Invoking asks the source, and adds the instructions, the tools and what was
// activated. Without skills it adds nothing at all. A source with a method Refresh is
// asked again before each further request.
func (p *Provider) Invoking(ctx context.Context, run *agent.Invoking) (agent.Context, error) {
	c, err := p.list(ctx)
	if err != nil {
		return agent.Context{}, err
	}
	var activated []activation
	err = state().Update(run.Session, func(r *record) error {
		c = c.forModel(r.Loaded)
		activated, r.activated = r.activated, nil
		return nil
	})
	if err != nil {
		return agent.Context{}, err
	}
	out := agent.Context{Refresh: p.refresh(run.Session, c), Messages: activationMessages(run.Context.Messages, activated, p.opt.Mask)}
	out.Instructions, out.Tools, err = p.offer(ctx, c, p.opt.Notify)
	out.Hint = c.hint(run.Input)
	return out, err
}

// offer returns the instructions and tools for a catalogue.
func (p *Provider) offer(ctx context.Context, c *catalogue, notify loader.Notify) (instructions string, tools []agent.Tool, err error) {
	if len(c.skills) == 0 {
		return "", nil, nil
	}
	c.scripts, err = p.anyScripted(ctx, c.skills)
	if err != nil {
		return "", nil, err
	}
	entries, left := c.entries(p.opt.Listed, notify)
	text, err := prompt.Instructions(cmp.Or(p.opt.Template, prompt.DefaultTemplate(c.scripts)), entries)
	if left > 0 {
		c.index = c.newIndex(ctx)
		text += "\n\n" + prompt.MoreSkills()
	}
	tools = p.tools(c, c.scripts)
	if p.opt.Listed {
		tools[0].Description = p.opt.Mask(prompt.Listed(tools[0].Description, entries, left > 0))
	}
	return p.opt.Mask(text), tools, err
}

// refresh returns a function that notices what has changed since a catalogue.
func (p *Provider) refresh(session *agent.Session, known *catalogue) func(context.Context) (*agent.Update, error) {
	source, ok := p.opt.Source.(interface {
		Refresh(ctx context.Context) ([]*loader.Skill, error)
	})
	if !ok {
		return nil
	}
	return func(ctx context.Context) (*agent.Update, error) {
		skills, err := source.Refresh(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing the skills: %w", err)
		}
		called, err := Loaded(session)
		now := newCatalogue(skills).forModel(called)
		if err != nil {
			return nil, err
		}
		update := &agent.Update{Note: known.changes(now)}
		if slices.Equal(now.skills, known.skills) {
			if known.scripts {
				return nil, nil
			}
			// A file deep in a folder does not change the skill. The folders of loaded
			// skills are few enough to look into them every time.
			loaded := slices.DeleteFunc(slices.Clone(now.skills), func(s *loader.Skill) bool { return !slices.Contains(called, s.Name) })
			if scripted, err := p.anyScripted(ctx, loaded); err != nil || !scripted {
				return nil, err
			}
			update.Note = "the loaded skills have scripts now"
		}
		update.Instructions, update.Tools, err = p.offer(ctx, now, func(loader.Notice) {})
		if err != nil {
			return nil, err
		}
		known = now
		return update, nil
	}
}

// Invoked does nothing, because the session already contains the loaded skills.
func (*Provider) Invoked(context.Context, *agent.Invoked) error { return nil }

// record is the state in a session; only the names survive the run.
type record struct {
	Loaded []string `json:"loaded"`

	activated []activation    // activated for the next run
	loads     map[string]load // the last one of each skill in this run
}

// load is the turn of a call of load_skill and the text that it found.
type load struct {
	turn int
	text string
}

func state() *agent.State[record] {
	return agent.NewState(Name, func() record {
		return record{Loaded: []string{}, loads: map[string]load{}}
	})
}

// Loaded returns the names of the skills loaded in the session, by the model or the
// user, in the order of their first loading.
func Loaded(session *agent.Session) ([]string, error) {
	var names []string
	err := state().View(session, func(r record) { names = slices.Clone(r.Loaded) })
	return names, err
}

// WithFolders returns the loaded skills of a session that have a folder, sorted by name.
func (p *Provider) WithFolders(ctx context.Context, session *agent.Session) ([]*loader.Skill, error) {
	names, err := Loaded(session)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	c, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	var loaded []*loader.Skill
	for _, name := range names {
		skill, missing := c.find(name)
		if missing == "" && skill.Dir != "" {
			loaded = append(loaded, skill)
		}
	}
	slices.SortFunc(loaded, func(a, b *loader.Skill) int { return cmp.Compare(a.Name, b.Name) })
	return loaded, nil
}

// note records that a skill was loaded, and reports whether this is the first time.
func (r *record) note(name string) (first bool) {
	first = !slices.Contains(r.Loaded, name)
	if first {
		r.Loaded = append(r.Loaded, name)
	}
	return first
}

func (p *Provider) list(ctx context.Context) (*catalogue, error) {
	skills, err := p.opt.Source.Skills(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the skills: %w", err)
	}
	return newCatalogue(skills), nil
}

// anyScripted reports whether one of the skills has a script that could be offered.
// Unreadable skills count as having none: loading them reports the error.
func (p *Provider) anyScripted(ctx context.Context, skills []*loader.Skill) (bool, error) {
	if p.opt.NoScripts {
		return false, nil
	}
	return loader.Any(ctx, len(skills), func(i int) bool { return p.scripted(ctx, skills[i]) })
}

// scripted reports whether a skill has a script that could be run.
func (p *Provider) scripted(ctx context.Context, s *loader.Skill) bool {
	runnable := p.runner(s) != nil && s.Dir != ""
	if s.Scripted == nil {
		contents, err := contentsOf(ctx, s)
		return err == nil && slices.ContainsFunc(contents.Scripts, func(x loader.Script) bool { return x.Call != nil || runnable })
	}
	if !runnable {
		return false
	}
	has, err := agent.RecoverPanic(func() (bool, error) { return s.Scripted(ctx) })
	return has && err == nil
}
