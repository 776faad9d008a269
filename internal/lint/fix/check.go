package fix

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Check is rules.Check without the fixes that would not be made: those that
// Apply refuses, of files that are symbolic links or are reached through one,
// and those of a broken frontmatter that Plan does not keep. The findings stay,
// with what the fix would have done as their help.
func Check(doc *spec.Document, opts spec.Options) []spec.Diagnostic {
	s := newState(doc, opts)
	if !slices.ContainsFunc(doc.Faults, func(f spec.Fault) bool { return f.Fix != nil }) {
		return s.found // of a frontmatter that can be read every fix is kept
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

// withoutFix leaves a finding for a person to fix.
func withoutFix(d *spec.Diagnostic) {
	d.Help = cmp.Or(d.Help, d.Fix.Description)
	d.Fix = nil
}

// check runs the rules, and drops the fixes of files that are links or are
// reached through one, as folder, the files of the disk, has them.
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

// fileOf returns the one file that a fix changes, "" for the SKILL.md.
func fileOf(fix *spec.Fix) string {
	switch {
	case len(fix.Edits) > 0:
		return fix.Edits[0].File
	case len(fix.Executable) > 0:
		return fix.Executable[0]
	}
	return ""
}
