package lint

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/secrets"
)

// How much is kept of the files beside SKILL.md, to show the lines that
// findings are about. The rules read no further.
const (
	maxSourceFile = 1 << 20
	maxSourceLine = 4 << 10
)

// secretRule is the rule whose findings are keys.
const secretRule = "secret"

// annotate gives findings of a document the line that they are about, and their
// edits the places that they change: the document is not kept. hidden are
// findings that are not reported, but may be keys on the same line.
func annotate(doc *spec.Document, found, hidden []spec.Diagnostic) {
	opened := map[string]*spec.Document{doc.Path: doc} // the others are read for their lines only
	open := func(path string) *spec.Document {
		other, ok := opened[path]
		if !ok && doc.Files != nil {
			other = readForLines(doc, path)
			opened[path] = other
		}
		return other
	}
	keys := findingsOf(secretRule, slices.Concat(found, hidden))
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
		if other := open(d.Path); other != nil {
			d.Snippet = clip(other.Line(line), d.Span)
		}
		d.Sensitive = secrets.Contains(d.Snippet) || slices.ContainsFunc(keys, func(k spec.Diagnostic) bool {
			return k.Path == d.Path && k.Span.Start.Line <= line && line <= k.Span.End.Line
		})
	}
}

// locate turns the byte offsets of an edit into a place.
func locate(doc *spec.Document, e *spec.Edit, open func(path string) *spec.Document) {
	path := doc.Path
	if e.File != "" && e.File != doc.File {
		path = filepath.Join(filepath.Dir(doc.Path), filepath.FromSlash(e.File))
	}
	if other := open(path); other != nil && e.End <= len(other.Source) {
		e.Path, e.Span = path, other.SourceSpan(e.Start, e.End)
	}
}

func findingsOf(rule string, found []spec.Diagnostic) []spec.Diagnostic {
	return slices.DeleteFunc(found, func(d spec.Diagnostic) bool { return d.Rule != rule })
}

// hiddenKeys are the findings about keys where those are not reported, but
// lines of the skill are going to be shown. Most keys can be told from their
// line; of a private key only the first line says that it is one.
func hiddenKeys(doc *spec.Document, opts spec.Options, found []spec.Diagnostic) []spec.Diagnostic {
	if len(found) == 0 || opts.Least <= spec.Warning {
		return nil
	}
	only := map[string]spec.Level{}
	for _, rule := range rules.All() {
		only[rule.ID] = spec.Off
	}
	delete(only, secretRule)
	if level, ok := opts.Levels[secretRule]; ok {
		only[secretRule] = level
	}
	opts.Least, opts.Levels = spec.Off, only
	return rules.Check(doc, opts)
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
	return spec.NewDocument(path, src)
}

// clip returns as much of a line as is kept: all of it or its beginning, and
// nothing where the finding is about what follows.
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
