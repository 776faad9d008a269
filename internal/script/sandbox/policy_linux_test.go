package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world is a home folder with a working folder, a skill and a temporary folder
// in it, and the configuration for them.
func world(t *testing.T) (c Config, home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c = Config{
		Dir: filepath.Join(home, "work"), Skill: filepath.Join(home, "skill"), Temp: filepath.Join(home, "temp"),
		Homes: []string{home}, Env: []string{"PATH=/usr/bin:/bin"},
	}
	for _, dir := range []string{c.Dir, c.Skill, c.Temp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return c, home
}

func write(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func policy(t *testing.T, c Config) Policy {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEnvFiles names files that scripts may not read, and examples of them.
func TestEnvFiles(t *testing.T) {
	for name, want := range map[string]bool{
		".env": true, ".ENV": true, ".env.local": true, "prod.env": true, ".flaskenv": true, ".dev.vars": true, ".dev.vars.prod": true, ".env-test": true,
		".env.example": false, "sample.env": false, ".env.dist": false, "environment": false, "env": false, ".envrc": true, "vars": false, "a.env.py": false,
	} {
		if got := IsEnvFile(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestLinksAreNotFollowed checks that a link with a protected name neither grants nor
// hides its target, except for an ordinary file of the working folder or the skill.
func TestLinksAreNotFollowed(t *testing.T) {
	c, home := world(t)
	values := filepath.Join(c.Dir, "config/values")
	write(t, filepath.Join(c.Dir, ".env"), values)
	link(t, "config/values", filepath.Join(c.Dir, ".env.linked"))
	link(t, "/bin/sh", filepath.Join(c.Dir, ".env.sh"))
	want := policy(t, c)
	if !slices.Contains(want.Hidden, values) || slices.ContainsFunc(want.Hidden, func(path string) bool { return Within(path, "/usr") }) {
		t.Errorf("Hidden = %q, want %s and nothing of the system", want.Hidden, values)
	}
	for i, target := range []string{"/", "/usr", ".", "/proc/self/root", home, c.Temp} {
		link(t, target, filepath.Join(c.Dir, fmt.Sprintf(".env.%d", i)))
		link(t, target, filepath.Join(c.Skill, fmt.Sprintf(".env.%d", i)))
		c.Private = append(c.Private, filepath.Join(c.Dir, fmt.Sprintf(".env.%d", i)))
	}
	got := policy(t, c)
	for what, lists := range map[string][2][]string{
		"Read": {got.Read, want.Read}, "Write": {got.Write, want.Write}, "ReadOnly": {got.ReadOnly, want.ReadOnly}, "Hidden": {got.Hidden, want.Hidden},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: got %q, want %q", what, lists[0], lists[1])
		}
	}
	if !slices.Contains(got.Hidden, filepath.Join(c.Dir, ".env")) {
		t.Errorf("Hidden = %q, want the .env file", got.Hidden)
	}
	// A protected name that is a link is reported, and its target is not changed.
	link(t, "/usr", filepath.Join(c.Dir, ".git"))
	got = policy(t, c)
	if !slices.Equal(got.Unprotected, []string{filepath.Join(c.Dir, ".git")}) || !slices.Equal(got.ReadOnly, want.ReadOnly) {
		t.Errorf("Unprotected = %q, ReadOnly = %q, want the link to be reported", got.Unprotected, got.ReadOnly)
	}
}

// TestTooManyToProtect checks that a script is refused if there are too many files to
// protect.
func TestTooManyToProtect(t *testing.T) {
	for what, plant := range map[string]func(dir string, i int) []string{
		".env files":   func(dir string, i int) []string { return []string{filepath.Join(dir, fmt.Sprintf(".env.%d", i))} },
		"repositories": func(dir string, i int) []string { return bareRepository(filepath.Join(dir, fmt.Sprint(i))) },
	} {
		c, _ := world(t)
		for i := range 256 {
			write(t, plant(c.Dir, i)...)
		}
		policy(t, c)
		write(t, plant(c.Dir, 256)...)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), "more than 256 "+what) {
			t.Errorf("257 %s: got %v, want an error", what, err)
		}
	}
}

// bareRepository are the files of a bare repository.
func bareRepository(dir string) []string {
	return []string{filepath.Join(dir, "HEAD"), filepath.Join(dir, "objects/x"), filepath.Join(dir, "refs/x"), filepath.Join(dir, "hooks/x"), filepath.Join(dir, "config")}
}

// TestRepositoriesAreReadOnly checks that files that git runs later cannot be changed,
// unless the user allows it.
func TestRepositoriesAreReadOnly(t *testing.T) {
	c, _ := world(t)
	hooks := filepath.Join(c.Dir, ".hooks") // core.hooksPath
	write(t, append(bareRepository(filepath.Join(c.Dir, "bare")), filepath.Join(c.Dir, ".git/config"), filepath.Join(hooks, "pre-commit"))...)
	c.Protect = []string{hooks}
	got := policy(t, c)
	want := []string{filepath.Join(c.Dir, ".git"), hooks, filepath.Join(c.Dir, "bare")}
	if !slices.Equal(got.ReadOnly, want) {
		t.Errorf("ReadOnly = %q, want %q", got.ReadOnly, want)
	}
	c.AllowWrite = []string{filepath.Join(c.Dir, ".git")}
	got = policy(t, c)
	if !slices.Equal(got.ReadOnly, want[1:]) || !slices.Contains(got.Write, want[0]) {
		t.Errorf("ReadOnly = %q, Write = %q, want .git to be writable", got.ReadOnly, got.Write)
	}
}

// TestVisible checks which parts of the home folder a script sees, and that key material
// of the system is hidden.
func TestVisible(t *testing.T) {
	c, home := world(t)
	write(t, filepath.Join(home, "secret"), filepath.Join(home, ".pyenv/shims/python3"), filepath.Join(home, ".nvm/x"), filepath.Join(home, "data/x"))
	c.Programs = []string{filepath.Join(home, ".pyenv/shims/python3")}
	c.AllowRead = []string{filepath.Join(home, "data")}
	p := policy(t, c)
	paths := map[string]bool{
		filepath.Join(home, "secret"): false, filepath.Join(home, ".nvm/x"): false, home: false, filepath.Join(home, "none"): false,
		filepath.Join(home, ".pyenv/shims/python3"): true, filepath.Join(home, "data/x"): true, c.Dir: true, c.Skill: true, c.Temp: true, "/usr/bin": true,
	}
	for _, path := range []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh", "/etc/ssl/private"} {
		if _, err := os.Stat(path); err == nil {
			paths[path] = false
		}
	}
	launch, err := NewLaunch(p, true)
	if err != nil {
		t.Fatal(err)
	}
	launch.Close()
	for path, want := range paths {
		if info, err := os.Stat(path); strings.HasPrefix(path, "/etc/") && err == nil && info.Mode()&0o004 != 0 {
			continue // for everyone on this machine
		}
		if got := p.Sees(path); got != want {
			t.Errorf("%s: visible %t, want %t", path, got, want)
		}
		if hidden := slices.Contains(p.Hidden, path); !want && strings.HasPrefix(path, "/etc/") && (!hidden || !slices.Contains(launch.Plan.Inner, Inner{path, mountHidden})) {
			t.Errorf("%s is not covered", path)
		}
	}
}

func TestTooWide(t *testing.T) {
	c, home := world(t)
	write(t, filepath.Join(home, ".config/app/x"))
	for _, dir := range []string{"/", home, filepath.Dir(home), filepath.Join(home, ".config"), "/usr", "/etc", "/root", "/usr/local", "/usr/local/bin", "/var/lib", "/var/spool", "/var"} {
		if _, err := CheckWrite("it", dir, c.Homes); !errors.Is(err, ErrTooWide) {
			t.Errorf("CheckWrite(%s) = %v, want ErrTooWide", dir, err)
		}
		c.AllowWrite = []string{dir}
		if _, err := New(c); !errors.Is(err, ErrTooWide) {
			t.Errorf("--allow-write %s: %v, want ErrTooWide", dir, err)
		}
	}
}

// TestSkillHidden checks that a skill can be a hidden folder of the home folder, whose
// files its scripts only read, and not the home folder itself.
func TestSkillHidden(t *testing.T) {
	c, home := world(t)
	write(t, filepath.Join(home, ".dotfiles-skill/SKILL.md"))
	c.Skill = filepath.Join(home, ".dotfiles-skill")
	c.Script = ""
	p, err := New(c)
	if err != nil || !p.Sees(filepath.Join(c.Skill, "SKILL.md")) || p.writable(c.Skill) {
		t.Errorf("got %+v, %v, want a readable skill", p, err)
	}
	c.Skill = home
	if _, err := New(c); !errors.Is(err, ErrTooWide) {
		t.Errorf("in the home folder: %v, want ErrTooWide", err)
	}
}

// TestAllHomes checks that the home folder of each person is found, not only that of the
// user who runs the program.
func TestAllHomes(t *testing.T) {
	if _, err := os.Stat("/etc/passwd"); err != nil {
		t.Skip(err)
	}
	if got := allHomes(); !slices.Contains(got, "/root") {
		t.Errorf("got %q, want the superuser's among them", got)
	}
}

// TestFindBubblewrap checks that bwrap is found only in absolute entries of PATH,
// outside of folders that scripts or other users can write to.
func TestFindBubblewrap(t *testing.T) {
	c, home := world(t)
	good, outside := filepath.Join(home, "bin"), filepath.Join(home, "links")
	planted := filepath.Join(c.Dir, "bin")
	write(t, filepath.Join(good, "bwrap"), filepath.Join(planted, "bwrap"), filepath.Join(c.Skill, "bwrap"), filepath.Join(outside, "x"))
	link(t, filepath.Join(planted, "bwrap"), filepath.Join(outside, "bwrap"))
	link(t, good, filepath.Join(c.Dir, "good"))
	t.Chdir(good)
	untrusted := []string{c.Dir, c.Skill}
	for _, test := range []struct {
		search []string
		reason string // "" if the good one is found
	}{
		{[]string{good}, ""},
		{[]string{planted, c.Skill, outside, good}, ""},
		{[]string{planted}, "is ignored"},
		{[]string{c.Skill}, "is ignored"},
		{[]string{outside}, "is ignored"},                      // leads into the working folder
		{[]string{filepath.Join(c.Dir, "good")}, "is ignored"}, // leads out of it
		{[]string{".", ""}, "not on PATH"},
	} {
		found, err := FindTrusted("bwrap", test.search, untrusted)
		switch {
		case test.reason == "" && (err != nil || found != filepath.Join(good, "bwrap")):
			t.Errorf("%q: got %q, %v, want the one in %s", test.search, found, err, good)
		case test.reason != "" && (err == nil || !strings.Contains(err.Error(), test.reason)):
			t.Errorf("%q: got %q, %v, want that it %s", test.search, found, err, test.reason)
		}
	}
}
