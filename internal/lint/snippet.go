package lint

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/secrets"
)

// Limits for reading files other than SKILL.md to show the lines of findings.
// The rules read no further.
const (
	maxSourceFile = 1 << 20
	maxSourceLine = 4 << 10
)

// source is a file with findings, and the positions of keys in it.
type source struct {
	*spec.Document
	keys []spec.Span
}

// annotate adds the source line to the findings of a document, and the position
// to their edits, because the document is not kept. Lines with keys are
// sensitive, whether or not the keys are reported.
func annotate(doc *spec.Document, found []spec.Diagnostic) {
	opened := map[string]*source{} // nil for an unreadable file
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
		d.Snippet, d.Sensitive = lineAt(open, d.Path, d.Span)
		if s := open(d.Path); s != nil && d.Span.Start.Line > 0 {
			d.Bytes = s.Lines().Bytes(d.Span)
		}
		for j := range d.Places {
			place := &d.Places[j]
			place.Snippet, place.Sensitive = lineAt(open, place.Path, place.Span)
		}
	}
}

// lineAt returns the line on which a span starts, and whether a key is on it.
func lineAt(open func(path string) *source, path string, span spec.Span) (snippet string, sensitive bool) {
	line := span.Start.Line
	if line < 1 {
		return "", false
	}
	s := open(path)
	if s == nil {
		return "", false
	}
	text := s.Lines().Text(line) // which may be as long as the file
	return clip(string(text[:min(len(text), maxSourceLine+utf8.UTFMax)]), span), slices.ContainsFunc(s.keys, func(key spec.Span) bool { return key.Start.Line <= line && line <= key.End.Line })
}

// locate converts the byte offsets of an edit to a position.
func locate(doc *spec.Document, e *spec.Edit, open func(path string) *source) {
	path := doc.Path
	if e.File != "" && e.File != doc.File {
		path = filepath.Join(filepath.Dir(doc.Path), filepath.FromSlash(e.File))
	}
	if other := open(path); other != nil && e.End <= len(other.Source) {
		e.Path, e.Span = path, other.SourceSpan(e.Start, e.End)
		e.Bytes = other.Lines().Bytes(e.Span)
	}
}

// readForLines reads a file by its path in findings; nil if it is unreadable.
func readForLines(doc *spec.Document, path string) *spec.Document {
	if path == doc.Path {
		return doc
	}
	name, _ := filepath.Rel(filepath.Dir(doc.Path), path)
	src, err := doc.Files.Read(filepath.ToSlash(name), maxSourceFile)
	if err != nil {
		return nil
	}
	return spec.NewDocument(path, src)
}

// clip returns the start of a line, or "" if the finding is beyond it.
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
