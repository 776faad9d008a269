// Package fix repairs findings: it collects the edits that rules propose, tries
// them in memory, keeps the harmless ones, and writes them or shows them as a
// unified diff.
//
// [Plan] documents what a fix must preserve; [Changes.Apply] what writing
// preserves.
package fix

import (
	"cmp"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// maxRounds limits how often the rules run again on fixed text. Nearly every
// skill needs one round; after ten, the rest is for the next run.
const maxRounds = 10

// Changes holds the changes that fix one skill. The zero value changes nothing.
type Changes struct {
	// Dir is the skill's folder as in its findings. Files are below it.
	Dir   string
	Files []File // sorted by name
	// Fixed holds the fixed findings in the order of the rounds. Those of later
	// rounds refer to the text of their round.
	Fixed []spec.Diagnostic
	// Document is the skill's document after the changes.
	Document *spec.Document
}

// File is a changed file.
type File struct {
	Name    string // relative to the skill, with slashes
	NewName string // its new name, or ""
	// Before and After are the complete contents, equal if only the name or the
	// mode changes.
	Before, After []byte
	// Executable adds the executable bit for everyone who can read the file.
	Executable bool
	// Removed is set for a file that goes; After is empty then. Only [Diff] knows it.
	Removed bool
}

// Empty reports whether there is nothing to change.
func (c Changes) Empty() bool { return len(c.Files) == 0 }

// Plan computes how to fix a skill: it applies the fixes of the findings of a
// check with opts, checks again, and repeats until nothing more can be fixed,
// at most ten times. Nothing is written.
//
// The fixes of a file are applied together or not at all: only if the
// frontmatter is still readable if it was before, every field keeps its value
// (except the field being fixed), and no error rule finds more than before.
// Errors hidden by invalid YAML count as found before. The rest of the file
// stays unchanged.
func Plan(doc *spec.Document, opts spec.Options) Changes {
	start := newState(doc, opts)
	end, fixed := settle(start)
	return Changes{Dir: filepath.Dir(doc.Path), Files: end.files(start), Fixed: fixed, Document: end.doc}
}

// settle applies fixes in rounds until nothing changes. Fixes of invalid YAML
// that only replace one error by another are dropped.
func settle(start *state) (end *state, fixed []spec.Diagnostic) {
	const syntaxRule = "frontmatter-syntax"
	for _, skip := range []string{"", syntaxRule} {
		end, fixed = start, nil
		for range maxRounds {
			next, now := round(end, skip)
			if len(now) == 0 {
				break
			}
			end, fixed = next, append(fixed, now...)
		}
		if left := end.errors()[syntaxRule]; left == 0 || left < start.errors()[syntaxRule] {
			break
		}
	}
	return end, fixed
}

// round applies fixes file by file: of findings with overlapping edits, only
// the first. Findings of the rule skip are not fixed.
func round(s *state, skip string) (*state, []spec.Diagnostic) {
	byFile := map[string][]spec.Diagnostic{}
	edits := map[string][]spec.Edit{}
	for _, d := range s.found {
		if d.Fix == nil || d.Rule == skip {
			continue
		}
		file := s.name(fileOf(d.Fix))
		if all, ok := merge(edits[file], d.Fix.Edits); ok {
			edits[file], byFile[file] = all, append(byFile[file], d)
		}
	}
	var fixed []spec.Diagnostic
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		if next, ok := s.with(file, edits[file], byFile[file]); ok && harmless(s, next, byFile[file]) {
			s, fixed = next, append(fixed, byFile[file]...)
		}
	}
	return s, fixed
}

// merge merges two lists of edits, ordered by position. Several findings may
// have the same edit. ok is false if two edits overlap, or insert at the same
// position, where their order is undefined.
func merge(a, b []spec.Edit) (all []spec.Edit, ok bool) {
	all = slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y spec.Edit) int { return cmp.Or(x.Start-y.Start, x.End-y.End) })
	all = slices.CompactFunc(all, func(x, y spec.Edit) bool { return x.Start == y.Start && x.End == y.End && x.Text == y.Text })
	for i := 1; i < len(all); i++ {
		if all[i].Start == all[i-1].Start || all[i].Start < all[i-1].End {
			return nil, false
		}
	}
	return all, true
}

