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

// Result is a report compared with a baseline.
type Result struct {
	New report.Report // the report with the findings that are not known
	// Gone are the entries without a finding, and how many were expected as
	// Count. Entries that the run did not check are not among them.
	Gone []Entry
}

// maxNamed is how many entries that are gone are listed.
const maxNamed = 20

// Notice says which findings of the baseline are gone: a summary, then a line
// for each, up to twenty; nil where nothing is gone. The texts are the file's
// and have to be sanitised before they are printed.
func (r Result) Notice() []string {
	n := 0
	for _, e := range r.Gone {
		n += e.Count
	}
	if n == 0 {
		return nil
	}
	out := []string{printable.Plural(n, "finding") + " of the baseline no longer found; update it with --write-baseline"}
	for _, e := range r.Gone[:min(len(r.Gone), maxNamed)] {
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

// Apply separates the known findings of a report from the new ones. opts are the
// options that each of the report's skills was checked under: an entry of a rule
// that did not run, or of a skill that is not in the report, is not gone.
//
// A finding is known if path, rule, message and line are those of an entry, and
// then, as long as entries are left, if message or line alone are: the line may
// have been edited, and a newer version may use another message. A key is known
// by its digest alone, wherever in the file it is. A finding that breaks several
// rules is known if each of them has an entry. Of more findings than an entry counts,
// the last are new.
func (b *Baseline) Apply(rep report.Report, opts []*spec.Options) Result {
	checked := b.checked(rep)
	var found []Entry
	for _, s := range rep.Skills {
		for _, d := range s.Diagnostics {
			found = append(found, b.entries(d)...)
		}
	}
	matched, left := b.match(found)
	var r Result
	for _, s := range rep.Skills {
		all := s.Diagnostics
		s.Diagnostics = nil
		for _, d := range all {
			n := 1 + len(strings.Fields(d.Also))
			if slices.Contains(matched[:n], false) {
				s.Diagnostics = append(s.Diagnostics, d)
			}
			matched = matched[n:]
		}
		r.New.Skills = append(r.New.Skills, s)
	}
	gone := func(e Entry) bool {
		skill, ok := checked(e.Path)
		return ok && ran(e.Rule, *opts[skill])
	}
	for at, e := range b.Entries {
		if e.Count = left[at]; e.Count > 0 && (gone(e) || !b.exists(e.Path)) {
			r.Gone = append(r.Gone, e)
		}
	}
	return r
}

// Of these x is a finding and y an entry.
func sameFinding(x, y Entry) bool { return x.Message == y.Message && x.Fingerprint == y.Fingerprint }
func sameMessage(x, y Entry) bool { return x.Message == y.Message && !x.exact }
func sameLine(x, y Entry) bool    { return x.Fingerprint == y.Fingerprint && x.Fingerprint != "" }
func sameRule(x, _ Entry) bool    { return x.also } // its message was another one before they were joined

// match says which findings are known, and how often each entry is left.
func (b *Baseline) match(found []Entry) (known []bool, left []int) {
	type group struct{ path, rule string }
	groups := map[group][]int{}
	for i, e := range b.Entries {
		left = append(left, e.Count)
		groups[group{e.Path, e.Rule}] = append(groups[group{e.Path, e.Rule}], i)
	}
	known = make([]bool, len(found))
	for _, alike := range []func(x, y Entry) bool{sameFinding, sameMessage, sameLine, sameRule} {
		for i, e := range found {
			for _, at := range groups[group{e.Path, e.Rule}] {
				if !known[i] && left[at] > 0 && alike(e, b.Entries[at]) {
					known[i] = true
					left[at]--
				}
			}
		}
	}
	return known, left
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

// checked returns a function that finds the skill that a path is in, by index.
func (b *Baseline) checked(rep report.Report) func(name string) (skill int, ok bool) {
	skills := make(map[string]int, len(rep.Skills))
	for i, s := range rep.Skills {
		skills[b.name(s.Path)] = i
	}
	return func(name string) (int, bool) {
		for {
			up := path.Dir(name)
			if i, ok := skills[name]; ok {
				return i, true
			}
			if up == name || path.Base(name) == ".." {
				return 0, false
			}
			name = up
		}
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
