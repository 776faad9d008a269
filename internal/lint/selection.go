package lint

// Which skills a run checks, and by which settings. Each path has the settings of its
// nearest configuration, so the verdict on a skill is the same wherever the program is
// started. A skill that several paths or links lead to is checked once.

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"skills/internal/files"
	"skills/internal/lint/config"
	"skills/internal/lint/fix"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/spec"
)

// selection holds the skills of a run.
type selection struct {
	skills  []*skill
	partial bool // a search was incomplete
	strict  bool // warnings are errors in one of the configurations
	notify  loader.Notify
}

// skill is a skill of a run. It is opened when it is checked, because a run may
// have thousands.
type skill struct {
	found    loader.Found
	doc      *spec.Document // for standard input
	opts     *spec.Options  // shared by skills with the same configuration
	searched string         // the folder that was searched, "" for a path given explicitly
	outside  bool           // a link leads to it, outside the paths given
	nameOnly bool           // it is not checked; its name is compared with those of the others
	plugin   bool           // it is not a skill, but a folder that may be a plugin or a marketplace
	portable bool           // its errors make clients of its plugin skip it

	unsaved map[string][]byte // texts of its files that are open in an editor, by slash path
}

// open reads the skill's document.
func (s *skill) open() *spec.Document {
	if s.doc != nil {
		return s.doc
	}
	return overlaid(loader.OpenDocument(s.found), s.unsaved)
}

// options returns the skill's options with the lowest level to report.
func (s *skill) options(least spec.Level) spec.Options {
	opts := *s.opts
	opts.Least = least
	return opts
}

// selection returns the skills of the paths with their options, sorted by path.
// It omits those that the configuration excludes. Of skills that did not change
// since ChangedSince, only the names count. A skill reached by several paths
// gets the options of the first.
func (o Options) selection(ctx context.Context) (*selection, error) {
	s := &selection{}
	settings := settings{options: o, configs: config.Finder{Dir: o.Dir, File: o.ConfigFile, None: o.NoConfig}, byFile: map[string]*setting{}}
	s.notify = func(n loader.Notice) {
		s.partial = s.partial || n.Unseen
		if o.Notify != nil {
			o.Notify(n)
		}
	}
	settings.notify = s.notify
	if slices.Contains(o.Paths, Stdin) {
		set, err := settings.of(o.StdinFilename)
		if err != nil {
			return nil, err
		}
		doc, err := o.stdinDocument(ctx)
		s.skills, s.strict = []*skill{{doc: doc, opts: &set.opts}}, set.strict
		return s, err
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if err := s.resolve(ctx, &settings, paths); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.skills, func(x, y *skill) int {
		return strings.Compare(filepath.ToSlash(x.found.Dir), filepath.ToSlash(y.found.Dir))
	})
	if o.ChangedSince != "" {
		return s, o.keepChanged(ctx, s, paths)
	}
	return s, nil
}

