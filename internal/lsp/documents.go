package lsp

// Open files: their texts as the editor has them, and the skills that they belong to. A
// file of no skill is kept too, because it may become one's.

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/lint/config"
	"skills/internal/loader"
	"skills/internal/lsp/protocol"
	"skills/internal/spec"
)

// document is an open file. Its text is replaced, never changed.
type document struct {
	path    string
	uri     string // as the editor writes it
	version int32
	text    []byte
	known   bool   // whether text is that of the editor; false for a file that is too large
	skill   string // the folder of its skill, or ""
}

// didOpen keeps the text of a file. Other documents, such as those that were never saved,
// have no folder, and are ignored.
func (s *state) didOpen(p protocol.DidOpenParams) {
	path, ok := protocol.Path(p.Document.URI)
	if !ok {
		return
	}
	d := &document{path: path, uri: p.Document.URI, version: p.Document.Version, text: []byte(p.Document.Text), known: true}
	if len(d.text) > loader.MaxSkillFile {
		d.text, d.known = nil, false
	}
	s.mu.Lock()
	s.docs[path] = d
	s.assignSkills()
	s.markAround(path)
	s.mu.Unlock()
	s.awaken()
}

// didChange changes the text of an open file.
func (s *state) didChange(p protocol.DidChangeParams) {
	path, _ := protocol.Path(p.Document.URI)
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[path]
	if d == nil {
		return
	}
	whole := slices.IndexFunc(p.Changes, func(c protocol.ContentChange) bool { return c.Range == nil })
	next := *d
	if d.known || whole >= 0 {
		text, err := protocol.Apply(d.text, p.Changes, s.encoding, loader.MaxSkillFile)
		next.text, next.known = text, err == nil
	}
	if p.Document.Version != nil {
		next.version = *p.Document.Version
	}
	s.docs[path] = &next
	s.markAround(path)
	s.awaken()
}

// didSave checks again: the files of the skill may differ from what was seen.
func (s *state) didSave(p protocol.DocumentParams) {
	if path, ok := protocol.Path(p.Document.URI); ok {
		s.changedOnDisk([]string{path})
	}
}

// didClose forgets the text of a file.
func (s *state) didClose(p protocol.DocumentParams) {
	path, _ := protocol.Path(p.Document.URI)
	s.mu.Lock()
	if d := s.docs[path]; d != nil {
		delete(s.docs, path)
		s.assignSkills()
		s.markAround(path)
	}
	s.mu.Unlock()
	s.awaken()
}

// didChangeFiles checks the skills whose files have changed on disk.
func (s *state) didChangeFiles(p protocol.WatchedFilesParams) {
	var paths []string
	for _, c := range p.Changes {
		if path, ok := protocol.Path(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.changedOnDisk(paths)
}

// changedOnDisk checks the skills that changed files may concern: those around them, and
// all of them for a configuration or a baseline.
func (s *state) changedOnDisk(paths []string) {
	s.mu.Lock()
	s.assignSkills()
	for _, path := range paths {
		if base := filepath.Base(path); base == config.FileName || base == ".gitignore" || s.isBaseline(path) {
			s.markAllLocked()
			break
		}
		s.markAround(path)
	}
	s.mu.Unlock()
	s.awaken()
}

// assignSkills finds out which skill each open file belongs to, and keeps only the skills
// that have one. The caller holds mu.
func (s *state) assignSkills() {
	for _, d := range s.docs {
		dir, file := s.folderOf(d.path)
		d.skill = dir
		if dir == "" {
			continue
		}
		if s.skills[dir] == nil {
			s.skills[dir] = &skill{dir: dir, generation: 1}
		}
		s.skills[dir].file = filepath.Join(dir, file)
	}
	for dir, k := range s.skills {
		k.open = false
		for _, d := range s.docs {
			k.open = k.open || d.skill == dir
		}
		if !k.open {
			k.generation++ // the worker removes its findings and the skill
		}
	}
}

// folderOf returns the folder of the skill that a file belongs to, on disk or in the
// editor, and the name of its SKILL.md, or "". The caller holds mu.
func (s *state) folderOf(path string) (dir, file string) {
	const levels = 16
	found, err := loader.Search{}.SkillOf(context.Background(), path)
	nearest := ""
	if err == nil {
		nearest, file = found.Dir, found.File
	}
	for dir, i := filepath.Dir(path), 0; i < levels && dir != nearest; dir, i = filepath.Dir(dir), i+1 {
		if d := s.docs[filepath.Join(dir, spec.FileName)]; d != nil && d.known {
			return dir, spec.FileName // not saved yet
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return nearest, file
}

// workspaceOf returns the folder of the workspace that contains a path, or the path. The
// caller holds mu.
func (s *state) workspaceOf(path string) string {
	best := ""
	for _, dir := range s.folders {
		if isBelow(dir, path) && len(dir) > len(best) {
			best = dir
		}
	}
	if best == "" {
		return path
	}
	return best
}

// isBelow reports whether a path is a folder or below it.
func isBelow(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// isOnDisk reports whether a file exists.
func isOnDisk(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isBaseline reports whether a path is the baseline of a skill. The caller holds mu.
func (s *state) isBaseline(path string) bool {
	name := s.opts.Lint.Baseline
	if s.settings.baseline != "" {
		name = s.settings.baseline
	}
	return name != "" && strings.EqualFold(filepath.Base(name), filepath.Base(path))
}
