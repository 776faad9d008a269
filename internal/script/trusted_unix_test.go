//go:build unix

package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

// TestTrustedPath checks which entries of PATH programs of the user's get: none from which
// a script could start something, also through links. A folder that scripts never get,
// such as a home folder, does not count.
func TestTrustedPath(t *testing.T) {
	dir := sandbox.Real(t.TempDir())
	work, outside, other := filepath.Join(dir, "work"), filepath.Join(dir, "outside"), filepath.Join(dir, "other")
	for _, folder := range []string{work + "/bin", outside + "/bin", other + "/bin", dir + "/cache"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{outside + "/into": work + "/bin", work + "/out": outside + "/bin", outside + "/through": work + "/out", dir + "/alias": work} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for entry, kept := range map[string]bool{
		"/usr/bin": true, outside + "/bin": true, outside + "/none": true,
		"": false, ".": false, "bin": false, "./bin": false, "../outside/bin": false, work: false, work + "/bin": false, work + "/none": false, other + "/bin": false,
		outside + "/into": false, work + "/out": false, outside + "/through": false, outside + "/../work/bin": false,
		dir + "/cache/x": false, dir + "/alias/bin": false, dir + "/alias/none": false,
	} {
		r := &Runner{Dir: work, AllowWrite: []string{other}, Shared: Shared{Cache: dir + "/cache"}, Env: []string{"HOME=/nowhere", "PATH=/bin:" + entry}}
		folders, dropped := r.TrustedPath()
		if slices.Contains(folders, filepath.Clean(entry)) != kept || slices.Contains(dropped, entry) == kept || folders[0] != "/bin" {
			t.Errorf("%s: kept %q, dropped %q", entry, folders, dropped)
		}
	}
	r := &Runner{Dir: work, Env: []string{"HOME=" + work, "PATH=" + work + "/bin"}}
	if folders, dropped := r.TrustedPath(); len(dropped) > 0 || len(folders) != 1 {
		t.Errorf("in a home folder: kept %q, dropped %q", folders, dropped)
	}
}

// TestConfiguredPrograms checks that programs of the user's, and what these start, are not
// found in a folder that scripts can write to.
func TestConfiguredPrograms(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Sandbox = SandboxAuto
	filetest.Programs(t, r.Dir, map[string]string{"bin/uname": "#!/bin/sh\necho PWNED\n", "skill/SKILL.md": ""})
	for _, entry := range []string{"", "bin", filepath.Join(r.Dir, "bin")} {
		r.Env = append(os.Environ(), "PATH="+entry+":"+os.Getenv("PATH"))
		for name, start := range map[string]func(command ...string) (Result, error){
			"Ask": func(command ...string) (Result, error) { return r.Ask(t.Context(), command, nil) },
			"RunProgram": func(command ...string) (Result, error) {
				return r.RunProgram(t.Context(), filepath.Join(r.Dir, "skill"), command)
			},
			"Serve": func(command ...string) (Result, error) {
				var out strings.Builder
				result, err := r.Serve(t.Context(), Service{Command: command, Stdin: strings.NewReader(""), Stdout: &out})
				result.Stdout = out.String()
				return result, err
			},
		} {
			for _, command := range [][]string{{"uname"}, {"sh", "-c", "uname"}} {
				result, err := start(command...)
				if name == "RunProgram" && err != nil && strings.Contains(err.Error(), "no sandbox") {
					continue
				}
				if err != nil || !result.OK() || result.Stdout == "" || strings.Contains(result.Stdout, "PWNED") {
					t.Errorf("%s, PATH=%s: %q: %+v, %v", name, entry, command, result, err)
				}
			}
		}
	}
	r.Env = []string{"PATH=" + filepath.Join(r.Dir, "bin")} // nothing is left, which must not mean the folder itself
	filetest.Programs(t, r.Dir, map[string]string{"uname": "#!/bin/sh\necho PWNED\n"})
	if result, err := r.Ask(t.Context(), []string{"/bin/sh", "-c", "uname"}, nil); err != nil || result.OK() || strings.Contains(result.Stdout, "PWNED") {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestTrustedLocations checks that programs of the user's get no locations of code that
// scripts can write to, unless --pass-env names them.
func TestTrustedLocations(t *testing.T) {
	r := runner(t)
	r.Env = []string{"GEM_HOME=" + r.Dir + "/gems", "GOPATH=/opt/go:vendor", "VIRTUAL_ENV=.venv", "GOROOT=/opt/go", "XDG_CONFIG_HOME=" + r.Dir}
	r.PassEnv = []string{"XDG_CONFIG_HOME"}
	result, err := r.Ask(t.Context(), []string{"/usr/bin/env"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"GEM_HOME": false, "GOPATH": false, "VIRTUAL_ENV": false, "GOROOT": true, "XDG_CONFIG_HOME": true} {
		if _, got := sandbox.Lookup(strings.Split(result.Stdout, "\n"), name); got != want {
			t.Errorf("%s is set: %t", name, got)
		}
	}
}
