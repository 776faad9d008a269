package script

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

// need skips a test if a program is not installed.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

// TestWork runs ordinary programs unchanged in every sandbox.
func TestWork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, program, file, content, want, kind string }{
		{"python", "python3", "a.py", "import json, ssl, sqlite3, tempfile\nwith tempfile.TemporaryDirectory() as d:\n" +
			"    sqlite3.connect(d + '/x').execute('create table t (x)')\nssl.create_default_context()\nprint(json.dumps([1]))\n", "[1]\n", ""},
		{"multiprocessing", "python3", "a.py", "import multiprocessing\nif __name__ == '__main__':\n    with multiprocessing.Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))\n", "[1, 2]\n", kindBubblewrap},
		{"bash", "bash", "a.sh", "cat <(echo a) <<<b | sort\nmktemp >/dev/null && echo \"${BASH_VERSION:+c}\" >out && cat out\n", "a\nc\n", ""},
		{"node", "node", "a.js", "const fs = require('fs'), os = require('os');\nfs.writeFileSync('out', 'x');\nfs.mkdtempSync(os.tmpdir() + '/a');\nconsole.log(fs.readFileSync('out', 'utf8'))\n", "x\n", ""},
		{"git", "git", "a.sh", "git status --porcelain && git log --format=%s && git show HEAD:file\n", "?? other\nfirst\nx\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			need(t, test.program)
			kinds := []string{kindLandlock, kindBubblewrap}
			if test.kind != "" {
				kinds = []string{test.kind}
			}
			onEachKind(t, func(r *Runner) {
				r.Env = append(r.Env, "PATH="+os.Getenv("PATH"))
				if test.name == "git" {
					filetest.Write(t, r.Dir, map[string]string{"file": "x\n", "other": "x\n"})
					for _, words := range []string{"init -q", "add file", "-c user.name=a -c user.email=a@example.com commit -q -m first"} {
						c := exec.Command("git", append([]string{"-C", r.Dir}, strings.Fields(words)...)...)
						c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
						if out, err := c.CombinedOutput(); err != nil {
							t.Fatalf("git %s: %v: %s", words, err, out)
						}
					}
				}
			}, func(t *testing.T, _ string, r *Runner) {
				if result := run(t, r, skill(t, test.file, test.content)); result.Stdout != test.want || !result.OK() {
					t.Errorf("got %+v, want %q", result, test.want)
				}
			}, kinds...)
		})
	}
}

// TestWorkGo checks that a Go script is compiled with a build cache of its own, which
// is kept.
func TestWorkGo(t *testing.T) {
	t.Parallel()
	need(t, "go")
	cache, s := t.TempDir(), skill(t, "a.go", "package main\n\nfunc main() { println(\"compiled\") }\n")
	onEachKind(t, func(r *Runner) {
		r.Env = append(r.Env, "PATH="+os.Getenv("PATH"))
		r.Cache, r.Timeout = cache, 5*time.Minute
	}, func(t *testing.T, _ string, r *Runner) {
		for range 2 {
			if result := run(t, r, s); result.Stderr != "compiled\n" || !result.OK() {
				t.Fatalf("got %+v", result)
			}
		}
	}, kindLandlock, kindBubblewrap)
	if found, _ := filepath.Glob(filepath.Join(cache, "*", "*", "go-build", "*")); len(found) == 0 {
		t.Error("the build cache is not kept")
	}
}

