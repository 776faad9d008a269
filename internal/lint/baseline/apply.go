package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Comparison compares the skills of a run with a baseline.
type Comparison struct {
	b       *Baseline
	left    []int           // how often each entry was not found yet
	groups  map[group][]int // entries
	checked skills
}

// group are the entries that a finding can be.
type group struct{ path, rule string }

// Compare begins a comparison.
func (b *Baseline) Compare() *Comparison {
	c := &Comparison{b: b, groups: map[group][]int{}, checked: skills{}}
	for i, e := range b.Entries {
		c.left = append(c.left, e.Count)
		c.groups[group{e.Path, e.Rule}] = append(c.groups[group{e.Path, e.Rule}], i)
	}
	return c
}

// maxNamed is how many entries that are gone are listed.
const maxNamed = 20

// Notice says which findings of the baseline are gone: a summary, then a line
// for each, up to twenty; nil where nothing is gone. Entries of a rule that did
// not run, or of a skill that was not compared, are not gone. The texts are the
// file's and have to be sanitised before they are printed.
func (c *Comparison) Notice() []string { return notice(c.gone()) }

func notice(gone []Entry) []string {
	n := 0
	for _, e := range gone {
		n += e.Count
	}
	if n == 0 {
		return nil
	}
	out := []string{printable.Plural(n, "finding") + " of the baseline no longer found; update it with --write-baseline"}
	for _, e := range gone[:min(len(gone), maxNamed)] {
		line := fmt.Sprintf("%s: %s [%s]", e.Path, e.Message, e.Rule)
		if e.Count > 1 {
			line += fmt.Sprintf(" (%d times)", e.Count)
		}
		out, n = append(out, line), n-e.Count
	}
	if n > 0 {
		out = append(out, fmt.Sprintf("… and %d more", n))
	}
	return out
}

// New returns the findings of a skill that are not known. opts are the options that
// it was checked under.
//
// A finding is known if path, rule, message and line are those of an entry, and
// then, as long as entries are left, if message or line alone are: the line may
// have been edited, and a newer version may use another message. A key is known
// by its digest alone, wherever in the file it is. A finding that breaks several
// rules is known if each of them has an entry. Of more findings than an entry counts,
// the last are new.
func (c *Comparison) New(s report.Skill, opts *spec.Options) (fresh []spec.Diagnostic) {
	c.checked[c.b.name(s.Path)] = opts
	var found []Entry
	for _, d := range s.Diagnostics {
		found = append(found, c.b.entries(d)...)
	}
	known := c.match(found)
	for _, d := range s.Diagnostics {
		n := 1 + len(strings.Fields(d.Also))
		if slices.Contains(known[:n], false) {
			fresh = append(fresh, d)
		}
		known = known[n:]
	}
	return fresh
}

// gone are the entries without a finding, and how many were expected as Count.
func (c *Comparison) gone() (gone []Entry) {
	for at, e := range c.b.Entries {
		opts, checked := c.checked.at(e.Path)
		if e.Count = c.left[at]; e.Count > 0 && (checked && ran(e.Rule, *opts) || !c.b.exists(e.Path)) {
			gone = append(gone, e)
		}
	}
	return gone
}

// Of these x is a finding and y an entry.
func sameFinding(x, y Entry) bool { return x.Message == y.Message && x.Fingerprint == y.Fingerprint }
func sameMessage(x, y Entry) bool { return x.Message == y.Message && !x.exact }
func sameLine(x, y Entry) bool    { return x.Fingerprint == y.Fingerprint && x.Fingerprint != "" }
func sameRule(x, _ Entry) bool    { return x.also } // its message was another one before they were joined

// match says which findings are known.
func (c *Comparison) match(found []Entry) []bool {
	known := make([]bool, len(found))
	for _, alike := range []func(x, y Entry) bool{sameFinding, sameMessage, sameLine, sameRule} {
		for i, e := range found {
			for _, at := range c.groups[group{e.Path, e.Rule}] {
				if !known[i] && c.left[at] > 0 && alike(e, c.b.Entries[at]) {
					known[i] = true
					c.left[at]--
				}
			}
		}
	}
	return known
}

// ran reports whether a rule was run, or does not exist any more.
func ran(id string, opts spec.Options) bool {
	rule := rules.Find(id)
	if rule == nil || opts.Profile == spec.ProfileReference {
		return rule == nil // the reference has few of the rules, and other messages
	}
	level, ok := opts.Levels[id]
	return ok && level != spec.Off || !ok && rule.Level != spec.Off
}

// skills are the options of checked skills, by path.
type skills map[string]*spec.Options

// at returns the options of the skill that a path is in.
func (s skills) at(name string) (opts *spec.Options, ok bool) {
	for {
		if opts, ok = s[name]; ok || path.Dir(name) == name || path.Base(name) == ".." {
			return opts, ok
		}
		name = path.Dir(name)
	}
}

// exists reports whether the file of an entry exists, or may exist.
func (b *Baseline) exists(name string) bool {
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.dir, file)
	}
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}
