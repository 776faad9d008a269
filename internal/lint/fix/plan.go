// Package fix repairs findings: it collects the edits that rules propose, tries
// them in memory, keeps the harmless ones, and writes them or shows them as a
// unified diff.
//
// [Plan] documents what a fix must preserve; [Changes.Apply] what writing
// preserves.
package fix

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"skills/internal/spec"
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
