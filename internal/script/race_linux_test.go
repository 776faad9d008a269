package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

// The places between the decision on a policy and the start of a script where another
// script could change what paths lead to.
const (
	afterPolicy  = "after the policy"
	beforeMounts = "before bubblewrap mounts descriptors"
	beforePaths  = "before bubblewrap mounts paths" // one without --bind-fd
)

// reachCanary is a script that reads and changes what is at each of its arguments, or a
// file in it.
const reachCanary = `for p in "$@"; do
	for f in "$p" "$p/canary" "$p/hooks/canary"; do cat "$f"; (echo PWNED >>"$f"); done 2>/dev/null
	(echo PWNED >"$p/PWNED"; echo PWNED >"$p/hooks/PWNED"; mkdir -p "$p/PWNED.d") 2>/dev/null
done
echo done
`

// replaced are the sources of mounts that are swapped for links.
type replaced struct {
	name, path string // path is below the test's folder
	file       bool
	landlock   bool // a folder that is granted, not a part of one
	inner      bool // in a folder that scripts can write to
	kept       bool // a link that is only recreated: the script runs
}

func replacements() []replaced {
	return []replaced{
		{name: "working folder", path: "work", landlock: true},
		{name: "writable folder", path: "out", landlock: true},
		{name: "writable folder in the working folder", path: "work/out", landlock: true, inner: true},
		{name: "skill", path: "skills/a", landlock: true},
		{name: "folder with the skill", path: "skills", landlock: true},
		{name: "skill in the working folder", path: "work/own/b", inner: true},
		{name: "pinned parent", path: "work/own", inner: true},
		{name: "pinned parent of a hidden file", path: "work/logs", inner: true},
		{name: "read-only name", path: "work/.claude", inner: true},
		{name: "read-only file", path: "work/.skills.yaml", inner: true, file: true},
		{name: "hidden file", path: "work/.env", inner: true, file: true},
		{name: "hidden folder", path: "work/logs/sessions", inner: true},
		{name: "toolchain", path: "home/.pyenv", landlock: true},
		{name: "what --allow-read names", path: "data", landlock: true},
		{name: "file that --allow-read names", path: "file", landlock: true, file: true},
		{name: "temporary folder", path: "", landlock: true},
		{name: "link", path: "link", kept: true},
	}
}

// TestReplacedSources replaces each kind of a mount's source by a link to private files,
// between the policy and the start. The script is refused, or does not reach them. With
// bubblewrap, each is replaced once while descriptors are mounted and once while paths
// are.
func TestReplacedSources(t *testing.T) {
	t.Parallel()
	name := func(r replaced) string { return r.name }
	for _, row := range few(replacements(), name, "working folder", "pinned parent", "read-only name", "hidden file") {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			// What is not below a writable folder has been opened before bubblewrap starts.
			descriptors := afterPolicy
			if row.inner {
				descriptors = beforeMounts
			}
			test := func(place, kind string) {
				t.Run(place+"/"+kind, func(t *testing.T) { replaceSource(t, row, place, kind) })
			}
			test(afterPolicy, off)
			if row.landlock { // it does not protect parts of a granted folder
				test(afterPolicy, kindLandlock)
			}
			test(descriptors, kindBubblewrap)
			test(beforePaths, kindBubblewrap)
		})
	}
}

