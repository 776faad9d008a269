package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
)

// Result is a report seen against a baseline.
type Result struct {
	New   report.Report     // the report with the findings that are not known
	Known []spec.Diagnostic // the others, in the report's order
	// Gone are the entries that nothing was found for any more, with how often
	// as Count. Those that the run did not look at are not among them.
	Gone []Entry
}

// maxNamed is how many entries that are gone are named.
const maxNamed = 20

// Notice says which findings of the baseline are gone, the verdict in the first
// line and a line for each, up to twenty; none where nothing is gone. The texts
// are the file's: they are to be made harmless before they are printed.
func (r Result) Notice() []string {
	n := 0
	for _, e := range r.Gone {
		n += e.Count
	}
	if n == 0 {
		return nil
	}
	verb := "is"
	if n > 1 {
		verb = "are"
	}
	out := []string{fmt.Sprintf("%s of the baseline %s gone; write it again with --write-baseline", printable.Plural(n, "finding"), verb)}
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

// Apply parts a report's findings into those that the baseline knows and those
// that are new. opts are the options that each of the report's skills was
// checked under: an entry of a rule that did not run, or of a skill that the
// report does not speak of, is not gone.
//
// A finding is known where path, rule, message and line are those of an entry,
// and then, as long as entries are left, where message or line alone are: the
// line may have been edited, and a newer version may word the message
// otherwise. A key is known by itself alone, wherever in the file it stands. Of
// more findings than an entry counts, the last are new.
func (b *Baseline) Apply(rep report.Report, opts []*spec.Options) (Result, error) {
	checked, err := b.checked(rep)
	if err != nil {
		return Result{}, err
	}
	m := newMatcher(b.Entries)
	var found []Entry
	for _, s := range rep.Skills {
		for _, d := range s.Diagnostics {
			e, err := b.entry(d)
			if err != nil {
				return Result{}, err
			}
			found = append(found, e)
		}
	}
	known := make([]bool, len(found))
	for _, alike := range []func(x, y Entry) bool{sameFinding, sameMessage, sameLine} {
		for i, e := range found {
			known[i] = known[i] || m.take(e, alike)
		}
	}
	var r Result
	i := 0
	for _, s := range rep.Skills {
		all := s.Diagnostics
		s.Diagnostics = nil
		for _, d := range all {
			if known[i] {
				r.Known = append(r.Known, d)
			} else {
				s.Diagnostics = append(s.Diagnostics, d)
			}
			i++
		}
		r.New.Skills = append(r.New.Skills, s)
	}
	gone := func(e Entry) bool {
		skill, ok := checked(e.Path)
		return ok && ran(e.Rule, *opts[skill])
	}
	for at, left := range m.left {
		e := b.Entries[at]
		if e.Count = left; left > 0 && (gone(e) || !b.exists(e.Path)) {
			r.Gone = append(r.Gone, e)
		}
	}
	return r, nil
}

// Of these x is a finding and y an entry.
func sameFinding(x, y Entry) bool { return x.Message == y.Message && x.Fingerprint == y.Fingerprint }
func sameMessage(x, y Entry) bool { return x.Message == y.Message && !x.exact }
func sameLine(x, y Entry) bool    { return x.Fingerprint == y.Fingerprint && x.Fingerprint != "" }

// matcher hands out entries, each as often as it counts.
type matcher struct {
	entries []Entry
	left    []int // of each entry
	groups  map[group][]int
}

type group struct{ path, rule string }

func newMatcher(entries []Entry) *matcher {
	m := &matcher{entries: entries, groups: map[group][]int{}}
	for i, e := range entries {
		m.left = append(m.left, e.Count)
		key := group{e.Path, e.Rule}
		m.groups[key] = append(m.groups[key], i)
	}
	return m
}

// take uses an entry up that is about the same file and rule as e, and alike.
func (m *matcher) take(e Entry, alike func(x, y Entry) bool) bool {
	for _, i := range m.groups[group{e.Path, e.Rule}] {
		if m.left[i] > 0 && alike(e, m.entries[i]) {
			m.left[i]--
			return true
		}
	}
	return false
}

// ran reports whether a rule would have found what there is. One that there is
// no longer finds nothing for good.
func ran(id string, opts spec.Options) bool {
	rule := spec.FindRule(id)
	switch {
	case rule == nil:
		return true
	case opts.Profile == spec.ProfileReference:
		return false // it knows few of the rules, and other messages
	}
	level, ok := opts.Levels[id]
	if !ok {
		level = rule.Level
	}
	return level != spec.Off
}

// checked returns in which skill of the report a path of the file lies, by its
// place in the report.
func (b *Baseline) checked(rep report.Report) (func(name string) (skill int, ok bool), error) {
	skills := make(map[string]int, len(rep.Skills))
	for i, s := range rep.Skills {
		name, err := b.name(s.Path)
		if err != nil {
			return nil, err
		}
		skills[name] = i
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
	}, nil
}

// exists reports whether the file of an entry is there. Where that cannot be
// told it is taken to be.
func (b *Baseline) exists(name string) bool {
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.dir, file)
	}
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}
