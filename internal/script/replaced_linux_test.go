package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

// TestReplacedStart checks that scripts work only in the folder in which the program was
// started, if something else has been put in its place by then: a link to private files,
// or another folder.
func TestReplacedStart(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"link", "other"} {
		for _, mode := range []SandboxMode{SandboxOff, SandboxAuto} {
			t.Run(by+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				base := realFolder(t)
				filetest.Write(t, base, map[string]string{"home/private/x": "", "work/sub/x": "", "work/other/x": "", "skill/a.sh": "echo PWNED >PWNED\n"})
				if err := os.Symlink(filepath.Join(base, "home/private"), filepath.Join(base, "work/link")); err != nil {
					t.Fatal(err)
				}
				c := exec.Command(self)
				c.Path, _ = os.Executable()
				if c.Path == "" {
					t.Fatal("the test's program is unknown")
				}
				c.Dir = filepath.Join(base, "work/sub")
				c.Env = append(os.Environ(), "SCRIPT_TEST_REPLACE="+filepath.Join(base, "work", by), "SCRIPT_TEST_SANDBOX="+string(mode),
					"SCRIPT_TEST_NAME="+filepath.Join(base, "skill"), "HOME="+filepath.Join(base, "home"))
				out, err := c.CombinedOutput()
				if mode == SandboxOff {
					if err != nil {
						t.Fatalf("without a sandbox: %v: %s; this proves nothing", err, out)
					}
					return
				}
				if err == nil || !strings.Contains(string(out), ErrPolicy.Error()) {
					t.Errorf("got %v: %s, want a refusal", err, out)
				}
				for _, name := range []string{"home/private", "work/sub", "work/sub.old"} {
					if _, err := os.Lstat(filepath.Join(base, name, "PWNED")); err == nil {
						t.Errorf("the script ran in %s", name)
					}
				}
			})
		}
	}
}

// TestReplacedForShell checks that scripts do not work in a folder to which a link has led
// only while the shell changed to it, but do where a program starts this one.
func TestReplacedForShell(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, command string
		refused       bool
	}{
		{"shell", `cd "$1" && PWD=$2 "$3"; exit $?`, true},
		{"shell in a folder below", `cd "$1" && PWD=${1%/*} "$3"; exit $?`, false},
		{"another program", `cd "$2" && PWD=$2 env -C "$1" "$3"; exit $?`, false},
	} {
		base := realFolder(t)
		at := func(name string) string { return filepath.Join(base, name) }
		filetest.Write(t, base, map[string]string{"home/private/x": "", "work/sub/x": "", "skill/a.sh": "echo ran >ran\n"})
		c := exec.Command("sh", "-c", row.command, "sh", at("home/private"), at("work/sub"), program)
		c.Env = append(os.Environ(), "SCRIPT_TEST_REPLACE="+at("home/private"), "SCRIPT_TEST_SANDBOX=auto", "SCRIPT_TEST_NAME="+at("skill"), "HOME="+at("home"))
		out, err := c.CombinedOutput()
		_, failed := os.Lstat(at("home/private/ran"))
		if (err != nil) != row.refused || (failed != nil) != row.refused {
			t.Errorf("%s: got %v: %s, want refused: %t", row.name, err, out, row.refused)
		}
	}
}

func realFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGrantedLink checks that a link that a script may have made in an earlier run grants
// nothing outside of its folder, and that other links do.
func TestGrantedLink(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, link, target string
		refused            bool
	}{
		{"out of a project", "work/link", "home/private", true},
		{"through another one", "work/link", "work/second", true},
		{"within a project", "work/link", "work/inside", false},
		{"in the home folder", "home/link", "work/inside", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			base := realFolder(t)
			at := func(name string) string { return filepath.Join(base, name) }
			filetest.Write(t, base, map[string]string{"home/private/x": "", "work/inside/x": "", "skill/a.sh": "ls >/dev/null\n"})
			if err := errors.Join(os.Symlink(at("home/private"), at("work/second")), os.Symlink(at(row.target), at(row.link))); err != nil {
				t.Fatal(err)
			}
			for what, change := range map[string]func(*Runner){
				"working folder": func(r *Runner) { r.Dir = at(row.link) },
				"readable":       func(r *Runner) { r.AllowRead = []string{at(row.link)} },
				"writable":       func(r *Runner) { r.AllowWrite = []string{at(row.link)} },
			} {
				r := &Runner{Dir: realFolder(t), Self: self, Env: append(os.Environ(), "HOME="+at("home"))}
				change(r)
				_, err := r.TrySandbox(t.Context())
				_, failed := r.resolveGranted()
				link, ok := errors.AsType[*sandbox.LinkError](failed)
				if refused := errors.Is(err, ErrPolicy); refused != row.refused || ok != row.refused {
					t.Errorf("%s: got %v, want refused: %t", what, err, row.refused)
				}
				if ok && (!strings.HasPrefix(link.Link, at("work")) || link.Real != at("home/private")) {
					t.Errorf("%s: got %+v", what, link)
				}
				r.Close()
			}
			r := &Runner{Dir: at("work"), Env: append(os.Environ(), "HOME="+at("home"))}
			if err := r.AllowReading(at(row.link)); (err != nil) != row.refused {
				t.Errorf("a file that the prompt shows: got %v, want refused: %t", err, row.refused)
			}
		})
	}
}

