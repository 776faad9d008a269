package fix

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"

	"skills/internal/loader"
	"skills/internal/spec"
)

// state is a skill as it stands after some fixes, in memory.
type state struct {
	doc   *spec.Document
	opts  spec.Options
	found []spec.Diagnostic
	// counted are the errors by rule, made when first needed.
	counted map[string]int
	// Of files other than the SKILL.md, what differs from the disk.
	texts      map[string][]byte
	executable map[string]bool
	folder     spec.Files // of the disk, nil where there is none
}

func newState(doc *spec.Document, opts spec.Options) *state {
	return &state{doc: doc, opts: opts, found: check(doc, opts, doc.Files), folder: doc.Files}
}

// name is how an edit's file is known: "" is the SKILL.md under any name.
func (s *state) name(file string) string {
	if file == s.doc.File {
		return ""
	}
	return file
}

// read returns a file's text; ok is false where it cannot be had whole.
func (s *state) read(name string) (text []byte, ok bool) {
	if name == "" {
		return s.doc.Source, s.doc.Source != nil
	}
	if text, ok := s.texts[name]; ok {
		return text, true
	}
	if s.folder == nil {
		return nil, false
	}
	text, err := s.folder.Read(name, loader.MaxSkillFile+1)
	return text, err == nil && len(text) <= loader.MaxSkillFile
}

// changedBy reports whether a fix can make a difference.
func (s *state) changedBy(fix *spec.Fix) bool {
	for _, e := range fix.Edits {
		text, ok := s.read(s.name(e.File))
		if ok && 0 <= e.Start && e.Start <= e.End && e.End <= len(text) && string(text[e.Start:e.End]) != e.Text {
			return true
		}
	}
	return fix.Rename != "" && fix.Rename != s.doc.File ||
		slices.ContainsFunc(fix.Executable, func(name string) bool { return !s.executable[name] })
}

// with returns the state after the fixes of some findings; ok is false where
// they cannot be made.
func (s *state) with(ds []spec.Diagnostic) (next *state, ok bool) {
	next = &state{opts: s.opts, texts: maps.Clone(s.texts), executable: maps.Clone(s.executable), folder: s.folder}
	if next.texts == nil {
		next.texts, next.executable = map[string][]byte{}, map[string]bool{}
	}
	var all edits
	for _, d := range ds {
		if !all.add(s, d.Fix) {
			return nil, false
		}
		for _, name := range d.Fix.Executable {
			next.executable[name] = true
		}
	}
	src := s.doc.Source
	for _, name := range slices.Sorted(maps.Keys(all.byFile)) {
		before, readable := s.read(name)
		if !readable {
			return nil, false
		}
		after, fits := edited(before, all.byFile[name])
		if !fits {
			return nil, false
		}
		if name == "" {
			src = after
		} else {
			next.texts[name] = after
		}
	}
	next.parse(s.doc, src, all.rename)
	return next, true
}

// parse reads the document again as it would be read from the disk, and checks
// it.
func (s *state) parse(old *spec.Document, src []byte, rename string) {
	path, file := old.Path, old.File
	if rename != "" {
		path, file = filepath.Join(filepath.Dir(path), rename), rename
	}
	doc := loader.ParseDocument(path, old.Dir, src)
	doc.File, doc.LinkTarget, doc.Nested = file, old.LinkTarget, old.Nested
	var kept []spec.Fault
	for _, f := range old.Faults {
		if f.Rule == "skill-file" && file == old.File {
			kept = append(kept, f) // about the folder, which parsing does not see
		}
	}
	doc.Faults = append(kept, doc.Faults...)
	if s.folder != nil {
		doc.Files = overlay{s, old.File, doc}
	}
	s.doc, s.found = doc, check(doc, s.opts, s.folder)
}

// files lists what differs between two states, sorted by name.
func (s *state) files(start *state) []File {
	main := File{Name: start.doc.File, Before: start.doc.Source, After: s.doc.Source}
	if s.doc.File != start.doc.File {
		main.NewName = s.doc.File
	}
	byName := map[string]File{}
	if main.NewName != "" || !bytes.Equal(main.Before, main.After) {
		byName[main.Name] = main
	}
	for name, after := range s.texts {
		if before, ok := start.read(name); ok && !bytes.Equal(before, after) {
			byName[name] = File{Name: name, Before: before, After: after}
		}
	}
	for name := range s.executable {
		f, ok := byName[name]
		if !ok {
			text, _ := start.read(name)
			f = File{Name: name, Before: text, After: text}
		}
		f.Executable = true
		byName[name] = f
	}
	var out []File
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}
