// Package choice decides which of the skills that were found are used: by the flags that
// choose, and by the .skills.yaml nearest to each.
package choice

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lint/config"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// Options are the flags that choose among the skills that are found, and among the
// files that they offer.
type Options struct {
	Only, Without          []string // patterns of names, see [loader.MatchName]
	ResourceExt, ScriptExt []string // instead of the configuration's
	NoConfig               bool     // disregard .skills.yaml
}

// Chooser applies Options, and the .skills.yaml nearest to each skill. Both only
// exclude. A skill that the user names by its path is never excluded by a configuration.
type Chooser struct {
	choice  Options
	ext     loader.Extensions
	configs config.Finder
	dir     string
	named   []string        // paths that the user named, absolute
	names   map[string]bool // of the skills to choose from
	err     error

	excluders map[string]func(dir string) bool // by the path of a configuration
	excluded  map[string][]string              // names of skills, likewise
}

// maxNamed is how many excluded skills a note names.
const maxNamed = 10

// New returns a chooser for the skills in paths, seen from dir, an absolute
// path. The error is an *fault.Error.
func New(dir string, c Options, paths []string) (*Chooser, error) {
	s := &Chooser{
		choice: c, configs: config.Finder{Dir: dir, None: c.NoConfig}, dir: dir, names: map[string]bool{},
		excluders: map[string]func(string) bool{}, excluded: map[string][]string{},
	}
	for _, f := range []struct {
		flag     string
		patterns []string
	}{{"--only", c.Only}, {"--without", c.Without}} {
		for _, p := range f.patterns {
			if err := loader.CheckNamePattern(p); err != nil {
				return nil, fault.AsUsage(fmt.Errorf("%s: %w", f.flag, err))
			}
		}
	}
	for _, f := range []struct {
		flag     string
		from, to *[]string
	}{{"--resource-ext", &c.ResourceExt, &s.ext.Resources}, {"--script-ext", &c.ScriptExt, &s.ext.Scripts}} {
		for _, text := range *f.from {
			ext, err := loader.ParseExtension(text)
			if err != nil {
				return nil, fault.AsUsage(fmt.Errorf("%s: %w", f.flag, err))
			}
			*f.to = append(*f.to, ext)
		}
	}
	for _, p := range paths {
		s.named = append(s.named, files.Absolute(dir, p))
	}
	return s, nil
}

// Use reports whether the skill in a folder is used, and which of its files; dir is "" for
// a skill without files.
func (s *Chooser) Use(dir, name string) (loader.Extensions, bool) {
	ext := s.ext
	if dir != "" {
		dir = files.Absolute(s.dir, dir)
		conf, err := s.configs.Of(filepath.Dir(dir))
		if err != nil && s.err == nil {
			s.err = fault.AsUsageIfHinted(err)
		}
		if len(ext.Resources) == 0 {
			ext.Resources = conf.Run.ResourceExtensions
		}
		if len(ext.Scripts) == 0 {
			ext.Scripts = conf.Run.ScriptExtensions
		}
		named := slices.ContainsFunc(s.named, func(p string) bool {
			return p == dir || strings.HasPrefix(p, dir+string(filepath.Separator))
		})
		if !named && s.excludes(conf, dir, name) {
			if names := s.excluded[conf.Path]; !slices.Contains(names, name) {
				s.excluded[conf.Path] = append(names, name)
			}
			return ext, false
		}
	}
	s.names[name] = true
	return ext, chosen(s.choice.Only, s.choice.Without, name)
}

// excludes reports whether a configuration excludes a skill.
func (s *Chooser) excludes(c config.Config, dir, name string) bool {
	if c.Path == "" {
		return false
	}
	if s.excluders[c.Path] == nil {
		s.excluders[c.Path] = loader.Search{Exclude: c.Exclude, ExcludeFrom: c.Dir}.Excluder()
	}
	return !chosen(c.Run.Only, c.Run.Without, name) || s.excluders[c.Path](dir)
}

// chosen reports whether patterns choose a name.
func chosen(only, without []string, name string) bool {
	return !loader.MatchName(without, name) && (len(only) == 0 || loader.MatchName(only, name))
}

// CheckFolder returns what is wrong with the configuration of the working folder, which
// counts even if no skill is below it.
func (s *Chooser) CheckFolder() error {
	_, err := s.configs.Of(s.dir)
	if err != nil {
		return fault.AsUsageIfHinted(err)
	}
	return nil
}

// End passes a line for each configuration that excludes skills to note, once all skills
// were asked about, and returns what was wrong: a configuration that cannot be used, or
// an --only that matches none. It is an *fault.Error.
func (s *Chooser) End(note func(text string)) error {
	for _, file := range slices.Sorted(maps.Keys(s.excluded)) {
		names := slices.Sorted(slices.Values(s.excluded[file]))
		text := fmt.Sprintf("%s excludes %s: %s", files.Shown(s.dir, file), printable.Plural(len(names), "skill"), printable.List(names, maxNamed))
		note(printable.Truncate(text, 500))
	}
	if s.err != nil {
		return s.err
	}
	names := slices.Sorted(maps.Keys(s.names))
	for _, p := range s.choice.Only {
		matches := func(name string) bool { return loader.MatchName([]string{p}, name) }
		if slices.ContainsFunc(names, matches) {
			continue
		}
		if err := s.excludedError(matches); err != nil {
			return err
		}
		hint := "no skill was found; name a folder that holds some"
		if len(names) > 0 {
			hint = suggest.Hint(strings.Trim(p, "*"), names, "list the skills with: skills list")
		}
		return fault.Usage(hint, "--only %s matches no skill", p)
	}
	return nil
}

// Missing explains why there is no skill of a name, nil if no configuration excludes it.
func (s *Chooser) Missing(name string) error {
	return s.excludedError(func(n string) bool { return strings.EqualFold(n, name) })
}

func (s *Chooser) excludedError(matches func(name string) bool) error {
	for _, file := range slices.Sorted(maps.Keys(s.excluded)) {
		if i := slices.IndexFunc(s.excluded[file], matches); i >= 0 {
			return fault.Usage("change it, or pass --no-config", "the skill %s is excluded by %s", s.excluded[file][i], files.Shown(s.dir, file))
		}
	}
	return nil
}
