package cmd

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"skills/internal/lint/fix"
	"skills/internal/spec"
)

// How much is kept of the files beside SKILL.md, for showing the lines that
// findings are about. The rules look as far into a file.
const (
	maxSourceFile = 1 << 20
	maxSourceLine = 4 << 10
)

// place is a line of a file, as findings name both.
type place struct {
	path string
	line int
}

// sources returns the lines that findings of a document are about, taken now:
// the document is let go of afterwards, but for the lines of its frontmatter,
// which more may be found about. Of long lines the beginning is kept, and ""
// stands for what is not at hand.
func sources(doc *spec.Document, found []spec.Diagnostic) func(path string, line int) string {
	kept := map[place]string{}
	others := map[string]*spec.Document{} // read for their lines only
	others[doc.Path] = doc
	for _, d := range found {
		if d.Span.Start.Line < 1 {
			continue
		}
		other, ok := others[d.Path]
		if !ok && doc.Files != nil {
			other = readForLines(doc, d.Path)
			others[d.Path] = other
		}
		if other != nil {
			at := place{d.Path, d.Span.Start.Line}
			kept[at] = keptLine(other.Line(at.line), d.Span, kept[at])
		}
	}
	return func(path string, line int) string {
		if text, ok := kept[place{path, line}]; ok || path != doc.Path {
			return text
		}
		return doc.Line(line)
	}
}

// edited is where an edit stands.
type edited struct {
	path string
	span spec.Span
	ok   bool
}

// places returns where the edits of a document's findings stand, found out now.
func places(doc *spec.Document, found []spec.Diagnostic) func(spec.Edit) (string, spec.Span, bool) {
	locate, kept := fix.Locate(doc), map[spec.Edit]edited{}
	for _, d := range found {
		if d.Fix == nil {
			continue
		}
		for _, e := range d.Fix.Edits {
			path, span, ok := locate(e)
			kept[e] = edited{path, span, ok}
		}
	}
	return func(e spec.Edit) (string, spec.Span, bool) {
		at := kept[e]
		return at.path, at.span, at.ok
	}
}

// readForLines reads a file of a skill, by the path that findings give it; nil
// where it cannot be read.
func readForLines(doc *spec.Document, path string) *spec.Document {
	name, err := filepath.Rel(filepath.Dir(doc.Path), path)
	if err != nil || !filepath.IsLocal(name) {
		return nil
	}
	src, err := doc.Files.Read(filepath.ToSlash(name), maxSourceFile)
	if err != nil {
		return nil
	}
	return &spec.Document{Path: path, Source: src}
}

// keptLine is as much of a line as is kept: all of it or its beginning, and
// nothing where the culprit lies behind that. before is what another finding
// on the line has kept of it.
func keptLine(line string, span spec.Span, before string) string {
	if len(line) <= maxSourceLine {
		return line
	}
	cut := maxSourceLine
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	if utf8.RuneCountInString(line[:cut]) < span.Start.Column {
		return before
	}
	return strings.Clone(line[:cut])
}
