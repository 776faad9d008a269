package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"skills/internal/testing/filetest"
)

// TestReplacedAnytime starts scripts while something swaps the working folder, the skill's
// folder for links, or a protected name for another folder, all the time.
func TestReplacedAnytime(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := realFolder(t)
	at := func(name string) string { return filepath.Join(base, name) }
	filetest.Write(t, base, map[string]string{
		"home/private/canary": "secret\n", "work/sub/.claude/x": "", "work/linkother/x": "", "work/sub/.github/x": "x\n", "work/sub/b/SKILL.md": "", "work/sub/b/a.sh": "cat \"$HOME/private/canary\"; echo PWNED >PWNED\n", "skill/a.sh": "echo PWNED >PWNED; echo PWNED >.github/x\n",
	})
	var pairs [][2]string
	for _, name := range []string{"work/sub", "work/sub/b"} {
		if err := os.Symlink(at("home/private"), at("work/link"+filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, [2]string{at(name), at("work/link" + filepath.Base(name))})
	}
	pairs = append(pairs, [2]string{at("work/sub/.claude"), at("work/linkother")})
	for _, kind := range []string{kindBubblewrap, kindLandlock} {
		if err := unsupported(t, kind); err != nil {
			t.Logf("NOT TESTED with %s: %v", kind, err)
			continue
		}
		path := "/usr/local/bin:/usr/bin:/bin"
		if kind == kindBubblewrap { // it may be in the cache of the tests only
			bwrap, _ := findBwrap()
			path = filepath.Dir(bwrap) + ":" + path
		} else {
			path = filetest.Programs(t, t.TempDir(), map[string]string{"sh": "#!/bin/sh\nexec /bin/sh \"$@\"\n", "bash": "#!/bin/sh\nexec /bin/sh \"$@\"\n"})
		}
		for i, pair := range pairs {
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					default:
						unix.Renameat2(unix.AT_FDCWD, pair[0], unix.AT_FDCWD, pair[1], unix.RENAME_EXCHANGE)
					}
				}
			}()
			script := at("skill")
			if i == 1 {
				script = at("work/sub/b")
			}
			for range starts(t, 30) / 6 {
				c := exec.Command("/bin/sh", "-c", `cd "$1" && PWD=$1 "$2"; exit $?`, "sh", at("work/sub"), program)
				c.Env = append(os.Environ(), "SCRIPT_TEST_REPLACE=-", "SCRIPT_TEST_SANDBOX=auto", "SCRIPT_TEST_NAME="+script, "HOME="+at("home"), "PATH="+path)
				out, _ := c.CombinedOutput() // mostly a refusal
				if strings.Contains(string(out), "secret") {
					t.Errorf("%s: %s: %s", kind, pair[0], out)
				}
			}
			close(stop)
			<-stopped
			if info, err := os.Lstat(pair[0]); err == nil && info.Mode()&os.ModeSymlink != 0 {
				if err := unix.Renameat2(unix.AT_FDCWD, pair[0], unix.AT_FDCWD, pair[1], unix.RENAME_EXCHANGE); err != nil {
					t.Fatal(err)
				}
			}
			if entries, err := os.ReadDir(at("home/private")); err != nil || len(entries) != 1 {
				t.Errorf("%s: %s: private files were added: %v, %v", kind, pair[0], entries, err)
			}
			if text := filetest.Read(t, at("work/sub/.github/x")); kind == kindBubblewrap && text != "x\n" {
				t.Errorf("%s: %s: a protected file was changed", kind, pair[0])
			}
		}
	}
}
