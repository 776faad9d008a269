package suite

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"skills/internal/files"
)

// find returns a file that another one names: relative to it, to evals/ or to the skill.
func (r *reader) find(f *file, name string) ([]byte, bool) {
	for _, p := range r.candidates(f, name) {
		var data bytes.Buffer
		if err := files.Copy(&data, r.root, p, maxFile); err == nil {
			return data.Bytes(), true
		}
	}
	return nil, false
}

// candidates returns the places of a file that another one names.
func (r *reader) candidates(f *file, name string) []string {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	here := strings.TrimPrefix(filepath.ToSlash(f.path), filepath.ToSlash(filepath.Clean(r.named))+"/")
	return []string{path.Join(path.Dir(here), clean), clean, path.Join("evals", clean),
		path.Join(path.Dir(path.Dir(here)), "fixtures", clean), path.Join(path.Dir(here), "fixtures", clean), path.Join("fixtures", clean)}
}
