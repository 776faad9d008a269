package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ReplacedError says that something is not what the policy was decided on. Another script
// may be the reason, so no weaker sandbox is tried then.
type ReplacedError string

// Error returns the reason.
func (e ReplacedError) Error() string { return string(e) }

func changed(path string) error {
	return ReplacedError(path + " was replaced while the script was starting")
}

// LinkError is returned for a path of the user that leads out of a folder through a link
// there, if scripts may have been able to create the link in an earlier run.
type LinkError struct{ Path, Link, Real string }

// Error says what the path leads through.
func (e *LinkError) Error() string {
	return fmt.Sprintf("%s leads through the link %s, which a script may have made, to %s", e.Path, e.Link, e.Real)
}

// granted resolves a path of the user, to grant what it leads to. Each link is read once.
// One that leads out of a folder that scripts could have been given is an error, because
// the user may not know of it.
func granted(path string, homes []string) (string, error) {
	real, through, err := followLinks(path)
	if err != nil {
		return "", err
	}
	for _, link := range through {
		dir := filepath.Dir(link)
		if !Within(real, dir) && mayCreate(dir) && checkGranted(dir, homes) == nil {
			return "", &LinkError{Path: path, Link: link, Real: real}
		}
	}
	return real, nil
}

// checkGranted returns an error if a resolved folder is never writable for scripts.
func checkGranted(dir string, homes []string) error {
	err := checkWritable(dir, homes)
	if err == nil && strings.HasPrefix(filepath.Base(dir), ".") && slices.Contains(append(existing(homes), allHomes()...), filepath.Dir(dir)) {
		err = tooWide{"%s is a hidden folder directly in a home folder", dir}
	}
	return err
}

// verify compares what the policy grants with what was checked before.
func (p Policy) verify(c Config, skill string) error {
	if c.Folder != nil && !p.is(skill, c.Folder) {
		return changed(c.Skill)
	}
	for path, want := range c.Known {
		if !p.is(path, want) {
			return changed(path)
		}
	}
	return nil
}
