// Package skills is the skills context provider: it shows the model which
// skills there are and gives it three tools, to load a skill, to read what
// belongs to it, and to run its scripts. It also holds the policy that decides
// which scripts may run.
//
// Tools, parameters, texts and the order of checks are those of the
// framework's document on its skills provider. What goes beyond it is named
// where it is: not-found answers list what there is, long and binary resources
// are not dumped, the folder of a skill is named, and run_skill_script is omitted
// when nothing can be run.
//
// Everything a tool opens is a name that its skill lists; a name that the
// model makes up is never turned into a path. The package must not know of
// terminals, flags or servers, and starts no process itself: see [Runner].
package skills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/prompt"
	"skills/internal/script"
)

// Name is the provider's name and the key of its state in a session.
const Name = "skills"

// DefaultTextLimit is how many bytes of a resource one call returns.
const DefaultTextLimit = 64 << 10

// budget is how many tokens the catalogue may cost in every request, by
// estimate. Over it descriptions are shortened evenly, and then the last skills
// of the source are left to their names.
const budget = 8000

// Runner runs scripts that are files; [script.Runner] is one.
type Runner interface {
	// Command returns the command line that Run would start, and refuses
	// what Run would refuse.
	Command(s script.Script, args []string) ([]string, error)
	// Run runs a script and waits for its end. An error says why it was not
	// started.
	Run(ctx context.Context, s script.Script, args []string) (script.Result, error)
}

// Options are what a provider is made of; only Source is needed.
type Options struct {
	Source loader.Source
	// Template replaces the instruction text; it must hold {skills}.
	Template string
	// Runner runs scripts that are files; without one they cannot be run.
	// Scripts that are functions need none.
	Runner Runner
	// NoScripts omits the tool that runs scripts, for none may run.
	NoScripts bool
	// Recorder receives decisions on scripts and their runs; nil for none.
	Recorder Recorder
	// Notify hears what was cut from the catalogue in every run; nil hears nothing.
	Notify loader.Notify
	// TextLimit is the most bytes of a resource that one call returns; 0
	// means DefaultTextLimit.
	TextLimit int64
	// Mask hides keys in the texts of skills before a run, as others
	// do with the results of the tools; nil takes nothing out.
	Mask func(text string) string
}

// Provider is the skills context provider, for any number of sessions, one run each.
type Provider struct{ opt Options }

// New returns a skills provider. It refuses to work without a source, and with
// a template that has no place for the skills ([prompt.ErrNoPlaceholder]).
func New(opt Options) (*Provider, error) {
	if opt.Source == nil {
		return nil, errors.New("no source of skills is given")
	}
	if _, err := prompt.Instructions(opt.Template, nil); err != nil {
		return nil, err
	}
	if opt.TextLimit <= 0 {
		opt.TextLimit = DefaultTextLimit
	}
	opt.TextLimit = max(opt.TextLimit, utf8.UTFMax) // less holds not even a character
	if opt.Notify == nil {
		opt.Notify = func(loader.Notice) {}
	}
	if opt.Mask == nil {
		opt.Mask = func(text string) string { return text }
	}
	return &Provider{opt: opt}, nil
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
		r.catalogue = c
		activated, r.activated = r.activated, nil
		return nil
	})
	if err != nil {
		return agent.Context{}, err
	}
	out := agent.Context{Refresh: p.refresh(run.Session, c), Messages: activationMessages(run.Context.Messages, activated, p.opt.Mask)}
	out.Instructions, out.Tools, err = p.offer(ctx, c, p.opt.Notify)
	return out, err
}

// offer returns the instructions and tools for a catalogue.
func (p *Provider) offer(ctx context.Context, c *catalogue, notify loader.Notify) (instructions string, tools []agent.Tool, err error) {
	if len(c.skills) == 0 {
		return "", nil, nil
	}
	scripts := false
	if !p.opt.NoScripts {
		// Skills that cannot be read count as having none: loading them says why.
		if scripts, err = loader.Any(ctx, len(c.skills), func(i int) bool { return p.scripted(ctx, c.skills[i]) }); err != nil {
			return "", nil, err
		}
	}
	template := p.opt.Template
	if template == "" {
		template = prompt.DefaultTemplate(scripts)
	}
	entries, notices := c.entries()
	for _, n := range notices {
		notify(n)
	}
	text, err := prompt.Instructions(template, entries)
	return p.opt.Mask(text), p.tools(c, scripts), err
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
		if err != nil || slices.Equal(now.skills, known.skills) {
			return nil, err
		}
		update := &agent.Update{Note: known.changes(now)}
		if update.Instructions, update.Tools, err = p.offer(ctx, now, func(loader.Notice) {}); err != nil {
			return nil, err
		}
		known = now
		return update, state().Update(session, func(r *record) error {
			r.catalogue = now
			return nil
		})
	}
}

// Invoked does nothing: what was loaded is in the session already.
func (*Provider) Invoked(context.Context, *agent.Invoked) error { return nil }

// record is what a session keeps; only the names survive the run.
type record struct {
	Loaded []string `json:"loaded"`

	catalogue *catalogue          // what the run's tools look names up in
	activated []activation        // waiting for the run to begin
	calls     map[string]resolved // by call id: those that were approved
}

func state() *agent.State[record] {
	return agent.NewState(Name, func() record { return record{Loaded: []string{}} })
}

// Loaded returns the names of the skills that were loaded in the session, by
// the model or by a person, in the order of their first loading.
func Loaded(session *agent.Session) ([]string, error) {
	var names []string
	err := state().View(session, func(r record) { names = slices.Clone(r.Loaded) })
	return names, err
}

// note remembers that a skill was loaded, and says whether it is the first time.
func (r *record) note(name string) (first bool) {
	if first = !slices.Contains(r.Loaded, name); first {
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

// scripted reports whether a skill has a script that could be run.
func (p *Provider) scripted(ctx context.Context, s *loader.Skill) bool {
	runnable := p.opt.Runner != nil && s.Dir != ""
	if s.Scripted == nil {
		contents, err := contentsOf(ctx, s)
		return err == nil && slices.ContainsFunc(contents.Scripts, func(x loader.Script) bool { return x.Call != nil || runnable })
	}
	if !runnable {
		return false
	}
	has, err := agent.Guard(func() (bool, error) { return s.Scripted(ctx) })
	return has && err == nil
}
