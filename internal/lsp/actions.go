package lsp

// Changes that the editor offers: the fixes of findings, all fixes of a skill, and comments
// that ignore a rule. All are edits that the editor applies; only the executable bit, which
// no edit can set, is a command of the server.

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"skills/internal/lint/fix"
	"skills/internal/lsp/protocol"
	"skills/internal/spec"
)

// The kinds of actions.
const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.skills"
)

// The commands of the server.
const (
	selectCommand     = "skills.select"         // selects a range, after an edit
	executableCommand = "skills.makeExecutable" // makes files executable
)

// codeActions returns what can be done about the findings in a range.
func (a answers) codeActions(ctx context.Context, p protocol.CodeActionParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		wants := func(kind string) bool {
			return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(only string) bool {
				return kind == only || strings.HasPrefix(kind, only+".")
			})
		}
		out := []protocol.CodeAction{}
		if wants(quickFix) {
			ignored := map[string]bool{}
			for _, d := range q.findingsAt(p.Range) {
				if action, ok := q.fixAction(d); ok {
					out = append(out, action)
				}
				if !ignored[d.Rule] {
					ignored[d.Rule] = true
					out = append(out, q.ignoreActions(d)...)
				}
			}
		}
		fixable := slices.ContainsFunc(q.opened.Skill.Diagnostics, func(d spec.Diagnostic) bool { return d.Fix != nil })
		if wants(fixAll) && fixable {
			if action, ok := q.fixAllAction(); ok {
				out = append(out, action)
			}
		}
		return out, nil
	})
}

// fixAction returns the action that fixes one finding; ok is false if it has no fix that
// the client can apply.
func (q *query) fixAction(d spec.Diagnostic) (action protocol.CodeAction, ok bool) {
	if d.Fix == nil {
		return action, false
	}
	action = protocol.CodeAction{
		Title: upperFirst(d.Fix.Description), Kind: quickFix, Preferred: true,
		Diagnostics: []protocol.Diagnostic{q.diagnostic(q.path, d, q.page)},
	}
	e := q.edits()
	for _, edit := range d.Fix.Edits {
		path := q.path
		if edit.Path != "" {
			path = q.absolute(edit.Path)
		}
		e.replace(path, edit.Start, edit.End, edit.Text)
	}
	if d.Fix.Rename != "" {
		e.rename(q.file(), filepath.Join(q.dir, d.Fix.Rename))
	}
	if len(d.Fix.Executable) > 0 {
		action.Command = q.makeExecutable(d.Fix.Executable)
	}
	edit, ok := e.build()
	if !ok {
		return action, false
	}
	action.Edit = edit
	return action, edit != nil || action.Command != nil
}

// makeExecutable returns the command that makes files of the skill executable.
func (q *query) makeExecutable(names []string) *protocol.Command {
	c := &protocol.Command{Title: "Make executable", Command: executableCommand}
	for _, name := range names {
		c.Arguments = append(c.Arguments, q.uri(filepath.Join(q.dir, filepath.FromSlash(name))))
	}
	return c
}

// fixAllAction returns the action that applies all safe fixes of the skill.
func (q *query) fixAllAction() (action protocol.CodeAction, ok bool) {
	changes := q.opened.Fixes()
	if changes.Empty() {
		return action, false
	}
	action = protocol.CodeAction{Title: "Fix all problems of this skill that can be fixed", Kind: fixAll}
	e := q.edits()
	var executable []string
	for _, f := range changes.Files {
		path := filepath.Join(q.dir, filepath.FromSlash(f.Name))
		for _, edit := range f.Edits() {
			e.replace(path, edit.Start, edit.End, edit.Text)
		}
		if f.NewName != "" {
			e.rename(path, filepath.Join(q.dir, f.NewName))
		}
		if f.Executable {
			executable = append(executable, f.Name)
		}
	}
	if len(executable) > 0 {
		action.Command = q.makeExecutable(executable)
	}
	edit, ok := e.build()
	action.Edit = edit
	return action, ok && (edit != nil || action.Command != nil)
}

// reasonWord is written where the author has to give a reason.
const reasonWord = "reason"

// ignoreActions returns the actions that ignore the rule of a finding in this skill. The
// reason is the author's: its placeholder is selected.
func (q *query) ignoreActions(d spec.Diagnostic) []protocol.CodeAction {
	edit, left := q.doc.IgnoreEdit(append([]string{d.Rule}, strings.Fields(d.Also)...), reasonWord)
	if edit == nil || len(left) > 0 {
		return nil
	}
	e := q.edits()
	e.replace(q.file(), edit.Start, edit.End, edit.Text)
	built, ok := e.build()
	if !ok {
		return nil
	}
	action := protocol.CodeAction{
		Title: "Ignore " + d.Rule + " in this skill (give a reason)", Kind: quickFix, Edit: built,
		Diagnostics: []protocol.Diagnostic{q.diagnostic(q.path, d, q.page)},
	}
	if q.client.Window.ShowDocument.Support {
		at := edit.Start + strings.LastIndex(edit.Text, reasonWord)
		text := protocol.NewText(slices.Concat(q.doc.Source[:edit.Start], []byte(edit.Text), q.doc.Source[edit.End:]), q.encoding)
		action.Command = &protocol.Command{Title: "Select the reason", Command: selectCommand, Arguments: []any{q.uri(q.file()), text.Range(at, at+len(reasonWord))}}
	}
	return []protocol.CodeAction{action}
}

