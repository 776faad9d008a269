package lsp

// Files that a skill mentions can be followed and renamed. A rename changes every mention in
// the Markdown files of the skill, and the links of the renamed file that its new folder
// would break.

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/creachadair/jrpc2"

	"skills/internal/lsp/protocol"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

// placeAt returns the mention at a position.
func (q *query) placeAt(p protocol.Position) (references.Place, bool) {
	offset := q.text.Offset(p)
	for _, place := range q.all.Places(q.ruleName()) {
		if place.Start <= offset && offset <= place.End+len("#")+len(place.Fragment) {
			return place, true
		}
	}
	return references.Place{}, false
}

// definition returns the file that is mentioned at a position, and the heading of a link.
func (a answers) definition(ctx context.Context, p protocol.PositionParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		place, ok := q.placeAt(p.Position)
		if !ok {
			return nil, nil
		}
		file := filepath.Join(q.dir, filepath.FromSlash(place.File))
		out := protocol.Location{URI: q.uri(file)}
		if page, start, ok := q.all.Page(place.File); ok && place.Fragment != "" {
			for _, h := range page.Headings {
				if strings.EqualFold(h.Anchor, place.Fragment) {
					out.Range = q.result.text(file).Range(start+h.Start, start+h.End)
				}
			}
		}
		return out, nil
	})
}

// prepareRename returns the path that can be renamed at a position.
func (a answers) prepareRename(ctx context.Context, p protocol.PositionParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		place, ok := q.placeAt(p.Position)
		if !ok || place.File == q.doc.File {
			return nil, nil
		}
		return protocol.PreparedRename{Range: q.text.Range(place.Start, place.End), Placeholder: place.File}, nil
	})
}

// rename renames the file that is mentioned at a position. The new name is a path in the
// skill.
func (a answers) rename(ctx context.Context, p protocol.RenameParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		place, ok := q.placeAt(p.Position)
		if !ok || place.File == q.doc.File {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "there is no file to rename here")
		}
		if !q.supports("rename") {
			return nil, jrpc2.Errorf(protocol.CodeRequestFailed, "the editor cannot rename files")
		}
		to := path.Clean(strings.TrimSpace(p.NewName))
		outside := !references.IsInside(to) || path.IsAbs(to) || to == "."
		switch {
		case outside || strings.ContainsAny(to, "\\\x00\n\r"):
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not a path in the skill", printable.Quote(p.NewName))
		case to == place.File:
			return nil, nil
		case q.all.Folder().Has(to) || path.Base(to) == spec.FileName:
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s exists already, or is a file with a meaning of its own", printable.Quote(to))
		}
		e := q.edits()
		e.moveMentions(map[string]string{place.File: to})
		e.rename(filepath.Join(q.dir, filepath.FromSlash(place.File)), filepath.Join(q.dir, filepath.FromSlash(to)))
		edit, _ := e.build()
		return edit, nil
	})
}

// willRename returns the edits for files that the client is about to rename, within a skill.
func (a answers) willRename(ctx context.Context, p protocol.RenameFilesParams) (any, error) {
	type move struct{ from, to string }
	byDir := map[string][]move{}
	a.mu.Lock()
	for _, f := range p.Files {
		from, okFrom := protocol.Path(f.OldURI)
		to, okTo := protocol.Path(f.NewURI)
		if !okFrom || !okTo {
			continue
		}
		if dir, _ := a.folderOf(from); dir != "" && from != dir {
			byDir[dir] = append(byDir[dir], move{from, to})
		}
	}
	var found *skill
	for dir := range byDir {
		found = a.skills[dir]
		if found == nil {
			_, file := a.folderOf(filepath.Join(dir, spec.FileName))
			found = &skill{dir: dir, file: filepath.Join(dir, file), open: true}
		}
	}
	a.mu.Unlock()
	if len(byDir) != 1 {
		return nil, nil // none, or files of several skills
	}
	return a.inSkill(ctx, found, found.file, func(q *query) (any, error) {
		moves := map[string]string{}
		for _, m := range byDir[q.dir] {
			from, err1 := filepath.Rel(q.dir, m.from)
			to, err2 := filepath.Rel(q.dir, m.to)
			if err1 == nil && err2 == nil && filepath.IsLocal(to) {
				q.moved(moves, filepath.ToSlash(from), filepath.ToSlash(to))
			}
		}
		e := q.edits()
		e.moveMentions(moves)
		edit, _ := e.build()
		return edit, nil
	})
}

// moved adds a renamed file, or the files of a renamed folder.
func (q *query) moved(moves map[string]string, from, to string) {
	if q.doc.Files == nil {
		return
	}
	for _, f := range q.doc.Files.List() {
		rest, ok := strings.CutPrefix(f.Name, from)
		isBelow := ok && (rest == "" || rest[0] == '/')
		if isBelow && !f.Mode.IsDir() {
			moves[f.Name] = to + rest
		}
	}
}

// moveMentions changes the mentions of files that get new names.
func (e *edits) moveMentions(moves map[string]string) {
	after := func(name string) string {
		if to, ok := moves[name]; ok {
			return to
		}
		return name
	}
	for _, name := range e.all.Markdown() {
		here, next := path.Dir(name), path.Dir(after(name))
		file := filepath.Join(e.dir, filepath.FromSlash(name))
		for _, place := range e.all.Places(name) {
			_, renamed := moves[place.File]
			isRelative := place.Base != "."
			if !renamed && (here == next || !isRelative) {
				continue
			}
			e.replace(file, place.Start, place.End, place.Written(after(place.File), next))
		}
	}
}
