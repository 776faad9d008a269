package references

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"skills/internal/suggest"
)

// Entry is a file or folder in a skill's folder.
type Entry struct {
	Name   string // relative to the skill's folder, with slashes
	Dir    bool
	Opaque bool // a link, or a folder whose contents are not listed
}

// Folder is an index of the names in a skill's folder. The zero Folder is one
// whose names are unknown.
type Folder struct {
	entries map[string]Entry    // includes parent folders
	names   []string            // keys of entries, in the order of the list
	files   []string            // the names that are neither folders nor opaque
	folded  map[string][]string // lower-case names, built on first use
}

// NewFolder returns a folder with the given entries.
func NewFolder(entries []Entry) *Folder {
	f := &Folder{entries: make(map[string]Entry, len(entries))}
	for _, e := range entries {
		if !e.Dir && !e.Opaque {
			f.files = append(f.files, e.Name)
		}
		for name := e.Name; name != "."; name = path.Dir(name) {
			if _, ok := f.entries[name]; ok {
				break
			}
			f.entries[name] = e
			f.names = append(f.names, name)
			e = Entry{Name: path.Dir(name), Dir: true}
		}
	}
	return f
}

// manyEntries is the number of entries above which a list may be incomplete.
const manyEntries = 5000

// Find returns the name of a path in the folder: the path itself, or a spelling
// that differs only in case or Unicode normalisation, or "". known is false if
// the path leads through an opaque entry or the list may be incomplete.
func (f *Folder) Find(name string) (actual string, known bool) {
	name = path.Clean(name)
	if name == "." {
		return name, true
	}
	if _, ok := f.entries[name]; ok {
		return name, true
	}
	const longest = 4096 // bytes of a path
	if len(name) > longest {
		return "", true
	}
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if f.entries[dir].Opaque {
			return "", false
		}
	}
	if names := f.Spellings(name); len(names) > 0 {
		if i := slices.IndexFunc(names, func(s string) bool { return norm.NFC.String(s) == norm.NFC.String(name) }); i >= 0 {
			return names[i], true
		}
		return names[0], true
	}
	return "", f.entries != nil && len(f.entries) < manyEntries
}

// Exists reports whether a path is in the folder, with any spelling.
func (f *Folder) Exists(name string) bool {
	actual, _ := f.Find(name)
	return actual != ""
}

// Has reports whether a path is in the folder with exactly this spelling.
func (f *Folder) Has(name string) bool {
	actual, _ := f.Find(name)
	return actual != "" && norm.NFC.String(actual) == norm.NFC.String(path.Clean(name))
}

// IsDir reports whether a path is a folder.
func (f *Folder) IsDir(name string) bool { return f.entries[name].Dir }

// Spellings returns the names that differ from a path only in case or Unicode
// normalisation.
func (f *Folder) Spellings(name string) []string {
	if f.folded == nil {
		f.folded = make(map[string][]string, len(f.names))
		for _, n := range f.names {
			key := Fold(n)
			f.folded[key] = append(f.folded[key], n)
		}
	}
	return f.folded[Fold(name)]
}

// Fold normalises a name for case-insensitive comparison.
func Fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// Suggest returns the file that a missing path probably means: the only one
// with its base name, ignoring the extension, or one with a similar name in the
// same folder. It returns "" if there is none.
func (f *Folder) Suggest(name string) string {
	base := path.Base(name)
	if base == skillFile {
		return "" // that of another skill
	}
	same := slices.DeleteFunc(slices.Clone(f.files), func(file string) bool {
		last := path.Base(file)
		return last != base && strings.TrimSuffix(last, path.Ext(last)) != base
	})
	if len(same) == 1 {
		return same[0]
	}
	const most = 500 // names to compare
	dir := path.Dir(name)
	var names []string
	for _, n := range f.names {
		if len(names) < most && path.Dir(n) == dir {
			names = append(names, path.Base(n))
		}
	}
	if similar := suggest.Close(base, names); similar != "" {
		return path.Join(dir, similar)
	}
	return ""
}

// Resolve returns the file that a link leads to, or "" if it is not in the
// folder.
func (f *Folder) Resolve(t Target) string {
	for _, name := range append([]string{t.Path}, t.Others...) {
		if IsInside(name) && f.Has(name) {
			actual, _ := f.Find(name)
			return actual
		}
	}
	return ""
}