// resolve adds the skills of the paths, each once, with the settings of the first path
// that leads to it.
func (s *selection) resolve(ctx context.Context, settings *settings, paths []string) error {
	o := settings.options
	var failed Errors
	var all []loader.Found
	var named []string // folders that the paths lead to
	byReal := map[string]*skill{}
	for _, p := range paths {
		set, err := settings.of(p)
		if err != nil {
			return err
		}
		s.strict = s.strict || set.strict
		packages := &packages{set: set, outside: o.ForceExclude}
		if packages.named(p) {
			s.skills = append(s.skills, packages.found...)
			continue
		}
		t, err := loader.Resolve(ctx, p, packages.search())
		if bad, ok := errors.AsType[*loader.TargetError](err); ok && o.IgnoreUnmatched && bad.Problem == loader.TargetNoSkill {
			continue
		}
		if err := failed.add(err); err != nil {
			return err
		}
		s.skills = append(s.skills, packages.found...)
		if len(packages.found) > 0 && len(t.Skills) == 1 && t.Skills[0].File == "" {
			continue // a plugin without skills
		}
		searched := ""
		if t.Tree {
			searched = o.absolute(t.Path)
			named = append(named, files.Resolved(searched))
		}
		for _, found := range t.Skills {
			if o.ForceExclude && set.search.Excluder()(found.Dir) {
				continue
			}
			all = append(all, found)
			if !t.Tree {
				named = append(named, found.Real)
			}
			if byReal[found.Real] == nil {
				byReal[found.Real] = &skill{found: found, opts: &set.opts, searched: searched}
			}
		}
	}
	if len(failed) > 0 {
		return failed
	}
	for _, found := range loader.Unique(all) {
		skill := byReal[found.Real]
		skill.unsaved = o.unsavedIn(found.Dir, found.Real)
		skill.outside = !slices.ContainsFunc(named, func(dir string) bool { _, in := below(dir, found.Real); return in })
		s.skills = append(s.skills, skill)
	}
	s.skills = linkPackages(s.skills)
	return nil
}

// keepChanged reduces the skills that did not change since the revision to
// their names, and moves them to the front: of two skills with the same name,
// the changed one is reported.
func (o Options) keepChanged(ctx context.Context, s *selection, paths []string) error {
	client := git.Client{Env: o.Environ, Untrusted: []string{o.Dir}}
	differing, err := client.ChangedSince(ctx, o.Dir, o.ChangedSince)
	if err != nil {
		return err
	}
	root, err := client.Root(ctx, o.Dir)
	if err != nil {
		return err
	}
	for _, p := range paths {
		path := o.absolute(p)
		_, in := below(root, files.Resolved(path))
		if _, link := below(root, filepath.Join(files.Resolved(filepath.Dir(path)), filepath.Base(path))); !in && !link {
			return usageError("run it in the repository whose changes you want", "%s is outside the repository %s, whose changes are compared", p, root)
		}
	}
	changed := git.Touched(differing)
	for _, skill := range s.skills {
		skill.nameOnly = !changed(skill.found.Real)
	}
	sort.SliceStable(s.skills, func(i, j int) bool { return s.skills[i].nameOnly && !s.skills[j].nameOnly })
	return nil
}

// Find resolves paths to skills without duplicates, in the given order. Errors
// are those of Start.
func Find(ctx context.Context, search loader.Search, paths []string) ([]loader.Found, error) {
	search.Named = true
	var failed Errors
	var found []loader.Found
	for _, p := range paths {
		t, err := loader.Resolve(ctx, p, search)
		if err := failed.add(err); err != nil {
			return nil, err
		}
		found = append(found, t.Skills...)
	}
	if len(failed) > 0 {
		return nil, failed
	}
	return loader.Unique(found), nil
}

// add collects the error of a path that cannot be resolved, and returns any
// other error.
func (e *Errors) add(err error) error {
	if bad, ok := errors.AsType[*loader.TargetError](err); ok {
		*e = append(*e, bad)
		return nil
	}
	return err
}

// setting is the configuration for the skills of a path.
type setting struct {
	opts   spec.Options
	strict bool
	search loader.Search
}

// settings determines the configuration of paths: the nearest .skills.yaml
// above each path, overridden by the options of the run. The verdict on a skill
// does not depend on the working directory. Paths with the same file share a
// setting.
type settings struct {
	options Options
	configs config.Finder
	notify  loader.Notify
	byFile  map[string]*setting // "" without a configuration
}

