package workspace

// What a tool may read and write is what a command line may: one policy, that of the
// sandbox, decides. It is enforced here by opening each folder of a path without following
// links, below the folder that the policy grants, and by comparing what was opened.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/script/sandbox"
)

// access opens files as a policy allows.
type access struct {
	policy sandbox.Policy
	dir    string // the working folder, with links resolved
	home   string // the user's home folder, or ""
	temp   string // what commands see as /tmp, or ""
	hidden []fs.FileInfo
}

// newAccess returns the access of a run whose loaded skills are in folders.
func (p *Provider) newAccess(ctx context.Context, folders []string) (access, error) {
	policy, err := p.opt.Runner.Access(ctx, folders)
	if err != nil {
		return access{}, err
	}
	a := access{policy: policy, dir: policy.Dir, home: policy.Home, temp: p.opt.Runner.TmpFolder()}
	for _, path := range policy.Hidden {
		info, err := os.Lstat(path)
		if err == nil {
			a.hidden = append(a.hidden, info)
		}
	}
	return a, nil
}

// place is a path that a tool works on.
type place struct {
	real  string // absolute, with links resolved as far as it exists
	shown string // for people and the model: relative to the working folder if it is in it
}

var (
	errOutside = errors.New("it is outside of the folders that this run may use")
	errHidden  = errors.New("it is hidden, because such files hold passwords and keys")
	errSwapped = errors.New("it was replaced while it was opened")
)

// maxPath is the length of the longest path, as on Linux.
const maxPath = 4095

// find resolves a path of the model. The error says what is wrong with it.
func (a access) find(name string) (place, error) {
	if strings.ContainsRune(name, 0) {
		return place{}, errors.New("a path cannot contain a NUL character")
	}
	if len(name) > maxPath {
		return place{shown: printable.Truncate(name, 60)}, errors.New("it is too long")
	}
	path := filepath.FromSlash(strings.TrimSpace(name))
	switch {
	case path == "":
		path = "."
	case a.home != "" && strings.HasPrefix(path+"/", "~/"):
		path = filepath.Join(a.home, path[1:])
	case a.temp != "" && sandbox.Within(path, "/tmp") && a.granted(resolved(filepath.Clean(path))) == "":
		path = filepath.Join(a.temp, path[len("/tmp"):])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	real := resolved(filepath.Clean(path))
	p := place{real: real, shown: filepath.ToSlash(files.Shown(a.dir, real))}
	switch {
	case a.isHidden(real):
		return p, errHidden
	case !a.policy.Sees(real) || a.granted(real) == "":
		return p, errOutside
	}
	return p, nil
}

// resolved resolves the links of a path, of which the last elements need not exist.
func resolved(path string) string {
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest)
		}
		dir := filepath.Dir(path)
		if dir == path {
			return filepath.Join(path, rest)
		}
		path, rest = dir, filepath.Join(filepath.Base(path), rest)
	}
}

// isHidden reports whether a path is hidden from commands.
func (a access) isHidden(real string) bool {
	for dir := real; ; dir = filepath.Dir(dir) {
		if slices.Contains(a.policy.Hidden, dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return sandbox.IsEnvFile(filepath.Base(real)) && sandbox.Within(real, a.dir)
}

// granted returns the deepest folder or file of the policy that contains a path, or "".
func (a access) granted(real string) (best string) {
	for _, dir := range slices.Concat(a.policy.Read, a.policy.Write) {
		if sandbox.Within(real, dir) && len(dir) > len(best) {
			best = dir
		}
	}
	return best
}

// parent opens the folder of a place, which need not exist itself. The caller closes it.
// create makes missing folders.
func (a access) parent(p place, create bool) (root *os.Root, base string, err error) {
	top := a.granted(p.real)
	if top == "" {
		return nil, "", errOutside
	}
	if top == p.real {
		root, err = a.openTop(p.real, top)
		return root, filepath.Base(p.real), err
	}
	root, err = files.OpenFolder(top)
	if err != nil {
		return nil, "", files.Reason(err)
	}
	info, err := root.Stat(".")
	if err != nil || !a.policy.Is(top, info) {
		root.Close()
		return nil, "", errSwapped
	}
	rel, err := filepath.Rel(top, p.real)
	if err != nil {
		root.Close()
		return nil, "", errOutside
	}
	names := strings.Split(rel, string(filepath.Separator))
	for _, name := range names[:len(names)-1] {
		next, err := a.enter(root, name, create)
		root.Close()
		if err != nil {
			return nil, "", err
		}
		root = next
	}
	return root, names[len(names)-1], nil
}

// openTop opens the folder above what the policy grants, for the granted thing itself.
func (a access) openTop(real, top string) (*os.Root, error) {
	root, err := files.OpenFolder(filepath.Dir(real))
	if err != nil {
		return nil, files.Reason(err)
	}
	info, err := root.Lstat(filepath.Base(real))
	if err != nil || !a.policy.Is(top, info) {
		root.Close()
		return nil, errSwapped
	}
	return root, nil
}

// enter opens a folder in another one, which must not be a link.
func (a access) enter(root *os.Root, name string, create bool) (*os.Root, error) {
	before, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		err = root.Mkdir(name, 0o777)
		if err == nil || errors.Is(err, fs.ErrExist) {
			before, err = root.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return nil, files.Reason(err)
	case !before.IsDir():
		return nil, errors.New("a folder of its path is a file")
	case a.same(before):
		return nil, errHidden
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, files.Reason(err)
	}
	now, err := next.Stat(".")
	if err != nil || !os.SameFile(before, now) {
		next.Close()
		return nil, errSwapped
	}
	return next, nil
}

// errFile is returned for a regular file where a folder was expected.
var errFile = errors.New("it is a file")

// openDir opens a folder of a place.
func (a access) openDir(p place) (*os.Root, error) {
	if a.granted(p.real) == p.real {
		info, err := os.Lstat(p.real)
		switch {
		case err != nil:
			return nil, files.Reason(err)
		case info.Mode().IsRegular():
			return nil, errFile
		}
		root, err := files.OpenFolder(p.real)
		if err != nil {
			return nil, files.Reason(err)
		}
		info, err = root.Stat(".")
		if err != nil || !a.policy.Is(p.real, info) {
			root.Close()
			return nil, errSwapped
		}
		return root, nil
	}
	root, base, err := a.parent(p, false)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(base)
	switch {
	case err != nil:
		return nil, files.Reason(err)
	case info.Mode().IsRegular():
		return nil, errFile
	case !info.IsDir():
		return nil, notRegular(info)
	}
	return a.enter(root, base, false)
}

// same reports whether a file or folder is one that is hidden, also under another name.
func (a access) same(info fs.FileInfo) bool {
	return slices.ContainsFunc(a.hidden, func(hidden fs.FileInfo) bool { return os.SameFile(hidden, info) })
}

// open opens an existing file of a place for reading, if it is a regular one.
func (a access) open(p place) (*os.File, fs.FileInfo, error) {
	root, base, err := a.parent(p, false)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return a.openIn(root, base)
}

// openIn opens a regular file that is not a link.
func (a access) openIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, nil, files.Reason(err)
	}
	if !before.Mode().IsRegular() {
		return nil, before, notRegular(before)
	}
	file, now, err := files.OpenIn(root, name, func(info fs.FileInfo) error {
		if a.same(info) {
			return errHidden
		}
		return nil
	})
	if err != nil {
		return nil, nil, files.Reason(err)
	}
	if !os.SameFile(before, now) {
		file.Close()
		return nil, nil, errSwapped
	}
	return file, now, nil
}

