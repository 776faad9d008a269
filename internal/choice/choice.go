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
	Only, Without          []string // patterns of names and metadata, see [loader.Match]
	Hide                   []string // patterns of files, in addition to the configuration's
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
	named   []string    // paths that the user named, absolute
	found   []candidate // the skills to choose from
	err     error

	excluders map[string]func(dir string) bool // by the path of a configuration
	excluded  map[string][]candidate           // likewise
}

// candidate is a skill to choose.
type candidate struct {
	name     string
	metadata map[string]string
}

// names returns the sorted names of skills.
func names(all []candidate) []string {
	list := printable.Map(all, func(c candidate) string { return c.name })
	slices.Sort(list)
	return slices.Compact(list)
}

// maxNamed is how many excluded skills a note names.
const maxNamed = 10

// New returns a chooser for the skills in paths, seen from dir, an absolute
// path. The error is an *fault.Error.
func New(dir string, c Options, paths []string) (*Chooser, error) {
	s := &Chooser{
		choice: c, configs: config.Finder{Dir: dir, None: c.NoConfig}, dir: dir,
		excluders: map[string]func(string) bool{}, excluded: map[string][]candidate{},
	}
	for _, f := range []struct {
		flag     string
		patterns []string
	}{{"--only", c.Only}, {"--without", c.Without}} {
		for _, p := range f.patterns {
			if err := loader.CheckPattern(p); err != nil {
				return nil, fault.AsUsage(fmt.Errorf("%s: %w", f.flag, err))
			}
		}
	}
	for _, p := range c.Hide {
		if err := loader.CheckHide(p); err != nil {
			return nil, fault.AsUsage(fmt.Errorf("--hide: %w", err))
		}
		s.ext.Hide = append(s.ext.Hide, p)
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
func (s *Chooser) Use(dir, name string, metadata map[string]string) (loader.Extensions, bool) {
	ext, this := s.ext, candidate{name, metadata}
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
		ext.Hide = slices.Concat(ext.Hide, conf.Run.Hide)
		named := slices.ContainsFunc(s.named, func(p string) bool {
			return p == dir || strings.HasPrefix(p, dir+string(filepath.Separator))
		})
		if !named && s.excludes(conf, dir, this) {
			s.excluded[conf.Path] = append(s.excluded[conf.Path], this)
			return ext, false
		}
	}
	s.found = append(s.found, this)
	return ext, chosen(s.choice.Only, s.choice.Without, this)
}

// excludes reports whether a configuration excludes a skill.
func (s *Chooser) excludes(c config.Config, dir string, skill candidate) bool {
	if c.Path == "" {
		return false
	}
	if s.excluders[c.Path] == nil {
		s.excluders[c.Path] = loader.Search{Exclude: c.Exclude, ExcludeFrom: c.Dir}.Excluder()
	}
	return !chosen(c.Run.Only, c.Run.Without, skill) || s.excluders[c.Path](dir)
}

// chosen reports whether patterns choose a skill.
func chosen(only, without []string, s candidate) bool {
	return !loader.Match(without, s.name, s.metadata) && (len(only) == 0 || loader.Match(only, s.name, s.metadata))
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
		names := names(s.excluded[file])
		text := fmt.Sprintf("%s excludes %s: %s", files.Shown(s.dir, file), printable.Plural(len(names), "skill"), printable.List(names, maxNamed))
		note(printable.Truncate(text, 500))
	}
	if s.err != nil {
		return s.err
	}
	for _, p := range s.choice.Only {
		matches := func(c candidate) bool { return loader.Match([]string{p}, c.name, c.metadata) }
		if slices.ContainsFunc(s.found, matches) {
			continue
		}
		if err := s.excludedError(matches); err != nil {
			return err
		}
		hint := "no skill was found; name a folder that holds some"
		if len(s.found) > 0 {
			hint = suggest.Hint(strings.Trim(p, "*"), names(s.found), "list the skills with: skills list")
		}
		return fault.Usage(hint, "--only %s matches no skill", p)
	}
	return nil
}

// Missing explains why there is no skill of a name, nil if no configuration excludes it.
func (s *Chooser) Missing(name string) error {
	return s.excludedError(func(c candidate) bool { return strings.EqualFold(c.name, name) })
}

func (s *Chooser) excludedError(matches func(candidate) bool) error {
	for _, file := range slices.Sorted(maps.Keys(s.excluded)) {
		if i := slices.IndexFunc(s.excluded[file], matches); i >= 0 {
			return fault.Usage("change it, or pass --no-config", "the skill %s is excluded by %s", s.excluded[file][i].name, files.Shown(s.dir, file))
		}
	}
	return nil
}
