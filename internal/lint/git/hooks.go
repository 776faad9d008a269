package git

import (
	"context"
	"path/filepath"
	"strings"
)

// HooksPath is the folder that core.hooksPath names for a repository, absolute,
// or "" if it is not set, dir is in no repository, or git is missing. Included
// files and those of a working tree count, as they do for git.
func (c Client) HooksPath(ctx context.Context, dir string) string {
	// Reading a setting runs no program, and the usual settings would hide this one.
	out, err := c.runWith(ctx, dir, []string{"--no-pager"}, "config", "--type=path", "--get", "core.hooksPath")
	path := strings.TrimRight(string(out), "\n")
	if err != nil || path == "" || filepath.IsAbs(path) {
		return path
	}
	top, err := c.run(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return filepath.Join(strings.TrimRight(string(top), "\n"), path)
}
