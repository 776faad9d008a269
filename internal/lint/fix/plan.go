// Package fix repairs findings: it collects the changes that rules propose,
// tries them in memory, keeps those that do no harm, and writes them, or shows
// them as a unified diff.
//
// It knows nothing of how findings are made or shown. [Plan] says what a change
// must keep; [Changes.Apply] says what writing keeps.
package fix

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"skills/internal/spec"
)

// maxRounds limits how often the rules run again over their own fixes. Nearly
// every skill needs one round; what is left after ten is for the next run.
const maxRounds = 10

// Changes is what fixing one skill changes. The zero value changes nothing.
type Changes struct {
	// Dir is the skill's folder as its findings name it. Files are below it.
	Dir   string
	Files []File // sorted by name
	// Fixed are the findings that are fixed, in the order of the rounds. Those
	// of later rounds refer to the texts of their round.
	Fixed []spec.Diagnostic
	// Document is the skill's document after the changes.
	Document *spec.Document
}

// File is one file that changes.
type File struct {
	Name    string // relative to the skill, with slashes
	NewName string // what it is renamed to, "" where it keeps its name
	// Before and After are the whole content; equal where only the name or the
	// mode changes.
	Before, After []byte
	// Executable files get the executable bit for everyone who can read them.
	Executable bool
}

// Empty reports whether there is nothing to change.
func (c Changes) Empty() bool { return len(c.Files) == 0 }

// Plan works out how to fix a skill: it applies the fixes of the findings of a
// check under opts, checks again, and repeats until nothing more can be fixed,
// at most ten times. Nothing is written.
//
// The fixes of a file are applied all together or not at all: only if
// afterwards the frontmatter can still be read where it could before, every
// field has the value that it had (except for the field that the fix is about),
// and no error rule finds more than before. Errors that broken YAML hides count
// as found before. The rest of the file stays byte for byte.
func Plan(doc *spec.Document, opts spec.Options) Changes {
	start := newState(doc, opts)
	end, fixed := settle(start)
	return Changes{Dir: filepath.Dir(doc.Path), Files: end.files(start), Fixed: fixed, Document: end.doc}
}

// settle applies fixes round after round until nothing changes. Fixes of broken
// YAML that only exchange one error for another are left out.
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

// round applies what can be applied at once, file by file: of findings whose
// edits overlap, the first. Findings of the rule skip are not fixed.
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

// merge returns the edits of two lists in their order in the text. Several
// findings may have the same edit. ok is false where two edits touch the same
// bytes, or insert at the same place, where their order would be open.
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

// harmless reports whether a step keeps what a fix must keep.
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

// sameFields reports whether every field that could be read has the value that
// it had, in the same order, except for those that the fixes are about.
func sameFields(before, after *spec.Document, fixed []spec.Diagnostic) bool {
	if !before.Mapping {
		return true
	}
	return slices.EqualFunc(before.Fields, after.Fields, func(a, b spec.Field) bool {
		meant := slices.ContainsFunc(fixed, func(d spec.Diagnostic) bool { return d.Fix.Field != "" && d.Fix.Field == a.Key })
		return a.Key == b.Key && (meant || sameValue(a.Value, b.Value))
	})
}

// sameValue compares what two values mean, not how they are written.
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

// Count adds changes up: how many findings are fixed, in how many skills.
func Count(all []Changes) (findings, skills int) {
	for _, c := range all {
		findings += len(c.Fixed)
		if !c.Empty() {
			skills++
		}
	}
	return findings, skills
}
