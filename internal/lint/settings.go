package lint

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/lint/config"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Settings holds the settings for some paths of a run.
type Settings struct {
	Paths []string // as given
	File  string   // the configuration, "" for none
	List  []Setting
}

// Setting is one setting.
type Setting struct {
	Name, Value string
	Source      string // the configuration, a flag, or "default"
}

// Settings returns the settings of the paths, one entry a configuration, in the order of
// the paths. strict is the value of --strict, nil if it is not given. With all, rules at
// their default level are listed too. Errors are those of Start.
func (o Options) Settings(strict *bool, all bool) ([]Settings, error) {
	find := settings{options: o, configs: config.Finder{Dir: o.Dir, File: o.ConfigFile, None: o.NoConfig}, byFile: map[string]*setting{}}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var out []Settings
	for _, path := range paths {
		file := path
		if path == Stdin {
			file = o.StdinFilename
		}
		conf, err := find.configs.Of(file)
		if err != nil {
			return nil, err
		}
		if rel, err := filepath.Rel(o.Dir, conf.Path); err == nil && filepath.IsLocal(rel) && conf.Path != "" {
			conf.Path = rel
		}
		if i := slices.IndexFunc(out, func(s Settings) bool { return s.File == conf.Path }); i >= 0 {
			out[i].Paths = append(out[i].Paths, path)
			continue
		}
		set, err := find.of(file)
		if err != nil {
			return nil, err
		}
		out = append(out, Settings{[]string{path}, conf.Path, o.list(conf, set.opts, strict, all)})
	}
	return out, nil
}

// list returns the settings of one configuration.
func (o Options) list(conf config.Config, opts spec.Options, strict *bool, all bool) (out []Setting) {
	add := func(name, value, source string) { out = append(out, Setting{name, value, source}) }
	source := func(flag bool, name string, inFile bool) string {
		switch {
		case flag:
			return name
		case inFile:
			return conf.Path
		}
		return "default"
	}
	add("profile", string(cmp.Or(opts.Profile, spec.ProfileSpec)), source(o.Profile != "", "--profile", conf.Profile != ""))
	isStrict := conf.Strict
	if strict != nil {
		isStrict = *strict
	}
	add("strict", strconv.FormatBool(isStrict), source(strict != nil, "--strict", conf.Strict))
	for _, client := range conf.Clients {
		add("client", client, conf.Path)
	}
	for _, client := range o.Clients {
		add("client", client, "--client")
	}
	for _, rule := range rules.All() {
		_, flag := o.Levels[rule.ID]
		_, inFile := conf.Levels[rule.ID]
		if all || flag || inFile {
			add("rule "+rule.ID, opts.Level(rule).String(), source(flag, "--rule", inFile))
		}
	}
	for _, pattern := range conf.Exclude {
		add("exclude", pattern, conf.Path)
	}
	for i, p := range slices.Concat(conf.PerFile, o.PerFile) {
		add("per-file-ignores", p.Pattern+": "+strings.Join(p.Rules, ", "), source(i >= len(conf.PerFile), "--per-file-ignores", true))
	}
	for _, b := range conf.Banned {
		add("banned", strings.TrimSuffix(b.Word+": "+b.Reason, ": "), conf.Path)
	}
	for _, r := range []struct {
		name string
		list []string
	}{{"only", conf.Run.Only}, {"without", conf.Run.Without}, {"hide", conf.Run.Hide}, {"resource-extensions", conf.Run.ResourceExtensions}, {"script-extensions", conf.Run.ScriptExtensions}} {
		for _, value := range r.list {
			add("run "+r.name, value, conf.Path)
		}
	}
	return out
}
