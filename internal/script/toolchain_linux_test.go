package script

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/testing/filetest"
)

// TestToolchain checks that an interpreter in the user's toolchain folder is visible
// with its files, also through a shim, and the rest of the home folder is not.
func TestToolchain(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, program, link, marker string }{
		{"pyenv shim", ".pyenv/shims/tool", "", ".pyenv/versions/3/lib/marker"},
		{"nvm", ".nvm/versions/node/v1/bin/tool", "", ".nvm/versions/node/v1/lib/marker"},
		{"conda", "miniconda3/bin/tool", "", "miniconda3/lib/marker"},
		{"uv's Python by a link", ".local/share/uv/python/bin/tool", ".local/bin/tool", ".local/share/uv/python/lib/marker"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			onEachKind(t, func(r *Runner) {
				filetest.Write(t, home, map[string]string{test.marker: "here\n", "marker": "secret\n", "Documents/marker": "secret\n", test.program: "#!" + bash + "\nexec " + bash + " \"$@\"\n"})
				program := filepath.Join(home, test.program)
				if err := os.Chmod(program, 0o755); err != nil {
					t.Fatal(err)
				}
				if test.link != "" {
					link := filepath.Join(home, test.link)
					os.MkdirAll(filepath.Dir(link), 0o755)
					if err := os.Symlink(program, link); err != nil && !os.IsExist(err) {
						t.Fatal(err)
					}
					program = link
				}
				r.Env = append(r.Env, "HOME="+home, "PATH="+filepath.Dir(program)+":/usr/bin:/bin")
			}, func(t *testing.T, kind string, r *Runner) {
				s := skill(t, "a", "#!/usr/bin/env tool\ncat ~/"+test.marker+"; cat ~/marker ~/Documents/marker 2>/dev/null || echo kept\n")
				if result := run(t, r, s); result.Stdout != "here\nkept\n" {
					t.Errorf("got %+v, want the toolchain and nothing else of the home folder", result)
				}
			}, kindLandlock, kindBubblewrap)
		})
	}
}

// TestInterpreterOutside checks that a script cannot read a file by naming it as its
// interpreter, unless the user allows to read it or it is on PATH.
func TestInterpreterOutside(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	private := filepath.Join(home, "private/creds.txt")
	filetest.Write(t, home, map[string]string{"private/creds.txt": "#!/bin/sh\necho secret\n"})
	if err := os.Chmod(private, 0o755); err != nil {
		t.Fatal(err)
	}
	s := skill(t, "a", "#!"+private+"\n")
	linked := skill(t, "b", "")
	link := filepath.Join(linked.Dir, "creds")
	if err := errors.Join(os.Symlink(private, link), os.WriteFile(filepath.Join(linked.Dir, "b"), []byte("#!"+link+"\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	environ := func(r *Runner) { r.Env = append(r.Env, "HOME="+home) }
	onEachKind(t, environ, func(t *testing.T, kind string, r *Runner) {
		_, named := r.Run(t.Context(), s, nil)
		_, behind := r.Run(t.Context(), linked, nil)
		_, asserted := r.RunProgram(t.Context(), s.Dir, []string{private})
		for _, err := range []error{named, behind, asserted} {
			var hinted *fault.Error
			if !errors.Is(err, ErrInterpreter) || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint, "--allow-read ") {
				t.Errorf("got %v, want a hint to allow reading it", err)
			}
		}
	}, kindLandlock, kindBubblewrap)
	allowed := func(t *testing.T, kind string, r *Runner) {
		if result := run(t, r, s); result.Stdout != "secret\n" {
			t.Errorf("got %+v", result)
		}
	}
	onEachKind(t, func(r *Runner) { environ(r); r.AllowRead = []string{private} }, allowed, kindLandlock, kindBubblewrap)
	onEachKind(t, func(r *Runner) { environ(r); r.Env = append(r.Env, "PATH="+filepath.Dir(private)+":/usr/bin") }, allowed, kindLandlock, kindBubblewrap)
}

// TestInterpreterLinked checks that an interpreter behind several links is started, but
// one of a virtual environment only if scripts can read the environment.
func TestInterpreterLinked(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	bin := filepath.Join(home, "env/bin")
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.Symlink("tool1", filepath.Join(bin, "tool")), os.Symlink("/bin/sh", filepath.Join(bin, "tool1"))); err != nil {
		t.Fatal(err)
	}
	s := skill(t, "a", "#!"+bin+"/tool\necho ran\n")
	environ := func(r *Runner) { r.Env = append(r.Env, "HOME="+home) }
	starts := func(t *testing.T, kind string, r *Runner) {
		if result := run(t, r, s); result.Stdout != "ran\n" {
			t.Errorf("got %+v", result)
		}
	}
	onEachKind(t, environ, starts, kindLandlock, kindBubblewrap)
	filetest.Write(t, home, map[string]string{"env/pyvenv.cfg": ""})
	onEachKind(t, environ, func(t *testing.T, kind string, r *Runner) {
		_, err := r.Run(t.Context(), s, nil)
		var hinted *fault.Error
		if !errors.Is(err, ErrInterpreter) || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint, "--allow-read "+filepath.Dir(bin)+" ") {
			t.Errorf("got %v, want a hint to allow reading the environment", err)
		}
	}, kindLandlock, kindBubblewrap)
	onEachKind(t, func(r *Runner) { environ(r); r.AllowRead = []string{filepath.Dir(bin)} }, starts, kindLandlock, kindBubblewrap)
	onEachKind(t, func(r *Runner) { environ(r); r.Env = append(r.Env, "PATH="+bin+":/usr/bin") }, starts, kindLandlock, kindBubblewrap)
}

