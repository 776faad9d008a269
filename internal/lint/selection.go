package lint

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/lint/config"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/spec"
)

// selection are the skills of a run.
type selection struct {
	skills  []*skill
	partial bool // whether a search left something out
}

// skill is one of them. It is opened when its turn comes, and not before: a run
// has thousands.
type skill struct {
	found    loader.Found
	doc      *spec.Document // nil while it is not open
	opts     *spec.Options  // shared by the skills under one configuration
	searched string         // the folder that was searched, "" for one that was named
}

// options are the skill's, with the lowest level that is of interest.
func (s *skill) options(least spec.Level) spec.Options {
	opts := *s.opts
	opts.Least = least
	return opts
}

// each opens every skill and calls do, in parallel.
func (s *selection) each(ctx context.Context, do func(i int, doc *spec.Document)) error {
	return loader.Parallel(ctx, len(s.skills), func(i int) {
		skill := s.skills[i]
		if skill.doc == nil {
			skill.doc = loader.OpenDocument(skill.found)
		}
		do(i, skill.doc)
	})
}

// selection are the skills of the paths, each with the options that hold for
// it, sorted by path: without those that the configuration excludes and, with
// ChangedSince, those that have not changed. A skill that several paths lead to
// has the options of the first.
func (o Options) selection(ctx context.Context) (*selection, error) {
	s := &selection{}
	settings := settings{options: o, byDir: map[string]*setting{}, byFile: map[string]*setting{}}
	settings.notify = func(n loader.Notice) {
		s.partial = s.partial || n.Unseen
		if o.Notify != nil {
			o.Notify(n)
		}
	}
	if slices.Contains(o.Paths, Stdin) {
		set, err := settings.of(o.StdinFilename)
		if err != nil {
			return nil, err
		}
		doc, err := o.stdinDocument(ctx)
		s.skills = []*skill{{doc: doc, opts: &set.opts}}
		return s, err
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	targets, err := resolve(ctx, paths, settings.search, o.IgnoreUnmatched)
	if err != nil {
		return nil, err
	}
	var all []loader.Found
	byReal := map[string]*skill{}
	for i, t := range targets {
		set, err := settings.of(paths[i])
		if err != nil {
			return nil, err
		}
		for _, found := range t.Skills {
			if o.ForceExclude {
				excluded, err := set.search.Excludes(found.Dir)
				if err != nil {
					return nil, err
				}
				if excluded {
					continue
				}
			}
			all = append(all, found)
			if byReal[found.Real] != nil {
				continue
			}
			byReal[found.Real] = &skill{found: found, opts: &set.opts}
			if t.Tree {
				byReal[found.Real].searched = o.absolute(t.Path)
			}
		}
	}
	for _, found := range loader.Unique(all) {
		s.skills = append(s.skills, byReal[found.Real])
	}
	slices.SortStableFunc(s.skills, func(x, y *skill) int {
		return strings.Compare(filepath.ToSlash(x.found.Dir), filepath.ToSlash(y.found.Dir))
	})
	if o.ChangedSince != "" {
		return s, o.keepChanged(ctx, s)
	}
	return s, nil
}

// keepChanged keeps the skills that were changed since the revision.
func (o Options) keepChanged(ctx context.Context, s *selection) error {
	client := git.Client{Env: o.Environ}
	files, err := client.ChangedSince(ctx, o.Dir, o.ChangedSince)
	if err != nil {
		return err
	}
	var dirs []string
	for _, skill := range s.skills {
		dirs = append(dirs, skill.found.Real)
	}
	changed := map[string]bool{}
	for _, dir := range git.Touched(files, dirs) {
		changed[dir] = true
	}
	s.skills = slices.DeleteFunc(s.skills, func(skill *skill) bool { return !changed[skill.found.Real] })
	return nil
}

// Find resolves paths to skills, each once, in the order given. Errors are
// those of Run.
func Find(ctx context.Context, search loader.Search, paths []string) ([]loader.Found, error) {
	targets, err := resolve(ctx, paths, func(string) (loader.Search, error) { return search, nil }, false)
	var found []loader.Found
	for _, t := range targets {
		found = append(found, t.Skills...)
	}
	return loader.Unique(found), err
}

// resolve resolves paths, each with a search of its own. Every path that cannot
// be resolved is an error before any skill is opened; with lenient, a file that
// belongs to no skill is skipped.
func resolve(ctx context.Context, paths []string, search func(path string) (loader.Search, error), lenient bool) ([]loader.Target, error) {
	targets := make([]loader.Target, len(paths))
	var failed Errors
	skillOf := map[string]loader.Target{} // of the files in a folder
	for i, p := range paths {
		if t, ok := skillOf[filepath.Dir(p)]; ok && isFile(p) {
			targets[i] = t
			continue
		}
		search, err := search(p)
		if err != nil {
			return nil, err
		}
		targets[i], err = loader.Resolve(ctx, p, search)
		var bad *loader.TargetError
		switch {
		case errors.As(err, &bad) && bad.Problem == loader.TargetNoSkill && lenient:
			targets[i] = loader.Target{Path: p}
		case errors.As(err, &bad):
			failed = append(failed, bad)
		case err != nil:
			return nil, err
		case isFile(p):
			// Resolved as the path is written, so its neighbours are too.
			if _, ok := below(targets[i].Skills[0].Dir, filepath.Dir(p)); ok {
				skillOf[filepath.Dir(p)] = targets[i]
			}
		}
	}
	if len(failed) > 0 {
		return nil, failed
	}
	return targets, nil
}

// setting is what holds for the skills of a path.
type setting struct {
	opts   spec.Options
	search loader.Search
}

// settings finds what holds for paths: the options of the run, over the nearest
// .skills.yaml upwards from each path. So a skill gets the same verdict wherever
// the check is started. Files of one folder, and paths under one configuration,
// share their setting.
type settings struct {
	options Options
	notify  loader.Notify
	byDir   map[string]*setting
	byFile  map[string]*setting // "" for no configuration
}

func (s *settings) search(path string) (loader.Search, error) {
	set, err := s.of(path)
	if err != nil {
		return loader.Search{}, err
	}
	return set.search, nil
}

// of returns the setting of a path, which need not exist.
func (s *settings) of(path string) (*setting, error) {
	switch {
	case s.options.NoConfig:
		return s.load("")
	case s.options.ConfigFile != "":
		return s.load(s.options.absolute(s.options.ConfigFile))
	}
	dir := s.options.absolute(path)
	if !isDir(dir) {
		dir = filepath.Dir(dir)
	}
	if set, ok := s.byDir[dir]; ok {
		return set, nil
	}
	file, err := config.Find(dir, s.options.Dir)
	if err != nil {
		return nil, err
	}
	set, err := s.load(file)
	s.byDir[dir] = set
	return set, err
}

// load returns the setting of a configuration, "" for none.
func (s *settings) load(file string) (*setting, error) {
	if set, ok := s.byFile[file]; ok {
		return set, nil
	}
	var conf config.Config
	if file != "" {
		var err error
		if conf, err = config.Load(file); err != nil {
			return nil, err
		}
	}
	o := s.options
	set := &setting{search: loader.Search{Notify: s.notify, Exclude: conf.Exclude, ExcludeFrom: conf.Dir}}
	set.opts = spec.Options{Profile: conf.Profile, Clients: slices.Concat(conf.Clients, o.Clients), Levels: map[string]spec.Level{}}
	if o.Profile != "" {
		set.opts.Profile = o.Profile
	}
	maps.Copy(set.opts.Levels, conf.Levels)
	maps.Copy(set.opts.Levels, o.Levels)
	s.byFile[file] = set
	return set, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
