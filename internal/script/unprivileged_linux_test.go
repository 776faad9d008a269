package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"skills/internal/testing/filetest"
)

// TestAsNobody runs the suite of escapes once more as users without privileges, if the
// superuser runs the tests: the kernel denies other things to the superuser than to other
// users. The kernel's limit of processes counts all of a user, so tests that use many have a
// user of their own, and run one after the other.
func TestAsNobody(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("the tests are not run by the superuser, so they are this test")
	}
	const nobody = 65534
	for _, row := range []struct {
		name, tests, parallel string
		user                  int
	}{
		{"limits", "TestKindsLimits.*", "1", unusedUser()},
		{"rest", "TestEscapes.*|TestReplacedSources|TestKindsRun|TestDaemonsEndWithScript|TestTemporaryFolder.*|TestToolchain|TestWork|TestWorkUV", "2", nobody},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			runUnprivileged(t, row.user, "-test.run", "^("+row.tests+")$", "-test.v", "-test.parallel", row.parallel)
		})
	}
}

// unusedUser is a number that is probably no user of this machine, and that no other run of
// the tests uses now.
func unusedUser() int { return 20000 + os.Getpid()%40000 }

// runUnprivileged runs tests of this program as another user.
func runUnprivileged(t *testing.T, user int, args ...string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"bin", "tmp"} {
		path := filepath.Join(dir, folder)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, user, user); err != nil {
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
	c := exec.CommandContext(t.Context(), filepath.Join(bin, "script.test"), args...)
	c.Dir = filepath.Join(dir, "tmp")
	c.Env = []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + c.Dir, "TMPDIR=" + c.Dir, fewRows + "=1"}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
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

// fewRows is the variable that leaves out the rows of a table that do not depend on the user.
const fewRows = "SCRIPT_TEST_FEW"

// few returns the rows of a table that depend on the user, if [fewRows] is set.
func few[Row any](rows []Row, name func(Row) string, names ...string) []Row {
	if os.Getenv(fewRows) == "" {
		return rows
	}
	return slices.DeleteFunc(rows, func(row Row) bool { return !slices.Contains(names, name(row)) })
}
