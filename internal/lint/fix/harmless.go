package fix

import (
	"io/fs"
	"slices"

	"skills/internal/spec"
)

// harmless reports whether a step keeps what a fix must keep. reveal allows
// errors to come to light where the frontmatter could not be read before.
func harmless(before, after *state, ds []spec.Diagnostic, reveal bool) bool {
	read := before.doc.Mapping && before.doc.Repaired == nil
	if before.doc.Mapping && !after.doc.Mapping {
		return false
	}
	if !sameFields(before.doc, after.doc, ds) {
		return false
	}
	return reveal && !read || !moreErrors(before.errors(), after.errors())
}

// errors counts the errors by rule, those that stand behind broken YAML with
// them: they are there, but are not told before the line is mended.
func (s *state) errors() map[string]int {
	if s.counted != nil {
		return s.counted
	}
	n := map[string]int{}
	for _, d := range s.all() {
		if d.Level == spec.Error {
			n[d.Rule]++
		}
	}
	s.counted = n
	return n
}

// all are the findings, those behind broken YAML with them.
func (s *state) all() []spec.Diagnostic {
	if len(s.doc.Faults) == 0 {
		return s.found
	}
	opts := s.opts
	opts.Least, opts.Behind = spec.Error, true
	return spec.Check(s.doc, opts)
}

// moreErrors reports whether any rule finds more errors than before. They are
// compared by number: messages and places change with the text.
func moreErrors(before, after map[string]int) bool {
	for rule, n := range after {
		if n > before[rule] {
			return true
		}
	}
	return false
}

// sameFields reports whether every field that could be read has the value that
// it had, in the same order, but for those that the fixes are about.
func sameFields(before, after *spec.Document, ds []spec.Diagnostic) bool {
	if !before.Mapping {
		return true
	}
	return slices.EqualFunc(before.Fields, after.Fields, func(a, b spec.Field) bool {
		meant := slices.ContainsFunc(ds, func(d spec.Diagnostic) bool { return d.Fix.Field != "" && d.Fix.Field == a.Key })
		return a.Key == b.Key && (meant || sameValue(a.Value, b.Value))
	})
}

// sameValue compares what two values say, not how they are written.
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

// executable adds the executable bit wherever the file can be read.
func executable(m fs.FileMode) fs.FileMode { return m | m&0o444>>2 }
