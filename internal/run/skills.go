package run

// The skills of a run come from the folders that are named, or the default places, and
// those built in. Of equal names the first counts, and what is not used is reported.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/choice"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/script/sandbox"
	"skills/internal/suggest"
)

// Skills are the skills of a run.
type Skills struct {
	Source  loader.Source   // all of them, as the provider sees them
	Chooser *choice.Chooser // why others are not used; nil if none were searched
	servers *serverSkills   // those of MCP servers, which are known later; nil if there can be none
	open    bool            // flags may choose skills of servers, so that the choice is checked later
}

// findSkills finds the skills in the folders, and the built-in ones, which cost nothing
// until the user invokes them. flag names the roots in errors.
func findSkills(ctx context.Context, env Env, o Options, flag string, notes *notes) (Skills, error) {
	source := o.Skills.Source
	if o.Demo {
		skill, err := builtin.UnitConverter()
		if err != nil {
			return Skills{}, err
		}
		source = loader.Memory(skill)
	}
	if source != nil {
		return Skills{Source: loader.Cache(source)}, nil
	}
	for _, root := range o.Skills.Roots {
		err := checkRoot(ctx, env, root, flag)
		if err != nil {
			return Skills{}, err
		}
	}
	files, chooser, err := fileSource(env, o.Skills, o.Skills.Roots, notes)
	if err != nil {
		return Skills{}, err
	}
	sources := []skills.From{{Source: files}}
	if !o.Skills.NoBuiltin {
		own, err := builtin.Skills(env.Dir)
		if err != nil {
			return Skills{}, err
		}
		chosen := loader.Filter(loader.Memory(own...), func(s *loader.Skill) bool {
			_, use := chooser.Use("", s.Name, s.Metadata)
			return use
		})
		sources = append(sources, skills.From{Source: chosen, Cached: true})
	}
	found := Skills{Chooser: chooser, servers: &serverSkills{}}
	sources = append(sources, skills.From{Source: found.servers})
	found.Source = skills.Combine(notes.skillNotice, sources...)
	_, err = found.Source.Skills(ctx)
	if err != nil {
		return found, err
	}
	found.open = len(o.Programs.MCP) > 0 || o.Programs.MCPConfig != ""
	if !found.open {
		err = chooser.End(notes.note)
		if err != nil {
			return found, err
		}
	}
	return found, chooser.CheckFolder()
}

// checkRoot returns an error for a root that does not exist, or is a file outside any
// skill.
func checkRoot(ctx context.Context, env Env, root, flag string) error {
	info, err := os.Stat(env.absolute(root))
	if err != nil {
		return fault.Usage("check the path and the current directory", "%s%s does not exist", flag, root)
	}
	if info.IsDir() {
		return nil
	}
	_, err = loader.Resolve(ctx, root, loader.Search{})
	if err != nil {
		return fault.Usage(fault.Hint(err), "%s%w", flag, err)
	}
	return nil
}

// roots returns the folders that the user named, or else the default ones.
func roots(env Env, named []string) []string {
	if len(named) > 0 {
		return named
	}
	return loader.DefaultRoots(env.Dir, env.Home)
}

// fileSource returns the skills below these roots that flags and configurations do not
// exclude.
func fileSource(env Env, o Selection, named []string, notes *notes) (loader.Source, *choice.Chooser, error) {
	chooser, err := choice.New(env.Dir, o.Choice, named)
	if err != nil {
		return nil, nil, err
	}
	options := loader.FilesOptions{Optional: len(named) == 0, Choose: chooser.Use, Notify: notes.notice}
	return loader.Files(roots(env, named), options), chooser, nil
}

// skillNotice passes on a notice about skills, unless a skill shadows a built-in one.
func (n *notes) skillNotice(notice loader.Notice) {
	if notice.Path != builtin.Origin {
		n.notice(notice)
	}
}

