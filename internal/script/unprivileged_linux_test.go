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

// TestAsNobody runs the suite of escapes once more as a user without privileges, if
// the superuser runs the tests: the kernel denies other things to the superuser than
// to other users.
func TestAsNobody(t *testing.T) {
	const nobody = 65534
	if os.Getuid() != 0 {
		t.Skip("the tests are not run by the superuser, so they are this test")
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"bin", "tmp"} {
		path := filepath.Join(dir, folder)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"script.test": filetest.Read(t, self)}
	if bwrap, _ := findBwrap(); bwrap != "" {
		programs["bwrap"] = filetest.Read(t, bwrap)
	}
	bin := filetest.Programs(t, filepath.Join(dir, "bin"), programs)
	c := exec.CommandContext(t.Context(), filepath.Join(bin, "script.test"), "-test.run", "^(TestEscapes.*|TestReplacedSources|TestKindsRun|TestKindsLimits.*|TestDaemonsEndWithScript|TestTemporaryFolder.*|TestToolchain.*|TestWork|TestWorkUV)$", "-test.v", "-test.parallel", "2") // limits of processes are a user's
	c.Dir = filepath.Join(dir, "tmp")
	c.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + c.Dir, "TMPDIR=" + c.Dir, "SCRIPT_TEST_FEW=1"}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if err != nil && !strings.Contains(line, "--- PASS") && !strings.HasPrefix(line, "===") || strings.Contains(line, "does not work here") {
			t.Log(strings.TrimRight(line, "\n"))
		}
	}
	if err != nil {
		t.Error(err)
	}
}
