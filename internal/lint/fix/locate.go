package fix

import (
	"path/filepath"

	"skills/internal/loader"
	"skills/internal/spec"
)

// Locate returns a function that turns the byte offsets of an edit of a
// document's findings into the file, as findings name it, and the place in it;
// ok is false for files that cannot be read.
func Locate(doc *spec.Document) func(spec.Edit) (path string, span spec.Span, ok bool) {
	others := map[string]*spec.Document{} // read for their lines only
	return func(e spec.Edit) (string, spec.Span, bool) {
		if e.File == "" || e.File == doc.File {
			return doc.Path, doc.SourceSpan(e.Start, e.End), doc.Source != nil
		}
		other, ok := others[e.File]
		if !ok && doc.Files != nil {
			if src, err := doc.Files.Read(e.File, loader.MaxSkillFile); err == nil {
				other = &spec.Document{Path: beside(doc.Path, e.File), Source: src}
			}
			others[e.File] = other
		}
		if other == nil {
			return "", spec.Span{}, false
		}
		return other.Path, other.SourceSpan(e.Start, e.End), true
	}
}

// beside names a file of a skill as findings do.
func beside(skillFile, name string) string {
	return filepath.Join(filepath.Dir(skillFile), filepath.FromSlash(name))
}
