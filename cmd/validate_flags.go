package cmd

import (
	"maps"
	"slices"
	"strings"

	"skills/internal/lint/config"
	"skills/internal/spec"
	"skills/internal/suggest"
)

// validateFlags are what validate was told on the command line.
type validateFlags struct {
	formats       []string
	profile       string
	clients       []string
	rules         []string
	strict        bool
	quiet         bool
	verbose       bool
	stdinFilename string
	fix, diff     bool
	config        string
	noConfig      bool

	forceExclude, ignoreUnmatched bool // for lists of files that others made

	changedSince  string
	baseline      string
	writeBaseline string

	profileSet, changedSinceSet bool // whether the flag was given
}

// least is the lowest level that this run shows, counts or writes down.
func (f validateFlags) least(outputs []output) spec.Level {
	text := !slices.ContainsFunc(outputs, func(o output) bool { return o.format.Name != "text" })
	switch {
	case !text || f.verbose || f.baseline != "" || f.writeBaseline != "":
		return spec.Info
	case f.quiet && !f.strict:
		return spec.Error
	}
	return spec.Warning
}

// mends is the lowest level of the findings that are mended: advice is, where it
// is asked for.
func (f validateFlags) mends() spec.Level {
	if f.verbose {
		return spec.Info
	}
	return spec.Warning
}

// check refuses flags that do not go together.
func (f validateFlags) check(args []string) error {
	stdin := slices.Contains(args, "-")
	switch {
	case f.fix && f.diff:
		return wrongUsage("look at the changes with --diff, then make them with --fix", "--fix and --diff together")
	case stdin && f.fix:
		return wrongUsage("name the file, or print the changes with --diff", "--fix cannot mend standard input")
	case f.config != "" && f.noConfig:
		return wrongUsage("choose one of the two", "--config and --no-config together")
	case f.changedSinceSet && strings.TrimSpace(f.changedSince) == "":
		return wrongUsage("name a branch, a tag or a commit, such as main; a variable may be empty", "--changed-since names no revision")
	case stdin && f.changedSince != "":
		return wrongUsage("name paths, or leave --changed-since out", "--changed-since with standard input")
	}
	return nil
}

// options turns flags and configuration into what the rules are told; flags
// come last.
func (f validateFlags) options(conf config.Config) (spec.Options, error) {
	opts := spec.Options{Profile: spec.Profile(f.profile), Clients: append(conf.Clients, f.clients...), Levels: map[string]spec.Level{}}
	maps.Copy(opts.Levels, conf.Levels)
	if conf.Profile != "" && !f.profileSet {
		opts.Profile = conf.Profile
	}
	if opts.Profile != spec.ProfileSpec && opts.Profile != spec.ProfileReference {
		return opts, wrongUsage("choose spec or skills-ref", "unknown profile %q", f.profile)
	}
	if opts.Profile == spec.ProfileReference && len(f.clients)+len(f.rules) > 0 {
		return opts, wrongUsage("leave them out, or use the profile spec", "--profile skills-ref is the reference library's verdict alone; --client and --rule do not change it")
	}
	for _, c := range f.clients {
		if !slices.Contains(clientIDs(), c) {
			return opts, wrongUsage(nearestHint(c, clientIDs()), "unknown client %q", c)
		}
	}
	for _, r := range f.rules {
		id, name, found := strings.Cut(r, "=")
		level, ok := spec.ParseLevel(name)
		switch {
		case !found || !ok:
			return opts, wrongUsage("write it as ID=off, ID=info, ID=warning or ID=error", "bad --rule %q", r)
		case spec.FindRule(id) == nil:
			return opts, wrongUsage(ruleHint(id), "unknown rule %q", id)
		}
		opts.Levels[id] = level
	}
	return opts, nil
}

// ruleHint offers the nearest rule.
func ruleHint(id string) string {
	if n := suggest.Nearest(id, ruleIDs()); n != "" {
		return "did you mean " + n + "?"
	}
	return "skills rules lists them"
}

// nearestHint offers the nearest name, or all of them.
func nearestHint(word string, names []string) string {
	if n := suggest.Nearest(word, names); n != "" {
		return "did you mean " + n + "?"
	}
	return "choose one of " + strings.Join(names, ", ")
}

func clientIDs() []string {
	var out []string
	for _, c := range spec.Clients() {
		out = append(out, c.ID)
	}
	return out
}

func ruleIDs() []string {
	var out []string
	for _, r := range spec.Rules() {
		out = append(out, r.ID)
	}
	return out
}
