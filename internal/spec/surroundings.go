package spec

import (
	"path"
	"strings"
)

// Surroundings is what Files may do besides: tell what there is around the
// skill's folder. Nothing is read there, and not everything is looked at.
type Surroundings interface {
	// Above reports whether there is a file or folder at a clean path that
	// starts with ../; known is false where nobody looks.
	Above(name string) (there, known bool)
}

// above reports whether there is something at a path out of the folder; known
// is false where that cannot be told.
func (f *folder) above(name string) (there, known bool) {
	if f == nil {
		return false, false
	}
	s, ok := f.files.(Surroundings)
	if !ok {
		return false, false
	}
	return s.Above(name)
}

// neighbour returns the folder of the other skill that a path out of this one's
// leads to or into, such as ../other; "" where it leads to none.
func (f *folder) neighbour(name string) string {
	const most = 64 // folders
	if strings.Count(name, "/") > most {
		return ""
	}
	for dir := name; path.Base(dir) != ".." && dir != "."; dir = path.Dir(dir) {
		if there, _ := f.above(path.Join(dir, FileName)); there {
			return dir
		}
	}
	return ""
}

// aboveHas reports whether a folder that the skill's folder is in has a file of
// this path: what is not in the skill may be the project's.
func (f *folder) aboveHas(name string) bool {
	const most = 16 // folders
	for levels := 1; levels <= most; levels++ {
		if there, known := f.above(strings.Repeat("../", levels) + name); there || !known {
			return there
		}
	}
	return false
}
