package lint

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/secrets"
)

// How much is kept of the files beside SKILL.md, to show the lines that
// findings are about. The rules read no further.
const (
	maxSourceFile = 1 << 20
	maxSourceLine = 4 << 10
)

// source is a file that findings are about, and where the keys in it are.
type source struct {
	*spec.Document
	keys []spec.Span
}

// annotate gives findings of a document the line that they are about, and their
// edits the places that they change: the document is not kept. Lines of keys are
// sensitive, whether or not the keys are reported.
func annotate(doc *spec.Document, found []spec.Diagnostic) {
	opened := map[string]*source{} // nil for a file that cannot be read
	open := func(path string) *source {
		s, ok := opened[path]
		if !ok {
			if other := readForLines(doc, path); other != nil {
				s = &source{Document: other}
				for _, key := range secrets.Find(other.Source) {
					s.keys = append(s.keys, other.SourceSpan(key.Start, key.End))
				}
			}
			opened[path] = s
		}
		return s
	}
	for i := range found {
		d := &found[i]
		if d.Fix != nil {
			for j := range d.Fix.Edits {
				locate(doc, &d.Fix.Edits[j], open)
			}
		}
		line := d.Span.Start.Line
		if line < 1 {
			continue
		}
		if s := open(d.Path); s != nil {
			d.Snippet = clip(s.Line(line), d.Span)
			d.Sensitive = slices.ContainsFunc(s.keys, func(key spec.Span) bool { return key.Start.Line <= line && line <= key.End.Line })
		}
	}
}

// locate turns the byte offsets of an edit into a place.
func locate(doc *spec.Document, e *spec.Edit, open func(path string) *source) {
	path := doc.Path
	if e.File != "" && e.File != doc.File {
		path = filepath.Join(filepath.Dir(doc.Path), filepath.FromSlash(e.File))
	}
	if other := open(path); other != nil && e.End <= len(other.Source) {
		e.Path, e.Span = path, other.SourceSpan(e.Start, e.End)
	}
}

// readForLines reads a file by its path in findings; nil if it is unreadable.
func readForLines(doc *spec.Document, path string) *spec.Document {
	if path == doc.Path {
		return doc
	}
	name, err := filepath.Rel(filepath.Dir(doc.Path), path)
	if err != nil || !filepath.IsLocal(name) || doc.Files == nil {
		return nil
	}
	src, err := doc.Files.Read(filepath.ToSlash(name), maxSourceFile)
	if err != nil {
		return nil
	}
	return spec.NewDocument(path, src)
}

// clip returns the beginning of a line, or nothing if the finding is behind it.
func clip(line string, span spec.Span) string {
	if len(line) <= maxSourceLine {
		return line
	}
	cut := maxSourceLine
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	if utf8.RuneCountInString(line[:cut]) < span.Start.Column {
		return ""
	}
	return strings.Clone(line[:cut])
}
