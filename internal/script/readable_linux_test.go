package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestToolchainParts checks for each folder and variable that widens what scripts read
// that they read what programs need, and nothing private beside it.
func TestToolchainParts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ folder, variable, needed, canary string }{
		{".pyenv", "PYENV_ROOT", "versions/3/lib/x", "sources/x"},
		{".rbenv", "RBENV_ROOT", "versions/3/lib/x", ".env"},
		{".nvm", "NVM_DIR", "versions/node/v1/bin/x", ".cache/x"},
		{".volta", "VOLTA_HOME", "tools/image/x", "log/x"},
		{".asdf", "ASDF_DATA_DIR", "installs/x", ".asdfrc"},
		{".local/share/mise", "MISE_DATA_DIR", "installs/x", "credentials"},
		{".local/share/uv", "", "python/x", "credentials/x"},
		{".cache/uv", "UV_CACHE_DIR", "wheels-v1/x", "git-v0/x"},
		{".local/lib", "", "python3.1/site-packages/x", "private/x"},
		{".rustup", "RUSTUP_HOME", "toolchains/x", "update-hashes/x"},
		{".sdkman", "SDKMAN_DIR", "candidates/x", "etc/config"},
		{".bun", "BUN_INSTALL", "install/x", ".env"},
		{".deno", "", "bin/x", "credentials"},
		{"go", "GOPATH", "pkg/mod/x", "src/private/.env"},
		{"miniconda3", "CONDA_PREFIX", "lib/x", ".env"},
		{"anaconda3", "", "lib/x", "src/x"},
		{"", "VIRTUAL_ENV", "lib/x", ".env"},
		{".npm", "", "_npx/x", "_logs/x"},
		{".cargo/bin", "", "x", "../credentials.toml"},
		{".local/bin", "", "x", "../share/keyrings/x"},
	} {
		for place, dir := range map[string]string{"": row.folder, row.variable: "elsewhere/tool"} {
			if dir == "" || place == "" && row.folder == "" || row.variable == "" && place == "" && dir != row.folder {
				continue
			}
			t.Run(row.folder+place, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				root := filepath.Join(home, dir)
				filetest.Write(t, root, map[string]string{row.needed: "here\n", row.canary: "secret\n"})
				filetest.Programs(t, home, map[string]string{"tools/go": "#!/bin/sh\nexec /bin/sh $4\n", "tools/uv": "", "tools/mise": "", "tools/cargo": "", "tools/deno": "", "tools/node": "", "tools/python3": ""})
				s := skill(t, "a.sh", "cat \"$1\"; cat \"$2\" 2>/dev/null || echo kept\n")
				onEachKind(t, func(r *Runner) {
					r.Env = append(r.Env, "HOME="+home, "PATH="+filepath.Join(home, "tools")+":"+filepath.Join(root, "bin")+":"+root+":/usr/bin:/bin")
					if place != "" {
						r.Env = append(r.Env, row.variable+"="+root)
					}
					if dir == "go" || place == "GOPATH" {
						s = skill(t, "a", "#!/usr/bin/env go\ncat \"$1\"; cat \"$2\" 2>/dev/null || echo kept\n")
						filetest.Programs(t, home, map[string]string{"tools/go": "#!/bin/sh\nexec /bin/sh \"$@\"\n"})
					}
				}, func(t *testing.T, kind string, r *Runner) {
					want := map[bool]string{true: "here\nsecret\n", false: "here\nkept\n"}[kind == off]
					if result := run(t, r, s, filepath.Join(root, row.needed), filepath.Join(root, row.canary)); result.Stdout != want {
						t.Errorf("got %+v, want %q", result, want)
					}
				})
			})
		}
	}
}

// TestEtc checks that scripts read in /etc what everyone may read, whatever its name, and
// that --allow-read opens more.
func TestEtc(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser can create files in /etc and read private ones")
	}
	dir, err := os.MkdirTemp("/etc", "skills-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	filetest.Write(t, dir, map[string]string{"public": "public\n", "private": "secret\n", "closed/key": "secret\n", "closed/other": "secret\n", "open/key": "secret\n", "open/list": "public\n"})
	for path, mode := range map[string]os.FileMode{"": 0o755, "public": 0o644, "private": 0o640, "closed": 0o700, "closed/key": 0o644, "closed/other": 0o644, "open": 0o755, "open/key": 0o600, "open/list": 0o644} {
		if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	s := skill(t, "a.sh", "cd \"$1\"; for f in public private closed/key closed/other open/key open/list; do cat $f 2>/dev/null | sed \"s|^|$f |\"; done\n")
	const public = "public public\nopen/list public\n"
	for allowed, want := range map[string]string{"": public, "closed/key": "public public\nclosed/key secret\nopen/list public\n"} {
		onEachKind(t, func(r *Runner) {
			if allowed != "" {
				r.AllowRead = []string{filepath.Join(dir, allowed)}
			}
		}, func(t *testing.T, kind string, r *Runner) {
			got := run(t, r, s, dir).Stdout
			if kind == off && strings.Count(got, "secret") == 4 {
				return
			}
			if got != want {
				t.Errorf("--allow-read %q: got %q, want %q", allowed, got, want)
			}
		})
	}
}