func notRegular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder")
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a link")
	}
	return errors.New("it is not a regular file")
}

// maxFile is the size of the largest file that is read as a whole or written.
const maxFile = 16 << 20

// readAll returns the content of a file.
func (a access) readAll(p place) ([]byte, fs.FileInfo, error) {
	file, info, err := a.open(p)
	if err != nil {
		return nil, info, err
	}
	defer file.Close()
	if info.Size() > maxFile {
		return nil, info, fmt.Errorf("it has %d bytes, more than the %d that are read", info.Size(), maxFile)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it grew while it was read")
	}
	return data, info, files.Reason(err)
}

// guard is why a place may not be written, or who has to allow it.
type guard struct {
	refused  error // nil if it may be written
	attended bool  // only a person can allow it, and only this change
}

// attendedNames are protected names below which a person may allow a change.
func attendedNames() []string { return []string{".github", ".claude", ".agents"} }

// guard decides whether a place may be written: what commands may write, without the names
// that are protected although they do not exist yet.
func (a access) guard(p place) guard {
	refuse := func(text string) guard { return guard{refused: errors.New(text)} }
	if !slices.ContainsFunc(a.policy.Write, func(dir string) bool { return sandbox.Within(p.real, dir) && p.real != dir }) {
		return refuse("it is read-only")
	}
	rel, inside := strings.CutPrefix(p.real, a.dir+string(filepath.Separator))
	names := strings.Split(rel, string(filepath.Separator))
	attended := false
	for i, name := range names {
		name = plainName(name)
		switch {
		case !inside:
		case strings.EqualFold(name, ".git"), i == 0 && isProtected(name):
			attended = slices.ContainsFunc(attendedNames(), func(allowed string) bool { return strings.EqualFold(name, allowed) })
			if !attended {
				return refuse("it is protected: programs run or read it by themselves")
			}
		}
	}
	if sandbox.IsEnvFile(plainName(names[len(names)-1])) {
		return guard{refused: errHidden}
	}
	if slices.Contains(a.policy.Missing, p.real) {
		return refuse("it is protected: settings of Git name it")
	}
	for _, path := range a.policy.ReadOnly {
		if !sandbox.Within(p.real, path) {
			continue
		}
		if !attended || !isProtected(filepath.Base(path)) {
			return refuse("it is read-only")
		}
	}
	return guard{attended: attended}
}

// plainName returns the name that a file system may take a name for: macOS ignores invisible
// characters, Windows blanks and points at the end, has streams after a colon, and short names.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(name, " .")
	if strings.EqualFold(name, "git~1") {
		return ".git"
	}
	return name
}

// isProtected reports whether an entry of the working folder is protected by its name.
func isProtected(name string) bool {
	return slices.ContainsFunc(sandbox.ProtectedNames(), func(protected string) bool {
		return strings.EqualFold(protected, name)
	})
}

// outsideHint adds to an error of a path how the user can allow it.
func outsideHint(err error, p place) string {
	if errors.Is(err, errOutside) {
		return fmt.Sprintf("%s cannot be used: %s. The user can allow reading it with --allow-read %s.", p.shown, err, p.shown)
	}
	return fmt.Sprintf("%s cannot be used: %s.", p.shown, err)
}