// replaceSource runs a script whose source is replaced at a place.
func replaceSource(t *testing.T, row replaced, place, kind string) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, name) }
	filetest.Write(t, base, map[string]string{
		"home/private/canary": "secret\n", "home/private/hooks/canary": "secret\n", "home/.pyenv/bin/x": "", "work/own/b/SKILL.md": "", "work/own/b/a.sh": reachCanary,
		"work/out/x": "", "work/.claude/x": "", "work/.skills.yaml": "x: 1\n", "work/.env": "KEY=1\n", "work/logs/sessions/x": "", "out/x": "", "data/x": "", "file": "x",
		"skills/a/SKILL.md": "", "skills/a/a.sh": reachCanary,
	})
	if err := os.Symlink("work", at("link")); err != nil {
		t.Fatal(err)
	}
	bin := ""
	swap := filepath.Join(base, "swap")
	if place != afterPolicy {
		bin = swappingBwrap(t, swap, place == beforeMounts)
	}
	r := sandboxedRunnerWith(t, kind, bin, func(r *Runner) {
		r.Dir = at("work")
		if row.kept {
			r.Dir = at("link")
		}
		r.Env = append(r.Env, "HOME="+at("home"), "PATH="+at("home/.pyenv/bin")+":/usr/bin:/bin")
		r.AllowWrite = []string{at("out"), at("work/out")}
		r.AllowRead = []string{at("data"), at("file")}
		r.Protect = []string{at("work/own/b")}
		r.Private = []string{at("work/logs/sessions")}
	})
	path, target := at(row.path), at("home/private")
	if row.file {
		target = at("home/private/canary")
	}
	if row.path == "" {
		path = r.Temp()
		if path == "" {
			t.Skip("no temporary folder without a sandbox")
		}
	}
	if place == afterPolicy {
		r.beforeStart = func(sandbox.Policy) {
			if err := errors.Join(os.Rename(path, path+".old"), os.Symlink(target, path)); err != nil {
				t.Error(err)
			}
		}
	} else if err := os.WriteFile(swap, fmt.Appendf(nil, "mv %s %s.old && ln -s %s %s\n", path, path, target, path), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Script{Skill: "a", Name: "a.sh", Dir: at("skills/a")}
	if strings.HasPrefix(row.path, "work/own") {
		s.Dir = at("work/own/b")
	}
	result, err := r.Run(t.Context(), s, []string{path, target, at("work")})
	if _, failed := os.Lstat(path + ".old"); failed != nil {
		t.Fatalf("nothing was replaced: %+v, %v", result, err)
	}
	if kind == off {
		if !reached(t, at("home/private")) && !strings.Contains(result.Stdout, "secret") && !strings.Contains(row.path, "skills") && !strings.HasPrefix(row.path, "work/own") {
			t.Errorf("without a sandbox: %+v, %v: the private files were not reached, so this proves nothing", result, err)
		}
		return
	}
	if reached(t, at("home/private")) || strings.Contains(result.Stdout, "secret") {
		t.Errorf("the private files were reached: %+v, %v", result, err)
	}
	refused := !row.kept && (place == afterPolicy || row.inner)
	switch {
	case refused && (err == nil || !strings.Contains(err.Error(), "was replaced while the script was starting")):
		t.Errorf("got %+v, %v, want a refusal that says what was replaced", result, err)
	case err == nil && result.Stdout == "":
		t.Errorf("got %+v, want that the script ran or was refused", result)
	case row.kept && err != nil:
		t.Errorf("got %v, want that the script ran", err)
	}
}

// swappingBwrap is a folder with a bwrap that runs a file first, if it exists; one that
// does not mount descriptors refuses the option.
func swappingBwrap(t *testing.T, file string, descriptors bool) string {
	t.Helper()
	program, why := findBwrap()
	if program == "" {
		t.Skip("bubblewrap does not work here: " + why)
	}
	refuse := ""
	if !descriptors {
		refuse = "case \" $* \" in *\" --ro-bind-fd \"*) echo 'bwrap: Unknown option --ro-bind-fd' >&2; exit 1;; esac\n"
	}
	return filetest.Programs(t, t.TempDir(), map[string]string{
		"bwrap": "#!/bin/sh\n" + refuse + "if [ -e " + file + " ]; then . " + file + "; rm " + file + "; fi\nexec " + program + " \"$@\"\n",
	})
}

// reached reports whether something in a folder with a canary was changed.
func reached(t *testing.T, dir string) bool {
	t.Helper()
	changed := false
	for _, name := range []string{"canary", "hooks/canary"} {
		changed = changed || filetest.Read(t, filepath.Join(dir, name)) != "secret\n"
	}
	entries, err := os.ReadDir(dir)
	hooks, failed := os.ReadDir(filepath.Join(dir, "hooks"))
	err = errors.Join(err, failed)
	if err != nil {
		t.Fatal(err)
	}
	return changed || len(entries) != 2 || len(hooks) != 1
}

// starts is how often the stress tests start a script: few by default, and as many as
// SCRIPT_TEST_STARTS says.
func starts(t *testing.T, few int) int {
	t.Helper()
	if text := os.Getenv("SCRIPT_TEST_STARTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return few
}