// TestReplacedSkill replaces the folder of a skill by a link to private files after the
// script in it has been checked, until the policy is decided.
func TestReplacedSkill(t *testing.T) {
	t.Parallel()
	base := realFolder(t)
	at := func(name string) string { return filepath.Join(base, name) }
	filetest.Write(t, base, map[string]string{"home/private/canary": "secret\n"})
	onEachKind(t, func(r *Runner) {
		r.Dir = filepath.Join(realFolder(t), "work")
		filetest.Write(t, r.Dir, map[string]string{"b/a.sh": "cat " + at("home/private/canary") + "; echo done\n"})
		r.Env = append(r.Env, "HOME="+at("home"))
	}, func(t *testing.T, kind string, r *Runner) {
		dir := filepath.Join(r.Dir, "b")
		folder, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, expected := range []fs.FileInfo{folder, nil} {
			s := Script{Name: "a.sh", Dir: dir, Folder: expected}
			command, err := r.Command(s, nil)
			if err == nil {
				_, err = r.TrySandbox(t.Context())
			}
			err = errors.Join(err, os.Rename(dir, dir+".old"), os.Symlink(at("home/private"), dir))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := TakeSnapshot(t.Context(), s); errors.Is(err, ErrChanged) != (expected != nil) {
				t.Errorf("the files of another folder are compared: %v", err)
			}
			back := sync.OnceValue(func() error { return errors.Join(os.Remove(dir), os.Rename(dir+".old", dir)) })
			r.beforeStart = func(sandbox.Policy) { back() }
			result, err := r.runSandboxed(t.Context(), s, command, nil)
			if err := back(); err != nil {
				t.Fatal(err)
			}
			reached := strings.Contains(result.Stdout, "secret")
			switch {
			case expected == nil || kind == off: // shows that the check is the reason
				if !reached {
					t.Errorf("without the check: %+v, %v; this proves nothing", result, err)
				}
			case reached || !errors.Is(err, ErrPolicy):
				t.Errorf("got %+v, %v, want a refusal", result, err)
			}
		}
	})
}

// TestWeakerSandbox checks that a script that replaces what the policy protects, or keeps
// the test of a sandbox from ending, does not make the next one run in a weaker sandbox.
func TestWeakerSandbox(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{kindBubblewrap, kindLandlock} {
		if err := unsupported(t, kind); err != nil {
			t.Skipf("%s does not work here: %v", kind, err)
		}
	}
	start := func(t *testing.T, bin string) (*Runner, Script) {
		r := &Runner{Dir: realFolder(t), Self: self, Env: append(os.Environ(), "PATH="+bin+":/usr/bin:/bin")}
		t.Cleanup(func() { r.Close() })
		filetest.Write(t, r.Dir, map[string]string{".claude/x": "x\n", "other/x": ""})
		return r, skill(t, "a.sh", "echo PWNED >.claude/x; echo done\n")
	}
	t.Run("replaced", func(t *testing.T) {
		swap := filepath.Join(t.TempDir(), "swap")
		r, s := start(t, swappingBwrap(t, swap, true))
		text := fmt.Sprintf("mv %[1]s/.claude %[1]s/.old && mv %[1]s/other %[1]s/.claude\n", r.Dir)
		if err := os.WriteFile(swap, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, err := r.TrySandbox(t.Context())
		if err == nil && status.Name != kindBubblewrap {
			t.Fatalf("got %+v, want %s or a refusal", status, kindBubblewrap)
		}
		if _, err := os.Lstat(filepath.Join(r.Dir, ".old")); err != nil {
			t.Fatal("nothing was replaced")
		}
		if result := run(t, r, s); result.Stdout != "done\n" || filetest.Read(t, filepath.Join(r.Dir, ".claude/x")) != "" {
			t.Errorf("got %+v, want that the read-only name is protected", result)
		}
		// What is found by bubblewrap's supervisor, and inside of bubblewrap.
		swaps := map[string]func(){
			"before": func() { r.beforeStart = func(sandbox.Policy) { exec.Command("sh", "-c", text).Run() } },
			"inside": func() { os.WriteFile(swap, []byte(text), 0o600) },
		}
		for name, prepare := range swaps {
			if err := errors.Join(os.RemoveAll(filepath.Join(r.Dir, ".old")), os.MkdirAll(filepath.Join(r.Dir, "other"), 0o700)); err != nil {
				t.Fatal(err)
			}
			prepare()
			result, err := r.Run(t.Context(), s, nil)
			if _, ok := errors.AsType[sandbox.ReplacedError](err); !ok {
				t.Errorf("%s: got %+v, %v, want that something was replaced", name, result, err)
			}
			r.beforeStart = nil
		}
	})
	t.Run("time", func(t *testing.T) {
		r, _ := start(t, filetest.Programs(t, t.TempDir(), map[string]string{"bwrap": "#!/bin/sh\nif [ \"$1\" != --help ]; then exec sleep 1000; fi\n"}))
		r.active.probeTime = time.Second
		if status, err := r.TrySandbox(t.Context()); !errors.Is(err, ErrPolicy) || !errors.Is(r.active.err, ErrPolicy) {
			t.Errorf("got %+v, %v, want a refusal", status, err)
		}
	})
}
