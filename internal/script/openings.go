package script

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// ErrTooWide: a folder that scripts may write to holds what they must not touch,
// so that no confinement is worth anything.
var ErrTooWide = errors.New("too wide to be written to by scripts")

// CheckWrite says why a folder cannot be one of [Runner.AllowWrite]: it is not
// there, is or holds a home folder or the root of the file system, or lies in a
// place of secrets or holds one. Behind some fences what lies in a writable
// folder can be read; so it is refused behind all, with [ErrTooWide].
func (r *Runner) CheckWrite(dir string) error {
	homes, _ := r.homes()
	_, err := r.opening(dir, homes)
	return err
}

// opening is the real path of a folder of [Runner.AllowWrite].
func (r *Runner) opening(dir string, homes []string) (string, error) {
	got, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("looking at what may be written: %w", err)
	}
	why := tooWide(got, homes)
	for _, secret := range secretPlaces(homes) {
		switch {
		case why != nil:
		case within(got, secret):
			why = fmt.Errorf("%s lies in %s, which is kept secret", got, secret)
		case within(secret, got):
			why = fmt.Errorf("%s holds %s, which is kept secret", got, secret)
		}
	}
	if why != nil {
		return "", &refusal{
			reason: ErrTooWide,
			text:   "the writable folder " + why.Error(),
			hint:   "name a narrower folder, or have nothing confined with --sandbox off",
		}
	}
	return got, nil
}

// tooWide says that a writable folder, given by its real path, holds everything
// worth protecting: who can write a home folder's start-up files can do anything
// a little later.
func tooWide(dir string, homes []string) error {
	switch {
	case dir == filepath.VolumeName(dir)+string(filepath.Separator):
		return fmt.Errorf("%s is the root of the file system", dir)
	case slices.Contains(homes, dir):
		return fmt.Errorf("%s is a home folder", dir)
	case slices.ContainsFunc(homes, func(home string) bool { return within(home, dir) }):
		return fmt.Errorf("%s holds a home folder", dir)
	}
	return nil
}
