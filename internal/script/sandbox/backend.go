package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The names of the backends, as results and events have them.
const (
	Bubblewrap = "bubblewrap"
	Landlock   = "landlock"
	Seatbelt   = "seatbelt"
	None       = "none"
)

// MaxFile is how many bytes a file of a script, and a file system of its own in
// memory, can have.
const MaxFile = 1 << 30

// Backend enforces policies in one way. The zero value is none.
type Backend struct {
	Name    string
	program string // bubblewrap's absolute path
	abi     int    // the kernel's version of Landlock
}

// Setup is what the process that starts the script has to do itself. Paths are
// bytes, because they need not be valid text.
type Setup struct {
	Backend string
	Read    [][]byte
	Write   [][]byte
	Hidden  [][]byte
	Net     bool
}

// Status is the sandbox of a run.
type Status struct {
	Name        string   // of the backend, [None] for none
	NotEnforced []string // what it does not enforce, in words; for none, why there is none
	Tried       []string // why each stronger backend is not used
}

// Wrap returns the command line that starts a command with a policy, and what
// its parent has to set up before.
func (b Backend) Wrap(command []string, p Policy) ([]string, Setup) {
	setup := Setup{Backend: b.Name, Net: p.Net}
	switch b.Name {
	case Bubblewrap:
		return slices.Concat([]string{b.program}, bubblewrapArguments(p, Filtered()), []string{"--"}, command), setup
	case Landlock:
		setup.Read, setup.Write, setup.Hidden = convert[[]byte](p.Read), convert[[]byte](p.Write), convert[[]byte](p.Hidden)
	case Seatbelt:
		return append([]string{sandboxExec, "-p", seatbeltProfile(p)}, command...), setup
	}
	return command, setup
}

func convert[To, From string | []byte](paths []From) (converted []To) {
	for _, path := range paths {
		converted = append(converted, To(path))
	}
	return converted
}

// FindTrusted finds a program on the absolute entries of a search path, in a
// [Trusted] place.
func FindTrusted(name string, search, untrusted []string) (string, error) {
	var skipped []string
	for _, dir := range search {
		path := filepath.Join(dir, name)
		real, trusted := Trusted(path, untrusted)
		info, err := os.Stat(real)
		switch {
		case err != nil || !filepath.IsAbs(dir) || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		case !trusted:
			skipped = append(skipped, path)
		default:
			return real, nil
		}
	}
	if len(skipped) > 0 {
		return "", fmt.Errorf("%s is ignored because it is in the working folder or in a skill", strings.Join(skipped, ", "))
	}
	return "", errors.New(name + " is not on PATH")
}

// Trusted reports whether a path, and what it leads to, is in none of the folders
// that scripts or strangers can write to, and in no skill.
func Trusted(path string, untrusted []string) (real string, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil && !anyHolds(untrusted, real) && !anyHolds(untrusted, path) && !inSkill(real) && !inSkill(path)
}

// inSkill reports whether a path is or is below a folder with a SKILL.md.
func inSkill(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		for _, name := range []string{"SKILL.md", "skill.md"} {
			if exists(filepath.Join(dir, name)) {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