// TestPolicyRefused checks that a working folder that is too wide, or a folder that was
// replaced, is refused in every mode.
func TestPolicyRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := skill(t, "a.sh", "echo ran\n")
	s.Unsandboxed = true
	for dir, want := range map[string]string{home: "is a home folder", filepath.Dir(home): "contains a home folder", "/": "is the root", "/usr": "is a folder of the system", "/etc/ssl": "belongs to the system"} {
		r := &Runner{Dir: dir, Self: self, Env: append(os.Environ(), "HOME="+home)}
		_, err := r.Run(t.Context(), s, nil)
		r.Close()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("in %s: Run() = %v, want an error with %q", dir, err, want)
		}
	}
	onEachKind(t, func(r *Runner) {
		out := filepath.Join(r.Dir, "out")
		if err := os.Mkdir(out, 0o755); err != nil {
			t.Fatal(err)
		}
		r.AllowWrite = []string{out}
	}, func(t *testing.T, kind string, r *Runner) {
		run(t, r, s)
		if err := os.Rename(filepath.Join(r.Dir, "out"), filepath.Join(r.Dir, "old")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(home, filepath.Join(r.Dir, "out")); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), "was replaced during the run") {
			t.Errorf("Run() = %v, want that a granted folder was replaced", err)
		}
	}, kindLandlock, kindBubblewrap)
}

// TestSkillTooWide checks that a skill whose folder is a home folder or the root is
// refused.
func TestSkillTooWide(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	filetest.Write(t, home, map[string]string{"SKILL.md": "x", "a.sh": "cat ~/private\n", "private": "secret\n"})
	onEachKind(t, func(r *Runner) { r.Env = append(r.Env, "HOME="+home) }, func(t *testing.T, kind string, r *Runner) {
		if result, err := r.Run(t.Context(), Script{Skill: "x", Name: "a.sh", Dir: home}, nil); err == nil || !strings.Contains(err.Error(), "the skill's folder "+home+" is a home folder") {
			t.Errorf("Run() = %+v, %v, want a refusal", result, err)
		}
	}, kindLandlock, kindBubblewrap)
}

// TestOwnSkill checks that a skill that is the working folder is protected, and that
// nothing inside a skill is writable.
func TestOwnSkill(t *testing.T) {
	t.Parallel()
	const attempts = "for f in SKILL.md scripts/a.sh scripts/b.sh; do (echo x >>\"$SKILL_DIR/$f\") 2>/dev/null && echo \"changed $f\"; done\n" +
		"(echo x >result) 2>/dev/null && echo written\necho done\n"
	for where, want := range map[string]string{".": "written\ndone\n", "scripts": "done\n"} {
		var s Script
		onEachKind(t, func(r *Runner) {
			s = skill(t, "scripts/a.sh", attempts)
			filetest.Write(t, s.Dir, map[string]string{"SKILL.md": "x\n", "scripts/b.sh": "echo\n"})
			r.Dir = filepath.Join(s.Dir, where)
		}, func(t *testing.T, _ string, r *Runner) {
			if result := run(t, r, s); result.Stdout != want {
				t.Errorf("in %s: got %+v, want %q", where, result, want)
			}
		}, kindBubblewrap)
	}
}

