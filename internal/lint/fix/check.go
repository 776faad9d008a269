package fix

import (
	"io/fs"
	"path"
	"slices"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Check is rules.Check without the fixes that would not be made: those that
// Apply refuses, of files that are symbolic links or are reached through one,
// and those of a broken frontmatter that Plan does not keep. The findings stay,
// with what the fix would have done as their help.
func Check(doc *spec.Document, opts spec.Options) []spec.Diagnostic {
	found := check(doc, opts, doc.Files)
	if !slices.ContainsFunc(doc.Faults, func(f spec.Fault) bool { return f.Fix != nil }) {
		return found // of a frontmatter that can be read every fix is kept
	}
	c := plan(&state{doc: doc, opts: opts, found: found, folder: doc.Files, diskName: doc.File})
	for i, d := range found {
		if d.Fix != nil && slices.ContainsFunc(c.Kept, func(k spec.Diagnostic) bool { return k.Rule == d.Rule && k.Message == d.Message }) {
			withoutFix(&found[i])
		}
	}
	return found
}

// withoutFix leaves a finding for a person to fix.
func withoutFix(d *spec.Diagnostic) {
	if d.Help == "" {
		d.Help = d.Fix.Description
	}
	d.Fix = nil
}

// check is Check with the files of the disk, which an overlay may hide from the
// document.
func check(doc *spec.Document, opts spec.Options, folder spec.Files) []spec.Diagnostic {
	found := rules.Check(doc, opts)
	var links map[string]bool // made when first needed
	for i, d := range found {
		if d.Fix == nil || folder == nil {
			continue
		}
		if links == nil {
			links = linksOf(folder)
		}
		if !throughLink(d.Fix, doc.File, links) {
			continue
		}
		withoutFix(&found[i])
	}
	return found
}

// linksOf are the symbolic links of a folder, by name.
func linksOf(folder spec.Files) map[string]bool {
	links := map[string]bool{}
	for _, f := range folder.List() {
		if f.Link != "" || f.Mode&fs.ModeSymlink != 0 {
			links[f.Name] = true
		}
	}
	return links
}

// throughLink reports whether a fix changes a file that is a link or is reached
// through one; own is the name of the skill's file.
func throughLink(fix *spec.Fix, own string, links map[string]bool) bool {
	if len(links) == 0 {
		return false
	}
	behind := func(name string) bool {
		for ; name != "." && name != "/"; name = path.Dir(name) {
			if links[name] {
				return true
			}
		}
		return false
	}
	if fix.Rename != "" && behind(own) {
		return true
	}
	for _, e := range fix.Edits {
		if e.File == "" && behind(own) || e.File != "" && behind(e.File) {
			return true
		}
	}
	for _, name := range fix.Executable {
		if behind(name) {
			return true
		}
	}
	return false
}