// of returns the setting for a path, which need not exist.
func (s *settings) of(path string) (*setting, error) {
	conf, err := s.configs.Of(path)
	if err != nil {
		return nil, err
	}
	if set, ok := s.byFile[conf.Path]; ok {
		return set, nil
	}
	o := s.options
	set := &setting{strict: conf.Strict, search: loader.Search{Nested: true, Named: true, Notify: s.notify, Exclude: conf.Exclude, ExcludeFrom: conf.Dir}}
	set.opts = spec.Options{Profile: conf.Profile, Clients: slices.Concat(conf.Clients, o.Clients), Levels: map[string]spec.Level{}, Banned: conf.Banned, Crashed: o.Crashed}
	if o.Profile != "" {
		set.opts.Profile = o.Profile
	}
	if set.opts.Profile == spec.ProfileReference && len(o.Clients)+len(o.Levels) > 0 {
		return nil, usageError("omit them, or add --profile spec", "--client and --rule do not change the verdict of the profile skills-ref in %s", conf.Path)
	}
	maps.Copy(set.opts.Levels, conf.Levels)
	maps.Copy(set.opts.Levels, o.Levels)
	set.opts.Ignored = ignored(conf, o)
	s.byFile[conf.Path] = set
	return set, nil
}

// ignored returns the function for spec.Options.Ignored, nil if nothing is ignored by file.
func ignored(conf config.Config, o Options) func(rule, path string) bool {
	type perFile struct {
		rules   []string
		matches func(path string) bool
	}
	var all []perFile
	add := func(list []config.PerFile, dir string) {
		for _, p := range list {
			search := loader.Search{Exclude: []string{p.Pattern}, ExcludeFrom: dir}
			all = append(all, perFile{p.Rules, search.Excluder()})
		}
	}
	add(conf.PerFile, conf.Dir)
	add(o.PerFile, o.Dir)
	if len(all) == 0 {
		return nil
	}
	return func(rule, path string) bool {
		return slices.ContainsFunc(all, func(p perFile) bool { return slices.Contains(p.rules, rule) && p.matches(path) })
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// stdinName is the document's name for standard input without a file name.
const stdinName = "<stdin>"

// stdinDocument reads standard input; rules see the other files in the folder
// of its file name.
func (o Options) stdinDocument(ctx context.Context) (*spec.Document, error) {
	filename := o.StdinFilename
	if filename != "" {
		if isDir(o.absolute(filename)) {
			filename = filepath.Join(filename, spec.FileName)
		}
		if base := filepath.Base(filename); !strings.EqualFold(base, spec.FileName) {
			return nil, usageError("standard input is read as a "+spec.FileName+": write --stdin-filename "+filepath.Join(filepath.Dir(filename), spec.FileName),
				"--stdin-filename names %s, not a %s", base, spec.FileName)
		}
	}
	src, err := io.ReadAll(io.LimitReader(o.Stdin, loader.MaxSkillFile+1))
	if err != nil {
		return nil, usageError("pipe a SKILL.md in", "reading standard input: %w", files.Reason(err))
	}
	if len(src) > loader.MaxSkillFile {
		return nil, usageError("check the file by its path", "standard input is larger than %d bytes", loader.MaxSkillFile)
	}
	if filename == "" {
		return loader.ParseDocument(stdinName, "", src), nil
	}
	file := filepath.Base(filename)
	doc := loader.ParseDocument(filename, filepath.Base(filepath.Dir(o.absolute(filename))), src)
	doc.File = file
	if file != spec.FileName {
		doc.Faults = append(doc.Faults, spec.Fault{Rule: "skill-file", Message: file + " must be named " + spec.FileName, Help: "rename the file"})
	}
	if !isDir(filepath.Dir(o.absolute(filename))) {
		return doc, nil
	}
	found, err := loader.Search{}.Inspect(ctx, filepath.Dir(filename))
	if err != nil {
		return doc, context.Cause(ctx) // an unreadable folder is ignored
	}
	saved := loader.OpenDocument(found)
	doc.Dir, doc.LinkTarget, doc.Nested = saved.Dir, saved.LinkTarget, saved.Nested
	texts := o.unsavedIn(found.Dir, found.Real)
	texts[file] = src
	doc.Files = fix.Overlay{Files: saved.Files, Texts: texts}
	return doc, nil
}