// TestUnseen checks that a failed script's result lists the paths in it that are
// hidden.
func TestUnseen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	filetest.Write(t, home, map[string]string{"Documents/x.pdf": "x"})
	onEachKind(t, func(r *Runner) { r.Env = append(r.Env, "HOME="+home) }, func(t *testing.T, kind string, r *Runner) {
		pdf := filepath.Join(home, "Documents", "x.pdf")
		s := skill(t, "a.sh", "cat \"$1\"\n")
		result := run(t, r, s, pdf)
		if result.OK() || !strings.HasSuffix(result.Text(), "\nThe sandbox does not show: "+pdf) {
			t.Errorf("got %q, want that the sandbox does not show the file", result.Text())
		}
		if got := r.Unseen(s, nil, "convert ~/Documents/x.pdf, please"); len(got) != 1 || got[0] != pdf {
			t.Errorf("Unseen() = %q, want the file that the prompt names", got)
		}
		// A link in the working folder is shown as what it leads to.
		link := filepath.Join(r.Dir, "report.pdf")
		if err := os.Symlink(pdf, link); err != nil {
			t.Fatal(err)
		}
		if got := r.Unseen(s, []string{link}, ""); len(got) != 1 || got[0] != pdf {
			t.Errorf("Unseen() of a link = %q, want %s", got, pdf)
		}
		if err := r.AllowReading(pdf); err != nil {
			t.Fatal(err)
		}
		result = run(t, r, s, pdf)
		if result.Stdout != "x" {
			t.Errorf("got %+v, want the file to be readable", result)
		}
	}, kindLandlock, kindBubblewrap)
}

// TestScriptCache checks that the build cache of a Go script is kept for that script
// only.
func TestScriptCache(t *testing.T) {
	t.Parallel()
	r := &Runner{Shared: Shared{Cache: t.TempDir()}, Env: os.Environ()}
	one, other := skill(t, "a.go", "package main\n"), skill(t, "a.go", "package main\n")
	first, err := (cacheFolders{r}).kept(one)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := (cacheFolders{r}).kept(one); err != nil || again != first {
		t.Errorf("the same script: got %q, %v, want %q", again, err, first)
	}
	if got, err := (cacheFolders{r}).kept(other); err != nil || got == first {
		t.Errorf("another skill: got the same folder, %v", err)
	}
	filetest.Write(t, one.Dir, map[string]string{"a.go": "package main // changed\n"})
	if got, err := (cacheFolders{r}).kept(one); err != nil || got == first {
		t.Errorf("changed: got the same folder, %v", err)
	}
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("the cache of the earlier content is left behind: %v", err)
	}
}

// TestPlantedLinks plants links in place of a cache, a virtual environment and a
// variable's folder. None widens what the next script sees.
func TestPlantedLinks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	filetest.Write(t, home, map[string]string{"private/id": "secret\n", "private/bin/python3": "#!/bin/sh\n"})
	for _, variable := range []string{"VIRTUAL_ENV", "GOPATH", "PYENV_ROOT", "UV_CACHE_DIR"} {
		onEachKind(t, func(r *Runner) {
			link := filepath.Join(r.Dir, ".venv")
			if err := os.Symlink(filepath.Join(home, "private"), link); err != nil {
				t.Fatal(err)
			}
			r.Env = append(r.Env, "HOME="+home, variable+"="+link, "PATH="+filepath.Join(link, "bin")+":/usr/local/bin:/usr/bin:/bin")
		}, func(t *testing.T, kind string, r *Runner) {
			if result := run(t, r, skill(t, "a.sh", "cat \"$1\" 2>/dev/null || echo kept\n"), filepath.Join(home, "private", "id")); result.Stdout != "kept\n" {
				t.Errorf("%s: got %+v, want it kept", variable, result)
			}
		}, kindLandlock, kindBubblewrap)
	}
	onEachKind(t, func(r *Runner) {
		r.Cache = filepath.Join(r.Dir, ".cache")
		r.Env = append(r.Env, "PATH="+os.Getenv("PATH"))
	}, func(t *testing.T, kind string, r *Runner) {
		if _, err := r.Run(t.Context(), skill(t, "a.go", "package main\nfunc main() {}\n"), nil); err == nil || !strings.Contains(err.Error(), "in a folder that scripts can write to") {
			t.Errorf("a cache in the working folder: got %v", err)
		}
	}, kindLandlock, kindBubblewrap)
	s := skill(t, "a.go", "package main\n")
	r := &Runner{Shared: Shared{Cache: t.TempDir()}, Env: os.Environ()}
	dir, err := (cacheFolders{r}).kept(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := (cacheFolders{r}).kept(s); err == nil {
		t.Errorf("a link in the place of the cache: got %s", got)
	}
}
