package git

import (
	"context"
	"path/filepath"
	"strings"
)

// HooksPath is the folder that core.hooksPath names for a repository, absolute,
// or "" if it is not set, dir is in no repository, or git is missing. The
// repository's own setting counts before the user's.
func (c Client) HooksPath(ctx context.Context, dir string) string {
	for _, scope := range []string{"--local", "--global"} {
		out, err := c.run(ctx, dir, "config", scope, "--type=path", "--get", "core.hooksPath")
		path := strings.TrimRight(string(out), "\n")
		if err != nil || path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			top, err := c.run(ctx, dir, "rev-parse", "--show-toplevel")
			if err != nil {
				continue
			}
			path = filepath.Join(strings.TrimRight(string(top), "\n"), path)
		}
		return path
	}
	return ""
}
