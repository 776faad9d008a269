package lsp

// Requests are answered from the skill as it is at that moment: the worker's last result,
// or a check of their own if the text has changed since. Requests about one result follow
// one another, because its document computes parts of itself on first use.

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/lsp/protocol"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// answers answers requests.
type answers struct{ worker }

// query is a request about an open file of a skill.
type query struct {
	*result
	client protocol.ClientCapabilities
	page   func(rule string) string
	path   string
	name   string // of the file in the skill, with slashes
	text   protocol.Text
	doc    *spec.Document
	all    rules.Files
}

// with calls f for an open file of a skill. Without one, the answer is null.
func (a answers) with(ctx context.Context, uri string, f func(q *query) (any, error)) (any, error) {
	path, ok := protocol.Path(uri)
	if !ok {
		return nil, nil
	}
	a.mu.Lock()
	d := a.docs[path]
	var k *skill
	if d != nil && d.known {
		k = a.skills[d.skill]
	}
	a.mu.Unlock()
	if k == nil {
		return nil, nil
	}
	return a.inSkill(ctx, k, path, f)
}

// inSkill calls f for a file of a skill.
func (a answers) inSkill(ctx context.Context, k *skill, path string, f func(q *query) (any, error)) (any, error) {
	r := a.current(ctx, k)
	r.Lock()
	defer r.Unlock()
	if r.opened == nil || r.opened.Document == nil {
		return nil, nil
	}
	name, err := filepath.Rel(r.dir, path)
	if err != nil {
		return nil, nil
	}
	q := &query{result: r, client: a.client, page: a.opts.Page, path: path, name: filepath.ToSlash(name), text: r.text(path), doc: r.opened.Document}
	if r.files == nil {
		files := rules.FilesOf(q.doc)
		r.files = &files
	}
	q.all = *r.files
	return f(q)
}

// current returns the result for the present state of a skill.
func (a answers) current(ctx context.Context, k *skill) *result {
	a.mu.Lock()
	snap := a.snapshot(k)
	a.mu.Unlock()
	r := a.check(context.WithoutCancel(ctx), snap) // the result is not only for this request
	a.mu.Lock()
	defer a.mu.Unlock()
	if k.generation == r.generation {
		k.result = r // the worker sends its findings
	}
	return r
}

// isSkillFile reports whether the request is about the SKILL.md.
func (q *query) isSkillFile() bool { return q.path == q.file() }

// file returns the name of the file for the rules, which call the SKILL.md by its own name.
func (q *query) ruleName() string {
	if q.isSkillFile() {
		return q.doc.File
	}
	return q.name
}

// fieldAt returns the top-level field of the frontmatter that contains an offset.
func (q *query) fieldAt(offset int) *spec.Field {
	if !q.isSkillFile() {
		return nil
	}
	for i := range q.doc.Fields {
		f := &q.doc.Fields[i]
		if q.offset(f.KeySpan.Start) <= offset && offset <= max(q.offset(f.KeySpan.End), q.offset(f.Value.Span.End)) {
			return f
		}
	}
	return nil
}

// offset returns the byte offset of a finding's position.
func (q *query) offset(p spec.Pos) int { return q.text.Lines.Offset(p) }

// line returns the text of the line with an offset, and where it begins.
func (q *query) line(offset int) (text string, start int) {
	n := q.text.At(offset).Line
	return string(q.text.Text(n)), q.text.Starts[n-1]
}

// findingsAt returns the findings in the file that touch a range.
func (q *query) findingsAt(at protocol.Range) (out []spec.Diagnostic) {
	from, to := q.text.Offset(at.Start), q.text.Offset(at.End)
	for _, d := range q.byFile()[q.path] {
		start, end := 0, 0
		if d.Span.Start.Line > 0 {
			start, end = q.offset(d.Span.Start), q.offset(d.Span.End)
		}
		if start <= to && from <= end {
			out = append(out, d)
		}
	}
	return out
}

// entry returns the description of a file of the skill.
func (q *query) entry(name string) (spec.File, bool) {
	if q.doc.Files == nil {
		return spec.File{}, false
	}
	return spec.FindFile(q.doc.Files.List(), name)
}

// supports reports whether the client can do an operation on files in an edit. Older ones
// do not say that they know the document changes in which these operations are.
func (q *query) supports(operation string) bool {
	return slices.Contains(q.client.Workspace.WorkspaceEdit.ResourceOperations, operation)
}

// markdown returns text for a client, which may not read Markdown.
func (q *query) markdown(text string) protocol.Markup {
	kind := "plaintext"
	if formats := q.client.TextDocument.Hover.ContentFormat; len(formats) == 0 || slices.Contains(formats, "markdown") {
		kind = "markdown"
	}
	return protocol.Markup{Kind: kind, Value: strings.TrimSpace(text)}
}
