package git

import (
	"path/filepath"
	"testing"
)

// TestHooksPath checks that the folder of hooks is resolved as git resolves it.
func TestHooksPath(t *testing.T) {
	r := newRepo(t)
	if got := r.client.HooksPath(t.Context(), r.dir); got != "" {
		t.Errorf("nothing is set: got %q", got)
	}
	r.git("config", "core.hooksPath", ".husky")
	if got := r.client.HooksPath(t.Context(), r.dir); got != r.path(".husky") {
		t.Errorf("of the repository: got %q, want it below %s", got, r.dir)
	}
	r.git("config", "--unset", "core.hooksPath")
	r.write("more", "[core]\n\thooksPath = included\n")
	r.git("config", "include.path", "../more")
	r.write("sub/x", "")
	if got := r.client.HooksPath(t.Context(), r.path("sub")); got != r.path("included") {
		t.Errorf("of an included file, from a folder below: got %q", got)
	}
	absolute := filepath.Join(t.TempDir(), "hooks")
	r.git("config", "extensions.worktreeConfig", "true")
	r.git("config", "--worktree", "core.hooksPath", absolute)
	if got := r.client.HooksPath(t.Context(), r.dir); got != absolute {
		t.Errorf("of the working tree: got %q, want %s", got, absolute)
	}
	if got := r.client.HooksPath(t.Context(), t.TempDir()); got != "" {
		t.Errorf("outside of a repository: got %q", got)
	}
}
