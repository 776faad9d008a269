package fix

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

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
			withoutFix(&s.found[i])
		}
	}
	return s.found
}

// withoutFix removes the fix of a finding and describes it in the help.
func withoutFix(d *spec.Diagnostic) {
	d.Help = cmp.Or(d.Help, d.Fix.Description)
	d.Fix = nil
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
			withoutFix(&found[i])
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
