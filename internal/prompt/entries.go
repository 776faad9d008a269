package prompt

import (
	"cmp"
	"context"
	"path/filepath"

	"skills/internal/loader"
	"skills/internal/spec"
)

// Entries reads the catalogue entries of skills, in their order, and returns those that
// use is true for. A skill whose frontmatter cannot be read has a *loader.Error in failed
// instead, and use gets its folder's name.
// The error is the context's cause.
func Entries(ctx context.Context, found []loader.Found, use func(f loader.Found, name string) bool) (entries []Entry, failed []error, err error) {
	all, errs := make([]Entry, len(found)), make([]error, len(found))
	err = loader.Parallel(ctx, len(found), func(i int) {
		p, err := loader.Properties(found[i], spec.UsableProperties)
		all[i], errs[i] = Entry{Name: p.Name, Description: p.Description, Location: filepath.Join(found[i].Real, found[i].File)}, err
	})
	for i, e := range all {
		if !use(found[i], cmp.Or(e.Name, filepath.Base(found[i].Dir))) {
			continue
		}
		if errs[i] != nil {
			failed = append(failed, errs[i])
		} else {
			entries = append(entries, e)
		}
	}
	return entries, failed, err
}

// FindFormat returns the format with the given name; ok is false if there is
// none.
func FindFormat(name string) (f Format, ok bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
