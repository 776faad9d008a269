package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Root returns the top folder of the working tree that dir lies in, absolute
// with links resolved.
func (c Client) Root(ctx context.Context, dir string) (string, error) {
	out, err := c.run(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", noRepository(dir, err)
	}
	root := filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real // git writes Windows paths in its own way
	}
	return root, nil
}

// ChangedSince returns the files that this branch changed since it left rev:
// what differs between the merge base of rev and HEAD on the one side and the
// commits, the index and the working tree on the other, as well as untracked
// files that are not ignored. What rev gained in the meantime is not a change
// of this branch's.
//
// The whole repository that dir lies in is looked at. Paths are absolute with
// the links of the repository's folder resolved, sorted, each once. Of a
// renamed file both names are there, and deleted files are too. A submodule at
// another commit and a repository inside this one stand as their folder.
//
// Refusals are *Error: no git, no repository, no such revision.
func (c Client) ChangedSince(ctx context.Context, dir, rev string) ([]string, error) {
	if err := checkRevision(rev); err != nil {
		return nil, err
	}
	root, err := c.Root(ctx, dir)
	if err != nil {
		return nil, err
	}
	base, err := c.mergeBase(ctx, root, rev)
	if err != nil {
		return nil, err
	}
	if c.Env, err = c.withoutFilters(ctx, root); err != nil {
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
			return nil, refused("listing the changes since "+rev, err)
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

// checkRevision refuses what git would not take for a revision.
func checkRevision(rev string) error {
	switch {
	case rev == "":
		return &Error{Message: "the revision is empty", Help: "name a branch, a tag or a commit, such as main"}
	case rev[0] == '-' || strings.ContainsFunc(rev, unicode.IsControl):
		return &Error{Message: fmt.Sprintf("%q is no revision", rev), Help: "name a branch, a tag or a commit, such as main"}
	}
	return nil
}

// mergeBase returns the commit at which HEAD left rev.
func (c Client) mergeBase(ctx context.Context, root, rev string) (string, error) {
	out, err := c.run(ctx, root, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	var exit *exitError
	if errors.As(err, &exit) {
		return "", &Error{Message: fmt.Sprintf("unknown revision %q", rev),
			Help: "name a branch, a tag or a commit of this repository; a shallow clone lacks most of them (git fetch, or fetch-depth: 0 in a GitHub workflow)", Err: err}
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(out))
	out, err = c.run(ctx, root, "merge-base", commit, "HEAD")
	if errors.As(err, &exit) {
		return "", &Error{Message: fmt.Sprintf("%s and HEAD have no common ancestor", rev),
			Help: "a shallow clone lacks it: git fetch --unshallow, or fetch-depth: 0 in a GitHub workflow", Err: err}
	}
	return strings.TrimSpace(string(out)), err
}

// withoutFilters returns the environment with every filter that git's
// configuration has turned off: comparing files would run them. A filtered file
// whose time stamp changed may then count as changed though its content did
// not.
func (c Client) withoutFilters(ctx context.Context, root string) ([]string, error) {
	out, err := c.run(ctx, root, "config", "--name-only", "-z", "--get-regexp", `^filter\.`)
	var exit *exitError
	if errors.As(err, &exit) && exit.code == 1 {
		return c.Env, nil // there are none
	}
	if err != nil {
		return nil, refused("reading git's configuration", err)
	}
	var off [][2]string
	for name := range strings.SplitSeq(string(out), "\x00") {
		switch key := name[strings.LastIndexByte(name, '.')+1:]; key {
		case "clean", "smudge", "process":
			off = append(off, [2]string{name, ""})
		case "required":
			off = append(off, [2]string{name, "false"})
		}
	}
	return withSettings(c.Env, off), nil
}

// noRepository says why a folder has no working tree.
func noRepository(dir string, err error) error {
	var exit *exitError
	switch {
	case !errors.As(err, &exit):
		return err
	case exit.says("dubious ownership"):
		return &Error{Message: fmt.Sprintf("git does not trust %s: it belongs to somebody else", dir),
			Help: "git config --global --add safe.directory names the folder as safe", Err: err}
	case exit.says("must be run in a work tree"):
		return &Error{Message: fmt.Sprintf("%s has no working tree", dir), Help: "run it in a checkout of the repository", Err: err}
	case exit.says("not a git repository"):
		return &Error{Message: fmt.Sprintf("%s lies in no git repository", dir), Help: "run it in the repository whose changes are asked for", Err: err}
	}
	return refused("looking for the repository", err)
}

// refused hands on what git said, its first line.
func refused(doing string, err error) error {
	var exit *exitError
	if !errors.As(err, &exit) {
		return err
	}
	said, _, _ := strings.Cut(exit.stderr, "\n")
	said = strings.TrimPrefix(said, "fatal: ")
	return &Error{Message: fmt.Sprintf("%s: git says: %s", doing, said), Help: "check that git diff works in this folder", Err: err}
}
