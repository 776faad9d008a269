package git

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// HooksPath is the folder that core.hooksPath names for a repository, absolute,
// or "" if it is not set, dir is in no repository, or git is missing. Included
// files and those of a working tree count, as they do for git.
func (c Client) HooksPath(ctx context.Context, dir string) string {
	out, err := c.run(ctx, dir, "config", "--type=path", "--get-all", "core.hooksPath")
	values := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	values = slices.DeleteFunc(values, func(path string) bool { return path == noHooks }) // of our own settings
	if err != nil || len(values) == 0 || filepath.IsAbs(values[len(values)-1]) {
		return strings.Join(values[max(len(values)-1, 0):], "")
	}
	top, err := c.Root(ctx, dir)
	if err != nil {
		return ""
	}
	return filepath.Join(top, values[len(values)-1])
}
