package git

// What git knows about a working tree: its root, the files that changed since a revision,
// and the files of a revision. Only commands that read are run.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"skills/internal/fault"
	"skills/internal/files"
)

// Root returns the top folder of the working tree of dir, as an absolute path
// with links resolved.
func (c Client) Root(ctx context.Context, dir string) (string, error) {
	out, err := c.run(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", noRepository(dir, err)
	}
	return files.Resolved(filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))), nil // git spells Windows paths differently
}

// ChangedSince returns the files changed on this branch since it left rev: the
// differences between the merge base of rev and HEAD and the commits, the index
// and the working tree, and untracked files that are not ignored. Later changes
// of rev are not included.
//
// Paths are absolute with links resolved, sorted, without duplicates; deleted
// files, both names of renamed ones, and the folders of submodules are
// included.
//
// Errors are *fault.Error: no git, no repository, no such revision.
func (c Client) ChangedSince(ctx context.Context, dir, rev string) ([]string, error) {
	if rev == "" || rev[0] == '-' || strings.ContainsFunc(rev, unicode.IsControl) {
		return nil, &fault.Error{Message: fmt.Sprintf("%q is not a revision", rev), Hint: "name a branch, a tag or a commit, such as main"}
	}
	root, err := c.Root(ctx, dir)
	if err != nil {
		return nil, err
	}
	base, err := c.mergeBase(ctx, root, rev)
	if err != nil {
		return nil, err
	}
	diff := []string{"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=dirty"}
	var files []string
	for _, args := range [][]string{
		append(slices.Clone(diff), base, "--"),
		append(slices.Clone(diff), "--cached", base, "--"),
		{"ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--"},
	} {
		out, err := c.run(ctx, root, args...)
		if err != nil {
			return nil, gitError("listing the changes since "+rev, err)
		}
		for name := range bytes.SplitSeq(out, []byte{0}) {
			if len(name) > 0 {
				files = append(files, filepath.Join(root, filepath.FromSlash(string(name))))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// mergeBase returns the commit at which HEAD left rev.
func (c Client) mergeBase(ctx context.Context, root, rev string) (string, error) {
	out, err := c.run(ctx, root, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if errors.As(err, new(*exitError)) {
		return "", &fault.Error{Message: fmt.Sprintf("unknown revision %q", rev),
			Hint: "name a branch, a tag or a commit of this repository; a shallow clone lacks most of them (git fetch, or fetch-depth: 0 in a GitHub workflow)", Err: err}
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(out))
	out, err = c.run(ctx, root, "merge-base", commit, "HEAD")
	if errors.As(err, new(*exitError)) {
		return "", &fault.Error{Message: fmt.Sprintf("%s and HEAD have no common ancestor", rev),
			Hint: "a shallow clone lacks it: git fetch --unshallow, or fetch-depth: 0 in a GitHub workflow", Err: err}
	}
	return strings.TrimSpace(string(out)), err
}

// Archive returns the files that a revision has below dir, a folder of the working tree,
// as a tar archive. Errors are *fault.Error: no git, no repository, no such revision or folder.
func (c Client) Archive(ctx context.Context, dir, rev string) ([]byte, error) {
	root, err := c.Root(ctx, dir)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	dir = filepath.ToSlash(dir)
	if dir == "." {
		dir = ""
	}
	// The repository can name a program for any other format, also for zip.
	out, err := c.run(ctx, root, "archive", "--format=tar", "--", rev+":"+dir)
	if errors.As(err, new(*exitError)) {
		return nil, &fault.Error{Message: fmt.Sprintf("the revision %q does not have %s", rev, cmp.Or(dir, "these files")), Hint: "name a branch, a tag or a commit that has the skill", Err: err}
	}
	return out, err
}

// noRepository returns the error for a folder without a working tree.
func noRepository(dir string, err error) error {
	var exit *exitError
	switch {
	case !errors.As(err, &exit):
		return err
	case strings.Contains(exit.stderr, "dubious ownership"):
		return &fault.Error{Message: fmt.Sprintf("git does not trust %s: it belongs to another user", dir),
			Hint: "mark the folder as safe with: git config --global --add safe.directory DIR", Err: err}
	case strings.Contains(exit.stderr, "not a git repository"):
		return &fault.Error{Message: fmt.Sprintf("%s is not in a git repository", dir), Hint: "run it in the repository whose changes you want", Err: err}
	}
	return gitError("looking for the repository", err)
}

// gitError returns an error with the first line of git's message.
func gitError(doing string, err error) error {
	var exit *exitError
	if !errors.As(err, &exit) {
		return err
	}
	message, _, _ := strings.Cut(exit.stderr, "\n")
	message = strings.TrimPrefix(message, "fatal: ")
	return &fault.Error{Message: fmt.Sprintf("%s: git: %s", doing, message), Hint: "check that git diff works in this folder", Err: err}
}

// Touched returns a function that reports whether one of the files is in a
// folder, or is a submodule that contains it. Paths are absolute with links
// resolved. On systems with case-insensitive disks, case and Unicode
// composition are ignored.
func Touched(files []string) func(dir string) bool {
	return touched(files, runtime.GOOS == "windows" || runtime.GOOS == "darwin")
}

func touched(files []string, fold bool) func(dir string) bool {
	key := filepath.Clean
	if fold {
		key = func(path string) string { return strings.ToLower(norm.NFC.String(filepath.Clean(path))) }
	}
	changed := make(map[string]bool, len(files)) // the files themselves
	above := make(map[string]bool, len(files))   // and the folders that contain them
	for _, f := range files {
		f = key(f)
		changed[f] = true
		for dir := filepath.Dir(f); !above[dir]; dir = filepath.Dir(dir) {
			above[dir] = true
		}
	}
	return func(dir string) bool {
		dir = key(dir)
		within := above[dir]
		for ; !within && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			within = changed[dir]
		}
		return within
	}
}

// HooksPath returns the absolute folder in core.hooksPath for a repository, or
// "" if it is not set, dir is not in a repository, or git is missing. As in
// git, included files and those of a working tree count.
func (c Client) HooksPath(ctx context.Context, dir string) string {
	out, err := c.run(ctx, dir, "config", "--type=path", "--get-all", "core.hooksPath")
	values := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	values = slices.DeleteFunc(values, func(path string) bool { return path == noHooks }) // set by settings
	if err != nil || len(values) == 0 || filepath.IsAbs(values[len(values)-1]) {
		return strings.Join(values[max(len(values)-1, 0):], "")
	}
	top, err := c.Root(ctx, dir)
	if err != nil {
		return ""
	}
	return filepath.Join(top, values[len(values)-1])
}