// harmless reports whether a step preserves what a fix must preserve.
func harmless(before, after *state, fixed []spec.Diagnostic) bool {
	if before.doc.Mapping && !after.doc.Mapping || !sameFields(before.doc, after.doc, fixed) {
		return false
	}
	was := before.errors()
	for rule, n := range after.errors() {
		if n > was[rule] {
			return false
		}
	}
	return true
}

// sameFields reports whether all fields have the same values in the same order,
// except those being fixed.
func sameFields(before, after *spec.Document, fixed []spec.Diagnostic) bool {
	if !before.Mapping {
		return true
	}
	return slices.EqualFunc(before.Fields, after.Fields, func(a, b spec.Field) bool {
		meant := slices.ContainsFunc(fixed, func(d spec.Diagnostic) bool { return d.Fix.Field != "" && d.Fix.Field == a.Key })
		return a.Key == b.Key && (meant || sameValue(a.Value, b.Value))
	})
}

// sameValue reports whether two values are equal, ignoring their style.
func sameValue(a, b spec.Value) bool {
	if a.Scalar() != b.Scalar() {
		return false
	}
	if a.Scalar() {
		return a.Text == b.Text
	}
	return a.Kind == b.Kind && slices.EqualFunc(a.Items, b.Items, sameValue) &&
		slices.EqualFunc(a.Fields, b.Fields, func(x, y spec.Field) bool {
			return x.Key == y.Key && sameValue(x.Value, y.Value)
		})
}

// Check is rules.Check without the fixes that are not applied: those of
// symbolic links and of files reached through one, which Apply rejects, and
// those of an invalid frontmatter that Plan drops. The findings remain, with a
// description of the fix as help.
func Check(doc *spec.Document, opts spec.Options) []spec.Diagnostic {
	s := newState(doc, opts)
	if !slices.ContainsFunc(doc.Faults, func(f spec.Fault) bool { return f.Fix != nil }) {
		return s.found // every fix of a valid frontmatter is applied
	}
	end, _ := settle(s)
	for i, d := range s.found {
		if d.Fix != nil && slices.ContainsFunc(end.found, func(k spec.Diagnostic) bool {
			return k.Fix != nil && k.Rule == d.Rule && k.Message == d.Message
		}) {
			Remove(&s.found[i])
		}
	}
	return s.found
}

// Remove removes the fix of a finding, if any, and describes it in the help.
func Remove(d *spec.Diagnostic) {
	if d.Fix != nil {
		d.Help, d.Fix = cmp.Or(d.Help, d.Fix.Description), nil
	}
}

// check runs the rules, and removes the fixes of files that are links or are
// reached through one. folder holds the files on disk.
func check(doc *spec.Document, opts spec.Options, folder spec.Files) []spec.Diagnostic {
	found := rules.Check(doc, opts)
	fixable := func(d spec.Diagnostic) bool { return d.Fix != nil }
	if folder == nil || !slices.ContainsFunc(found, fixable) {
		return found
	}
	var links []string
	for _, f := range folder.List() {
		if f.Link != "" || f.Mode&fs.ModeSymlink != 0 {
			links = append(links, f.Name)
		}
	}
	for i, d := range found {
		if !fixable(d) {
			continue
		}
		name := cmp.Or(fileOf(d.Fix), doc.File)
		if slices.ContainsFunc(links, func(link string) bool { return name == link || strings.HasPrefix(name, link+"/") }) {
			Remove(&found[i])
		}
	}
	return found
}

// fileOf returns the file that a fix changes, or "" for the SKILL.md.
func fileOf(fix *spec.Fix) string {
	switch {
	case len(fix.Edits) > 0:
		return fix.Edits[0].File
	case len(fix.Executable) > 0:
		return fix.Executable[0]
	}
	return ""
}