// upperFirst returns a verb phrase as the title of an action.
func upperFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// execute runs a command of the server.
func (a answers) execute(ctx context.Context, p protocol.CommandParams) (any, error) {
	switch p.Command {
	case selectCommand:
		return nil, a.selectRange(p.Arguments)
	case executableCommand:
		return nil, a.makeExecutable(p.Arguments)
	}
	return nil, jrpc2.Errorf(jrpc2.InvalidParams, "unknown command %q", p.Command)
}

// selectRange has the client show a range of a document.
func (a answers) selectRange(args []json.RawMessage) error {
	var uri string
	var at protocol.Range
	if len(args) != 2 || json.Unmarshal(args[0], &uri) != nil || json.Unmarshal(args[1], &at) != nil {
		return jrpc2.Errorf(jrpc2.InvalidParams, "%s takes a document and a range", selectCommand)
	}
	go func() { // the client may wait for the command first
		_, _ = a.rpc.Callback(context.Background(), "window/showDocument", map[string]any{"uri": uri, "takeFocus": true, "selection": at})
	}()
	return nil
}

// makeExecutable makes files executable that belong to a skill with open files.
func (a answers) makeExecutable(args []json.RawMessage) error {
	var paths []string
	for _, arg := range args {
		var uri string
		path := ""
		if json.Unmarshal(arg, &uri) == nil {
			path, _ = protocol.Path(uri)
		}
		a.mu.Lock()
		dir, _ := a.folderOf(path)
		_, open := a.skills[dir]
		a.mu.Unlock()
		if path == "" || !open {
			return jrpc2.Errorf(jrpc2.InvalidParams, "%s takes files of an open skill", executableCommand)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		c := fix.Changes{Dir: dir, Files: []fix.File{{Name: filepath.ToSlash(name), Executable: true}}}
		if err := c.Apply(); err != nil {
			return fmt.Errorf("making %s executable: %w", name, err)
		}
		paths = append(paths, path)
	}
	a.changedOnDisk(paths)
	return nil
}

// edits collects the edits of files.
type edits struct {
	*query
	byPath  map[string][]protocol.TextEdit
	renames [][2]string
}

func (q *query) edits() *edits { return &edits{query: q, byPath: map[string][]protocol.TextEdit{}} }

// replace replaces the bytes of a file from start to end.
func (e *edits) replace(path string, start, end int, text string) {
	e.byPath[path] = append(e.byPath[path], protocol.TextEdit{Range: e.result.text(path).Range(start, end), NewText: text})
}

// rename renames a file, after the edits of its text.
func (e *edits) rename(from, to string) { e.renames = append(e.renames, [2]string{from, to}) }

// build returns the edits as the protocol has them, nil for none; ok is false if the client
// cannot apply them.
func (e *edits) build() (edit *protocol.WorkspaceEdit, ok bool) {
	switch {
	case len(e.byPath)+len(e.renames) == 0:
		return nil, true
	case len(e.renames) > 0 && !e.supports("rename"):
		return nil, false
	}
	edit = &protocol.WorkspaceEdit{}
	versioned := e.client.Workspace.WorkspaceEdit.DocumentChanges || len(e.renames) > 0
	paths := make([]string, 0, len(e.byPath))
	for path := range e.byPath {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if !versioned {
			if edit.Changes == nil {
				edit.Changes = map[string][]protocol.TextEdit{}
			}
			edit.Changes[e.uri(path)] = e.byPath[path]
			continue
		}
		id := protocol.VersionedID{URI: e.uri(path)}
		if d, open := e.docs[path]; open {
			id.Version = &d.version
		}
		edit.DocumentChanges = append(edit.DocumentChanges, protocol.TextDocumentEdit{Document: id, Edits: e.byPath[path]})
	}
	for _, r := range e.renames {
		edit.DocumentChanges = append(edit.DocumentChanges, protocol.RenameFile{Kind: "rename", OldURI: e.uri(r[0]), NewURI: protocol.URI(r[1])})
	}
	return edit, true
}

// uri returns the URI of a file, as the editor writes it if it is open.
func (r *result) uri(path string) string {
	if d, ok := r.docs[path]; ok {
		return d.uri
	}
	return protocol.URI(path)
}
