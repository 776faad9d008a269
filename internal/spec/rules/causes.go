package rules

import (
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// joinNames merges the findings about a name into the first, because one
// correction fixes all of them.
func joinNames(found []spec.Diagnostic) []spec.Diagnostic {
	about := func(rules ...*spec.Rule) func(spec.Diagnostic) bool {
		return func(d spec.Diagnostic) bool {
			return slices.ContainsFunc(rules, func(r *spec.Rule) bool { return r.ID == d.Rule })
		}
	}
	// A different folder name may only be a consequence of the other faults.
	spelling := []*spec.Rule{nameLength, nameLowercase, nameHyphens, nameCharacters}
	return join(found, slices.IndexFunc(found, about(spelling...)), about(append(spelling, nameDirectory)...))
}

// joinMisspelled merges the finding for a missing required field with the one
// for an unknown field that is probably a misspelling of it.
func joinMisspelled(doc *spec.Document, found []spec.Diagnostic) []spec.Diagnostic {
	for _, key := range []string{"name", "description"} {
		missing := slices.IndexFunc(found, func(d spec.Diagnostic) bool { return d.Rule == key+"-required" })
		if missing < 0 || doc.Field(key) != nil {
			continue
		}
		for _, f := range doc.Fields {
			unknown := func(d spec.Diagnostic) bool { return d.Rule == fieldUnknown.ID && d.Span == f.KeySpan }
			if nearestField(f) == key && slices.ContainsFunc(found, unknown) {
				found[missing].Span, found[missing].Help = f.KeySpan, "write "+key+" instead of "+printable.Quoted(f.Key)
				found = spec.Sort(join(found, missing, unknown))
				break
			}
		}
	}
	return found
}

// join removes the findings with the same cause as the one at index first, and
// lists their rules in it. It gets the highest of their levels. If first is
// negative, nothing is removed.
func join(found []spec.Diagnostic, first int, same func(spec.Diagnostic) bool) []spec.Diagnostic {
	if first < 0 {
		return found
	}
	main := &found[first]
	var also []string
	for _, d := range found {
		if same(d) {
			main.Level = max(main.Level, d.Level)
			also = append(also, d.Rule)
		}
	}
	slices.Sort(also)
	also = slices.DeleteFunc(slices.Compact(also), func(rule string) bool { return rule == main.Rule })
	main.Also = strings.Join(also, " ")
	kept := *main
	return slices.DeleteFunc(found, func(d spec.Diagnostic) bool { return same(d) && d != kept })
}
