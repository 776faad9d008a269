package fix

import (
	"slices"
	"strings"

	"skills/internal/spec"
)

// edits are changes of texts that do not overlap, by file.
type edits struct {
	byFile map[string][]spec.Edit
	rename string
}

// add takes all edits of a fix in, or none where one overlaps an earlier one.
// An edit that was added before is no obstacle: several findings may have one
// fix.
func (e *edits) add(s *state, fix *spec.Fix) bool {
	if e.byFile == nil {
		e.byFile = map[string][]spec.Edit{}
	}
	if fix.Rename != "" && e.rename != "" && fix.Rename != e.rename {
		return false
	}
	fresh := map[string][]spec.Edit{}
	for _, edit := range fix.Edits {
		name := s.name(edit.File)
		same := false
		for _, other := range slices.Concat(e.byFile[name], fresh[name]) {
			if other.Start == edit.Start && other.End == edit.End && other.Text == edit.Text {
				same = true
			} else if overlap(other, edit) {
				return false
			}
		}
		if !same {
			fresh[name] = append(fresh[name], edit)
		}
	}
	for name, list := range fresh {
		e.byFile[name] = append(e.byFile[name], list...)
	}
	if fix.Rename != "" {
		e.rename = fix.Rename
	}
	return true
}

// overlap reports whether two edits touch the same bytes, or insert at the same
// place, where their order would be open.
func overlap(a, b spec.Edit) bool {
	return a.Start == b.Start || a.Start < b.End && b.Start < a.End
}

// edited returns a text with edits made; ok is false where one is outside it.
func edited(src []byte, list []spec.Edit) (out []byte, ok bool) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b spec.Edit) int { return a.Start - b.Start })
	var b strings.Builder
	b.Grow(len(src) + 64)
	at := 0
	for _, e := range list {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return nil, false
		}
		b.Write(src[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.Write(src[at:])
	return []byte(b.String()), true
}
