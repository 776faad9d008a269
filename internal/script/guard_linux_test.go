package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skills/internal/testing/filetest"
)

// TestGuard checks that an unsandboxed script cannot read the environment of this
// process.
func TestGuard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := "pid=$(awk '/PPid/ {print $2}' /proc/$PPID/status)\n" +
		"for f in environ maps; do head -c 1 /proc/$pid/$f >/dev/null 2>&1 && echo $f read; done; ls /proc/$pid/fd >/dev/null 2>&1 && echo fd read; echo done\n"
	filetest.Programs(t, dir, map[string]string{"script.test": filetest.Read(t, self), "a.sh": s})
	for guard, want := range map[string]string{"": "environ read\nmaps read\nfd read\ndone\n", "yes": "done\n"} {
		c := exec.CommandContext(t.Context(), filepath.Join(dir, "script.test"))
		c.Env = []string{"PATH=/usr/bin:/bin", "SCRIPT_TEST_RUN=" + dir, "SCRIPT_TEST_GUARD=" + guard, "OPENAI_API_KEY=sk-1"}
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := c.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != strings.TrimSpace(want) {
			t.Errorf("guarded %q: got %q, %v, want %q", guard, got, err, want)
		}
	}
}