// Unknown completes the error for a name that no skill has: a configuration excludes the
// skill, or else where it was looked for, and where a skill of that name is. Other errors
// are returned as they are.
func Unknown(ctx context.Context, p *Parts, name string, err error) error {
	missing := p.Skills.Missing(name)
	if missing != nil {
		return missing
	}
	if !errors.Is(err, skills.ErrUnknownSkill) || p.Options.Skills.Source != nil {
		return err
	}
	where := printable.Map(roots(p.Env, p.Options.Skills.Roots), func(root string) string { return files.Shown(p.Env.Dir, root) })
	hint := fault.Hint(err)
	if len(p.Options.Skills.Roots) == 0 {
		below, _ := loader.Search{}.Find(ctx, p.Env.Dir) // best effort: the error is another one
		i := slices.IndexFunc(below, func(f loader.Found) bool { return strings.EqualFold(filepath.Base(f.Dir), name) })
		if i >= 0 {
			dir := printable.ShellWord(files.Shown(p.Env.Dir, below[i].Dir))
			hint = "one of that name is in " + dir + ": pass --skills " + dir
		}
	}
	text := fmt.Sprintf("%v; looked in %s", err, strings.Join(where, ", "))
	return &fault.Error{Message: text, Hint: hint, Err: err}
}

// protected returns the folders of all skills. Of a skill whose folder contains the
// working folder, it returns its SKILL.md and the entries of the working folder that hold
// its scripts, so that scripts can change its data and create files.
func (s Skills) protected(ctx context.Context, env Env) (paths []string) {
	found, _ := s.Source.Skills(ctx) // cached; its error was already reported
	work := sandbox.Real(env.Dir)
	for _, s := range found {
		dir := sandbox.Real(s.Dir)
		if !sandbox.Within(work, dir) {
			paths = append(paths, dir)
			continue
		}
		contents, _ := s.Contents(ctx)
		scripts := printable.Map(contents.Scripts, func(x loader.Script) string { return x.Name })
		for _, name := range append(scripts, filepath.Base(s.Location)) {
			rel, err := filepath.Rel(work, filepath.Join(dir, filepath.FromSlash(name)))
			if err == nil && filepath.IsLocal(rel) {
				top, _, _ := strings.Cut(rel, string(filepath.Separator))
				paths = append(paths, filepath.Join(work, top))
			}
		}
	}
	return paths
}

// offered returns the names of the skills that the model sees.
func (s Skills) offered(session *agent.Session) []string {
	names := []string{}
	if s.Source == nil {
		return names
	}
	found, _ := s.Source.Skills(context.Background()) // cached; its error was already reported
	called, _ := skills.Loaded(session)
	for _, s := range found {
		if !s.Hidden || containsFold(called, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Missing explains why a configuration excludes the skill with a name, or returns nil.
func (s Skills) Missing(name string) error {
	if s.Chooser == nil {
		return nil
	}
	return s.Chooser.Missing(name)
}

// checkTrusted returns an error for a trusted skill that does not exist.
func (s Skills) checkTrusted(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	found, err := s.Source.Skills(ctx)
	if err != nil {
		return err
	}
	known := printable.Map(found, func(x *loader.Skill) string { return x.Name })
	for _, name := range names {
		if containsFold(known, name) {
			continue
		}
		missing := s.Missing(name)
		if missing == nil {
			missing = fault.Usage(suggest.Hint(name, known, "skills list shows their names"), "--trust-allowed-tools: no skill is named %q", name)
		}
		return missing
	}
	return nil
}

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// oneSkill returns the skills with the name of the only one of them.
func oneSkill(ctx context.Context, s Skills, folder string, notes *notes) (Skills, string, error) {
	s.Source = loader.Cache(s.Source)
	found, err := s.Source.Skills(ctx)
	if err != nil {
		return s, "", err
	}
	err = s.Chooser.End(notes.note)
	if err != nil {
		return s, "", err
	}
	if len(found) != 1 {
		return s, "", fault.Usage("name the folder of one skill, the one with its SKILL.md", "%s has %d usable skills", folder, len(found))
	}
	return s, found[0].Name, nil
}
