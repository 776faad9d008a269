package baseline

// A finding is known if the baseline has an entry for its file and rule that is alike: the
// same line and message, else the same message, else the same line. Each entry stands for
// a number of findings, so that a new one like the old ones is new.

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
	left    []int           // remaining count of each entry
	groups  map[group][]int // indexes of entries
	checked skills
}

// group is the key of the entries that may match a finding.
type group struct{ path, rule string }

// Compare starts a comparison.
func (b *Baseline) Compare() *Comparison {
	c := &Comparison{b: b, groups: map[group][]int{}, checked: skills{}}
	for i, e := range b.Entries {
		c.left = append(c.left, e.Count)
		c.groups[group{e.Path, e.Rule}] = append(c.groups[group{e.Path, e.Rule}], i)
	}
	return c
}

// maxNamed is the maximum number of listed entries that no longer occur.
const maxNamed = 20

// Notice returns a summary of the baseline findings that no longer occur and up
// to twenty lines with details, or nil. Entries of a rule that did not run, or
// of a skill that was not compared, do not count. The texts come from the file
// and must be sanitised before printing.
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

// New returns the findings of a skill that are not in the baseline. opts are
// the options of the check.
//
// A finding is known if an entry has the same path, rule, message and line. Of
// the remaining entries, one with the same message or line is enough: the line
// may have been edited, and a newer version may use another message. A key is
// matched by its digest alone, wherever it is in the file. A finding for
// several rules is known if each of them has an entry. If there are more
// findings than an entry counts, the last ones are new. Of a finding about several
// places, those without an entry remain.
func (c *Comparison) New(s report.Skill, opts *spec.Options) (fresh []spec.Diagnostic) {
	c.checked[c.b.name(s.Path)] = opts
	var found []Entry
	for _, d := range s.Diagnostics {
		found = append(found, c.b.entries(d)...)
	}
	known := c.match(found)
	for _, d := range s.Diagnostics {
		n := max(len(d.Places), 1+len(strings.Fields(d.Also)))
		mine := known[:n]
		if slices.Contains(mine, false) {
			fresh = append(fresh, rules.OnlyPlaces(d, func(i int) bool { return !mine[i] }))
		}
		known = known[n:]
	}
	return fresh
}

// gone returns the entries without a finding; Count is the number still
// expected.
func (c *Comparison) gone() (gone []Entry) {
	for at, e := range c.b.Entries {
		opts, checked := c.checked.at(e.Path)
		e.Count = c.left[at]
		if e.Count == 0 {
			continue
		}
		if checked && ran(e.Rule, *opts) || !c.b.exists(e.Path) {
			gone = append(gone, e)
		}
	}
	return gone
}

// In these functions x is a finding and y an entry.
func sameFinding(x, y Entry) bool { return x.Message == y.Message && x.Fingerprint == y.Fingerprint }
func sameMessage(x, y Entry) bool { return x.Message == y.Message && !x.exact }
func sameLine(x, y Entry) bool    { return x.Fingerprint == y.Fingerprint && x.Fingerprint != "" }
func sameRule(x, _ Entry) bool    { return x.also } // its message was different before the findings were merged

// match reports for each entry of found whether it is known.
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

// ran reports whether a rule was run, or no longer exists.
func ran(id string, opts spec.Options) bool {
	rule := rules.Find(id)
	if rule == nil || opts.Profile == spec.ProfileReference {
		return rule == nil // the reference library has few of the rules, and other messages
	}
	return !opts.Off(rule)
}

// skills maps the paths of checked skills to their options.
type skills map[string]*spec.Options

// at returns the options of the skill that contains a path.
func (s skills) at(name string) (opts *spec.Options, ok bool) {
	for {
		opts, ok = s[name]
		if ok || path.Dir(name) == name || path.Base(name) == ".." {
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
