package runner

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/lint/config"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// Choice are the flags that choose among the skills that are found, and among the
// files that they offer.
type Choice struct {
	Only, Without          []string // patterns of names, see [loader.MatchName]
	ResourceExt, ScriptExt []string // instead of the configuration's
	NoConfig               bool     // disregard .skills.yaml
}

// Chooser applies a Choice, and the .skills.yaml nearest to each skill. Both only
// exclude. A skill that a person names by its path is never excluded by a configuration.
type Chooser struct {
	choice  Choice
	ext     loader.Extensions
	configs config.Finder
	dir     string
	named   []string        // paths that a person named, absolute
	names   map[string]bool // of the skills to choose from
	err     error

	exclusions []exclusion
	excluded   map[string]func(string) bool // by configuration
}

// exclusion is the name of a skill, and the configuration that excludes it.
type exclusion struct{ file, name string }

// NewChooser returns a chooser for the skills in paths, seen from dir, an absolute
// path. The error is an *Error.
func NewChooser(dir string, c Choice, paths []string) (*Chooser, error) {
	s := &Chooser{choice: c, configs: config.Finder{Dir: dir, None: c.NoConfig}, dir: dir, names: map[string]bool{}, excluded: map[string]func(string) bool{}}
	for _, f := range []struct {
		flag     string
		patterns []string
	}{{"--only", c.Only}, {"--without", c.Without}} {
		for _, p := range f.patterns {
			if err := loader.CheckNamePattern(p); err != nil {
				return nil, Refused(fmt.Errorf("%s: %w", f.flag, err))
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
				return nil, Refused(fmt.Errorf("%s: %w", f.flag, err))
			}
			*f.to = append(*f.to, ext)
		}
	}
	for _, p := range paths {
		s.named = append(s.named, absolute(dir, p))
	}
	return s, nil
}

// Use reports whether the skill in a folder is used, and which of its files; dir is "" for
// a skill without files.
func (s *Chooser) Use(dir, name string) (loader.Extensions, bool) {
	ext := s.ext
	if dir != "" {
		dir = absolute(s.dir, dir)
		conf, err := s.configs.Of(filepath.Dir(dir))
		if err != nil && s.err == nil {
			s.err = Hinted(err)
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
			if out := (exclusion{conf.Path, name}); !slices.Contains(s.exclusions, out) {
				s.exclusions = append(s.exclusions, out)
			}
			return ext, false
		}
	}
	s.names[name] = true
	c := s.choice
	return ext, !loader.MatchName(c.Without, name) && (len(c.Only) == 0 || loader.MatchName(c.Only, name))
}

// excludes reports whether a configuration leaves a skill out.
func (s *Chooser) excludes(c config.Config, dir, name string) bool {
	if c.Path == "" {
		return false
	}
	excluded, ok := s.excluded[c.Path]
	if !ok {
		excluded = loader.Search{Exclude: c.Exclude, ExcludeFrom: c.Dir}.Excluder()
		s.excluded[c.Path] = excluded
	}
	return loader.MatchName(c.Run.Without, name) || len(c.Run.Only) > 0 && !loader.MatchName(c.Run.Only, name) || excluded(dir)
}

// Err returns what was wrong once all skills were asked about: a configuration that
// cannot be used, or an --only that matches none. It is an *Error.
func (s *Chooser) Err() error {
	if s.err != nil {
		return s.err
	}
	names := slices.Sorted(maps.Keys(s.names))
	for _, p := range s.choice.Only {
		matches := func(name string) bool { return loader.MatchName([]string{p}, name) }
		if slices.ContainsFunc(names, matches) {
			continue
		}
		if err := s.refused(matches); err != nil {
			return err
		}
		hint := "no skill was found; name a folder that holds some"
		if len(names) > 0 {
			hint = suggest.Hint(strings.Trim(p, "*"), names, "skills list shows the skills")
		}
		return Refuse(hint, "--only %s matches no skill", p)
	}
	return nil
}

// Missing explains why there is no skill of a name, nil if no configuration excludes it.
func (s *Chooser) Missing(name string) error {
	if s == nil {
		return nil
	}
	return s.refused(func(n string) bool { return strings.EqualFold(n, name) })
}

func (s *Chooser) refused(matches func(name string) bool) error {
	i := slices.IndexFunc(s.exclusions, func(out exclusion) bool { return matches(out.name) })
	if i < 0 {
		return nil
	}
	return Refuse("change it, or pass --no-config", "the skill %s is excluded by %s", s.exclusions[i].name, shown(s.dir, s.exclusions[i].file))
}

// maxNamed is how many excluded skills a note names.
const maxNamed = 10

// Notes returns a line for each configuration that excludes skills.
func (s *Chooser) Notes() (notes []string) {
	names := map[string][]string{}
	for _, out := range s.exclusions {
		names[out.file] = append(names[out.file], out.name)
	}
	for _, file := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[file])
		text := fmt.Sprintf("%s excludes %s: %s", shown(s.dir, file), printable.Plural(len(names[file]), "skill"), printable.List(names[file], maxNamed))
		notes = append(notes, printable.Truncate(text, 500))
	}
	return notes
}
