package fix

// Fixes are tried in memory. A state is never changed: fixes lead to a new one, in which
// all rules run again on the changed texts over the folder as it is on disk, so that what
// the fixes of several rules do to each other is known before anything is written.

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// state is a skill after some fixes, in memory.
type state struct {
	doc   *spec.Document
	opts  spec.Options
	found []spec.Diagnostic
	// counted is the number of errors by rule, computed on first use.
	counted map[string]int
	// Differences from the disk in files other than the SKILL.md.
	texts      map[string][]byte
	executable map[string]bool
	folder     spec.Files // the files on disk, or nil
}

func newState(doc *spec.Document, opts spec.Options) *state {
	return &state{
		doc: doc, opts: opts, found: check(doc, opts, doc.Files), folder: doc.Files,
		texts: map[string][]byte{}, executable: map[string]bool{},
	}
}

// name returns the key of an edit's file: "" is the SKILL.md under any name.
func (s *state) name(file string) string {
	if file == s.doc.File {
		return ""
	}
	return file
}

// read returns a file's text; ok is false if it cannot be read completely.
func (s *state) read(name string) (text []byte, ok bool) {
	if name == "" {
		return s.doc.Source, s.doc.Source != nil
	}
	if text, ok := s.texts[name]; ok {
		return text, true
	}
	text, err := s.folder.Read(name, loader.MaxSkillFile+1)
	return text, err == nil && len(text) <= loader.MaxSkillFile
}

// with returns the state after the fixes of one file, whose edits are ordered
// by position; ok is false if they cannot be applied or change nothing.
func (s *state) with(file string, edits []spec.Edit, fixes []spec.Diagnostic) (next *state, ok bool) {
	next = &state{opts: s.opts, texts: maps.Clone(s.texts), executable: maps.Clone(s.executable), folder: s.folder}
	var rename string
	changed := false
	for _, d := range fixes {
		rename = cmp.Or(rename, d.Fix.Rename)
		for _, name := range d.Fix.Executable {
			changed = changed || !s.executable[name]
			next.executable[name] = true
		}
	}
	src := s.doc.Source
	if len(edits) > 0 {
		before, readable := s.read(file)
		after, fits := edited(before, edits)
		if !readable || !fits {
			return nil, false
		}
		changed = changed || !bytes.Equal(before, after)
		if file == "" {
			src = after
		} else {
			next.texts[file] = after
		}
	}
	next.parse(s.doc, src, rename)
	return next, changed || next.doc.File != s.doc.File
}

// edited returns a text with edits applied; ok is false if one is out of range.
func edited(src []byte, edits []spec.Edit) (out []byte, ok bool) {
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return nil, false
		}
		out = append(append(out, src[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, src[at:]...), true
}

// parse parses and checks the document as if it were on disk.
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
			kept = append(kept, f) // a fault of the folder, which parsing cannot find
		}
	}
	doc.Faults = append(kept, doc.Faults...)
	if s.folder != nil {
		texts := maps.Clone(s.texts)
		texts[file] = doc.Source
		doc.Files = Overlay{Files: s.folder, Texts: texts, Executable: s.executable}
	}
	s.doc, s.found = doc, check(doc, s.opts, s.folder)
}

// files returns the differences between two states, sorted by name.
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
		f := byName[name]
		f.Name, f.Executable = name, true
		byName[name] = f
	}
	var out []File
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

// errors returns the number of errors by rule, including those hidden by
// invalid YAML.
func (s *state) errors() map[string]int {
	if s.counted != nil {
		return s.counted
	}
	found := s.found
	if len(s.doc.Faults) > 0 {
		opts := s.opts
		opts.Least, opts.Behind = spec.Error, true
		found = rules.Check(s.doc, opts)
	}
	s.counted = map[string]int{}
	for _, d := range found {
		if d.Level == spec.Error {
			s.counted[d.Rule]++
			for _, rule := range strings.Fields(d.Also) {
				s.counted[rule]++
			}
		}
	}
	return s.counted
}

// Overlay is a skill's folder with changes in memory.
type Overlay struct {
	spec.Files                   // on disk
	Texts      map[string][]byte // by name; may add files
	Executable map[string]bool   // by name
}

// List implements spec.Files.
func (o Overlay) List() []spec.File {
	list := slices.Clone(o.Files.List())
	found := map[string]bool{}
	for i := range list {
		f := &list[i]
		if o.Executable[f.Name] {
			f.Mode = executable(f.Mode)
		}
		if text, ok := o.Texts[f.Name]; ok {
			f.Size, found[f.Name] = int64(len(text)), true
		}
	}
	for name, text := range o.Texts {
		if !found[name] {
			list = append(list, spec.File{Name: name, Size: int64(len(text))})
		}
	}
	slices.SortFunc(list, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Read implements spec.Files.
func (o Overlay) Read(name string, limit int64) ([]byte, error) {
	text, ok := o.Texts[name]
	if !ok {
		return o.Files.Read(name, limit)
	}
	return text[:min(int64(len(text)), max(limit, 0))], nil
}