// TestWorkUV checks that uv gets its own cache with links to the user's, which cannot
// be changed through them.
func TestWorkUV(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	filetest.Write(t, home, map[string]string{
		".cache/uv/archive-v0/id/module.py": "package\n", ".cache/uv/wheels-v1/pypi/x": "wheel\n", ".cache/uv/.lock": "",
		".local/bin/uv": "#!/bin/sh\ncd \"$UV_CACHE_DIR\" && cat archive-v0/id/module.py wheels-v1/pypi/x\n" +
			"for f in archive-v0/id/module.py archive-v0/id/new wheels-v1/pypi/x; do (echo changed >$f) 2>/dev/null && echo \"$f changed\"; done\n" +
			"rm -f wheels-v1/pypi/x && mkdir wheels-v1/new && echo added >wheels-v1/pypi/y && cat wheels-v1/pypi/y; [ ! -e .lock ] && echo \"$UV_OFFLINE $*\"\n",
	})
	if err := os.Chmod(filepath.Join(home, ".local/bin/uv"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := skill(t, "a.py", "# /// script\n# dependencies = []\n# ///\n")
	want := "package\nwheel\nadded\n1 run --script " + filepath.Join(s.Dir, "a.py") + "\n"
	onEachKind(t, func(r *Runner) {
		r.Env = append(r.Env, "HOME="+home, "UV_CACHE_DIR=", "PATH="+filepath.Join(home, ".local/bin")+":/usr/bin:/bin")
		r.Cache = t.TempDir()
	}, func(t *testing.T, _ string, r *Runner) {
		if result := run(t, r, s); result.Stdout != want || !result.OK() {
			t.Errorf("got %+v, want %q", result, want)
		}
		for name, want := range map[string]string{"archive-v0/id/module.py": "package\n", "wheels-v1/pypi/x": "wheel\n"} {
			if got, err := os.ReadFile(filepath.Join(home, ".cache/uv", name)); string(got) != want {
				t.Errorf("%s in the user's cache: %q, %v, want %q", name, got, err, want)
			}
		}
	}, kindLandlock, kindBubblewrap)
}

// TestTemporaryFolder checks that a temporary folder that is relative, or that scripts
// can write to, is not used.
func TestTemporaryFolder(t *testing.T) {
	t.Parallel()
	onEachKind(t, func(r *Runner) { r.Env = append(r.Env, "TMPDIR=.") }, func(t *testing.T, kind string, r *Runner) {
		result := run(t, r, skill(t, "a.sh", "echo \"$TMPDIR\"; mkdir -p \"$TMPDIR/a/b\" && ln -s / \"$TMPDIR/a/b/link\" && chmod 0 \"$TMPDIR/a/b\" \"$TMPDIR/a\"\n"))
		temp := strings.TrimSpace(result.Stdout)
		if !result.OK() || !filepath.IsAbs(temp) || strings.HasPrefix(temp, r.Dir) {
			t.Fatalf("got %+v, want a temporary folder of its own", result)
		}
		r.Close()
		if _, err := os.Lstat(filepath.Dir(temp)); !os.IsNotExist(err) {
			t.Errorf("what a script has taken its own rights to is left behind: %v", err)
		}
	}, kindLandlock, kindBubblewrap)
}

// TestTemporaryFolderStale checks that a run removes what a killed run has left behind,
// but nothing that another run is using, and no folder of the user with such a name.
func TestTemporaryFolderStale(t *testing.T) {
	parent := t.TempDir()
	alive, err := workFolders{&Runner{state: state{active: activeSandbox{config: sandbox.Config{Dir: "/none"}}}}}.createIn(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Remove()
	killed, err := workFolders{&Runner{state: state{active: activeSandbox{config: sandbox.Config{Dir: "/none"}}}}}.createIn(parent)
	if err != nil {
		t.Fatal(err)
	}
	killed.lock.Close() // as the system does
	young, old := filepath.Join(parent, workPrefix+"1"), filepath.Join(parent, workPrefix+"2")
	for _, dir := range []string{young, old} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	other, named := filepath.Join(parent, workPrefix+"3"), filepath.Join(parent, workPrefix+"notes")
	for _, file := range []string{filepath.Join(other, "text"), filepath.Join(named, "lock")} {
		if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, dir := range []string{old, other, named} {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	RemoveStale(parent, workPrefix)
	for dir, want := range map[string]bool{alive.Dir: true, killed.Dir: false, young: true, old: false, other: true, named: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", dir, err == nil, want)
		}
	}
}

// TestTemporaryFolderNew checks that a folder that is just being created, whose lock may be
// free for a moment, is not removed as one of a killed process.
func TestTemporaryFolderNew(t *testing.T) {
	t.Parallel()
	parent, created := t.TempDir(), make(chan struct{})
	var removers sync.WaitGroup
	for range 2 {
		removers.Go(func() {
			for {
				select {
				case <-created:
					return
				default:
					RemoveStale(parent, workPrefix)
				}
			}
		})
	}
	defer removers.Wait()
	defer close(created)
	for range 100 {
		folder, err := NewTempFolder(parent, workPrefix)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			runtime.Gosched()
			if _, err := os.Stat(filepath.Join(folder.Dir, "lock")); err != nil {
				t.Fatal(err)
			}
		}
		folder.Remove()
	}
}
