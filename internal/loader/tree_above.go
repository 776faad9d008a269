package loader

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"skills/internal/safefile"
)

// maxAbove is how many places outside its folder one skill may ask about.
const maxAbove = 1000

// presence is what is known of a place.
type presence struct{ there, known bool }

// Above reports whether there is a file or folder at a clean path with slashes
// that starts with ../ and counts from the skill's folder, links resolved.
// Looked at is the repository that holds the skill; outside of one, the folder
// above that which the skill lies in, as plugins and projects have their skills
// in skills/. Of what is beyond that, or cannot be asked, nothing is known.
// Nothing is opened.
func (t *folderTree) Above(name string) (there, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, seen := t.above[name]
	if !seen && len(t.above) < maxAbove {
		if t.above == nil {
			t.above = map[string]presence{}
		}
		p = t.lookAbove(name)
		t.above[name] = p
	}
	return p.there, p.known
}

func (t *folderTree) lookAbove(name string) presence {
	if t.real == "" {
		real, err := resolve(t.dir)
		if err != nil {
			return presence{}
		}
		top, ok := safefile.Repository(real)
		if !ok {
			top = filepath.Dir(filepath.Dir(real))
		}
		t.real, t.top = real, top
	}
	rel, err := filepath.Rel(t.top, t.real)
	if err != nil {
		return presence{}
	}
	local := filepath.FromSlash(path.Join(filepath.ToSlash(rel), name))
	if !filepath.IsLocal(local) {
		return presence{}
	}
	root, err := os.OpenRoot(t.top)
	if err != nil {
		return presence{}
	}
	defer root.Close()
	switch _, err := root.Stat(local); {
	case err == nil:
		return presence{there: true, known: true}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return presence{known: true}
	}
	return presence{}
}
