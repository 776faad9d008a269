package runner

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"skills/internal/hook"
)

// TestNoOwn: hooks and MCP servers of the user's own configuration are used, unless the
// options disregard them.
func TestNoOwn(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "skills"), 0o755); err != nil {
		t.Fatal(err)
	}
	const own = "hooks:\n  before: [/bin/check]\nmcp:\n  own: /bin/server\n"
	if err := os.WriteFile(filepath.Join(dir, "skills", "config.yaml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, no := range []bool{false, true} {
		env := testEnv(dir, io.Discard, io.Discard)
		env.Config = dir
		r := New(env, Options{NoOwnHooks: no, NoOwnServers: no, MCP: []string{"named=/bin/other"}})
		servers, err := r.mcpServers()
		if err != nil {
			t.Fatal(err)
		}
		var hooks hook.Options
		if err := r.ownHooks(&hooks); err != nil {
			t.Fatal(err)
		}
		wantServers, wantHooks := 2, 1
		if no {
			wantServers, wantHooks = 1, 0
		}
		if len(servers) != wantServers || servers[0].Name != "named" || len(hooks.Commands()) != wantHooks {
			t.Errorf("disregarded %v: servers %+v, hooks %+v", no, servers, hooks.Commands())
		}
	}
}
