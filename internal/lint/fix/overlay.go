package fix

import (
	"slices"
	"strings"

	"skills/internal/spec"
)

// overlay shows the rules a skill's folder as it would be after the fixes.
type overlay struct {
	state   *state
	oldName string // of the SKILL.md on the disk
	doc     *spec.Document
}

// List implements spec.Files.
func (o overlay) List() []spec.File {
	list := slices.Clone(o.state.folder.List())
	for i := range list {
		f := &list[i]
		if text, ok := o.state.texts[f.Name]; ok {
			f.Size = int64(len(text))
		}
		if o.state.executable[f.Name] {
			f.Mode = executable(f.Mode)
		}
		if f.Name == o.oldName {
			f.Name, f.Size = o.doc.File, int64(len(o.doc.Source))
		}
	}
	slices.SortFunc(list, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Gaps implements spec.Files.
func (o overlay) Gaps() []spec.Gap { return o.state.folder.Gaps() }

// Read implements spec.Files.
func (o overlay) Read(name string, limit int64) ([]byte, error) {
	text, ok := o.state.texts[name]
	if name == o.doc.File {
		text, ok = o.doc.Source, true
	}
	if !ok {
		return o.state.folder.Read(name, limit)
	}
	return text[:min(int64(len(text)), max(limit, 0))], nil
}

// Above implements spec.Surroundings: no fix reaches there.
func (o overlay) Above(name string) (there, known bool) {
	if around, ok := o.state.folder.(spec.Surroundings); ok {
		return around.Above(name)
	}
	return false, false
}
