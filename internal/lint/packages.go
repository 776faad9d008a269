package lint

// Plugins and marketplaces are checked with the skills that a search finds in them. They are
// entries of the same list, so that settings, baselines, levels and formats apply to them. A
// sample in a folder such as tests or examples is checked only if it is named.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/plugins"
	"skills/internal/spec/secrets"
)

// packages collects the plugins and marketplaces below one path.
type packages struct {
	set     *setting
	outside bool // exclude patterns apply to named paths as well
	found   []*skill
	samples []string // folders of samples, whose plugins are not checked
}

// search returns the search for the path, which collects packages as well.
func (p *packages) search() loader.Search {
	s := p.set.search
	if p.set.opts.Profile != spec.ProfileReference { // the reference library knows no plugins
		s.Folder = p.folder
	}
	return s
}

// folder adds a folder of the search.
func (p *packages) folder(f loader.Listed) bool {
	sample := f.Level > 0 && spec.IsSampleFolder(filepath.Base(f.Dir))
	if sample || slices.ContainsFunc(p.samples, func(dir string) bool { _, in := below(dir, f.Real); return in }) {
		if sample {
			p.samples = append(p.samples, f.Real)
		}
		return false
	}
	if !plugins.May(f.Entries) || f.Skips(".claude-plugin", true) || f.Skips("plugin.json", false) {
		return false
	}
	return p.add(f.Dir, f.Real)
}

// add adds a folder if it is a package.
func (p *packages) add(dir, real string) bool {
	root, err := os.OpenRoot(real)
	if err != nil {
		return false
	}
	defer root.Close()
	is, portable := plugins.Is(root.FS())
	if is {
		p.found = append(p.found, &skill{found: loader.Found{Dir: dir, Real: real}, opts: &p.set.opts, plugin: true, portable: portable})
	}
	return is
}

// named adds the package whose manifest a path names. It returns false for all other paths.
func (p *packages) named(path string) bool {
	dir, ok := plugins.IsManifest(path)
	info, err := os.Stat(path)
	isFile := err == nil && !info.IsDir()
	if !ok || !isFile || p.set.opts.Profile == spec.ProfileReference {
		return false
	}
	if p.outside && p.set.search.Excluder()(dir) {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	return err == nil && p.add(dir, real)
}

// linkPackages removes packages that several paths lead to, and marks the skills of plugins
// whose clients skip an invalid skill.
func linkPackages(all []*skill) []*skill {
	portable := map[string]bool{} // the folders of skills of these plugins
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(s *skill) bool {
		if !s.plugin {
			return false
		}
		again := seen[s.found.Real]
		seen[s.found.Real] = true
		if s.portable {
			portable[filepath.Join(s.found.Real, "skills")] = true
		}
		return again
	})
	for _, s := range all {
		s.portable = !s.plugin && portable[filepath.Dir(s.found.Real)]
	}
	return all
}

// skipsSkill adds to the errors of a skill what clients of its plugin do.
func skipsSkill(found []spec.Diagnostic) {
	for i := range found {
		if d := &found[i]; d.Level == spec.Error {
			d.Help = strings.TrimPrefix(d.Help+"; until then clients of the plugin skip this skill", "; ")
		}
	}
}

// checkPackage checks a plugin or a marketplace, unless it is unchanged.
func (s *skill) checkPackage(least spec.Level) report.Skill {
	out := report.Skill{Path: s.found.Dir, Kind: report.Plugin}
	if s.nameOnly {
		return out
	}
	root, err := os.OpenRoot(s.found.Real)
	if err != nil {
		return out // it was there a moment ago
	}
	defer root.Close()
	p := plugins.Check(root.FS(), s.found.Dir, s.options(least))
	out.Name = p.Name
	for _, f := range p.Files {
		for _, d := range f.Found {
			if line := d.Span.Start.Line; line > 0 {
				d.Snippet = clip(f.Doc.Line(line), d.Span)
				d.Sensitive = secrets.Contains(f.Doc.Line(line))
			}
			out.Diagnostics = append(out.Diagnostics, d)
		}
	}
	out.Diagnostics = spec.Sort(out.Diagnostics)
	return out
}
