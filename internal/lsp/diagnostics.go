package lsp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/lsp/protocol"
	"skills/internal/spec"
)

// file returns the SKILL.md of the skill.
func (r *result) file() string {
	if r.opened != nil && r.opened.Document != nil {
		return r.absolute(r.opened.Document.Path)
	}
	return filepath.Join(r.dir, spec.FileName)
}

func (r *result) absolute(path string) string { return files.Absolute(r.options.Dir, path) }

// byFile returns the findings by the path of their file. Those about the folder are in the
// SKILL.md.
func (r *result) byFile() map[string][]spec.Diagnostic {
	out := map[string][]spec.Diagnostic{}
	if r.opened == nil {
		return out
	}
	for _, d := range r.opened.Skill.Diagnostics {
		path := r.absolute(d.Path)
		if d.Span.Start.Line == 0 && path != r.file() {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				path = r.file()
			}
		}
		out[path] = append(out[path], d)
	}
	return out
}

// text returns the text of a file of the skill, as it was checked. Files that cannot be
// read are empty.
func (r *result) text(path string) protocol.Text {
	if t, ok := r.texts[path]; ok {
		return t
	}
	var src []byte
	if d, ok := r.docs[path]; ok {
		src = d.text
	} else if doc := r.opened.Document; doc != nil && path == r.file() {
		src = doc.Source
	} else if rel, err := filepath.Rel(r.dir, path); err == nil && doc != nil && doc.Files != nil {
		src, _ = doc.Files.Read(filepath.ToSlash(rel), loader.MaxSkillFile)
	}
	t := protocol.NewText(src, r.encoding)
	r.texts[path] = t
	return t
}

// found returns the findings as the protocol has them, by file. An invalid configuration
// has one, and the skill has none then.
func (r *result) found(page func(rule string) string) map[string][]protocol.Diagnostic {
	out := map[string][]protocol.Diagnostic{}
	for path, list := range r.byFile() {
		for _, d := range list {
			out[path] = append(out[path], r.diagnostic(path, d, page))
		}
	}
	if f, ok := errors.AsType[*fault.Error](r.err); ok && f.Path != "" {
		path := r.absolute(f.Path)
		at := protocol.Position{Line: uint32(max(f.Line-1, 0)), Character: uint32(max(f.Column-1, 0))}
		message := f.Message
		if f.Hint != "" {
			message += helpPrefix + f.Hint
		}
		out[path] = append(out[path], protocol.Diagnostic{Range: protocol.Range{Start: at, End: at}, Severity: protocol.SeverityError, Source: section, Message: message})
	}
	return out
}

// helpPrefix begins the help in the message of a diagnostic.
const helpPrefix = "\nhelp: "

func (r *result) diagnostic(path string, d spec.Diagnostic, page func(rule string) string) protocol.Diagnostic {
	out := protocol.Diagnostic{
		Range: r.text(path).OfSpan(d.Span), Severity: r.severity(d.Level), Code: d.Rule, Source: section, Message: d.Message,
	}
	if d.Help != "" {
		out.Message += helpPrefix + d.Help
	}
	if page != nil {
		if address := page(d.Rule); strings.HasPrefix(address, "https://") {
			out.Description = &protocol.CodeDescription{Href: address}
		}
	}
	return out
}

// severity returns the severity of a level. Advice is a hint, which editors do not count
// among the problems.
func (r *result) severity(level spec.Level) protocol.Severity {
	switch {
	case level == spec.Error, level == spec.Warning && (r.strict || r.opened.Strict):
		return protocol.SeverityError
	case level == spec.Warning:
		return protocol.SeverityWarning
	}
	return protocol.SeverityHint
}
