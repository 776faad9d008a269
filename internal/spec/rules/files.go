package rules

import (
	"skills/internal/markdown"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

// Files are the files of a skill as the rules see them, with what they mention, for editors.
// It is not safe for concurrent use.
type Files struct{ skill *skill }

// FilesOf returns the files of a document's skill.
func FilesOf(doc *spec.Document) Files { return Files{newSkill(doc)} }

// Folder returns the index of the names.
func (f Files) Folder() *references.Folder { return f.skill.folder }

// Markdown returns the names of the Markdown files that are not templates, the SKILL.md
// first.
func (f Files) Markdown() []string {
	out := []string{f.skill.doc.File}
	if f.skill.doc.Files == nil {
		return out
	}
	for _, file := range f.skill.doc.Files.List() {
		isPage := references.IsMarkdown(file.Name) && file.Mode.IsRegular() && !isTemplate(file.Name)
		if isPage && file.Name != f.skill.doc.File && len(out) < maxLinked {
			out = append(out, file.Name)
		}
	}
	return out
}

// Page returns a Markdown file, and the offset of the text that was parsed; ok is false for
// other and unreadable files.
func (f Files) Page(name string) (page *markdown.Page, start int, ok bool) {
	p := f.skill.page(name)
	if p == nil {
		return nil, 0, false
	}
	return p.Page.Page, p.start, true
}

// Places returns the mentions of files in a Markdown file, with offsets in the file.
func (f Files) Places(name string) []references.Place {
	p := f.skill.page(name)
	if p == nil {
		return nil
	}
	from := name
	if p == f.skill.own() {
		from = ""
	}
	places := references.Places(p.Page, from, f.skill.folder)
	for i := range places {
		places[i].Start += p.start
		places[i].End += p.start
	}
	return places
}
