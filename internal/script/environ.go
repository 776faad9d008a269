package script

// Scripts get the harmless part of the environment, by an allow-list, and caches of their
// own: what one script writes is never run by another.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// locations are the variables that name folders from which programs load code or settings.
const locations = "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME " +
	"VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT RBENV_ROOT GEM_HOME DENO_DIR DOTNET_ROOT GOROOT GOPATH GOCACHE GOMODCACHE"

// passed returns the variables that every script gets. There are no patterns,
// which could include secrets.
func passed() []string {
	names := "PATH HOME USER LOGNAME TZ TMPDIR TEMP TMP LANG LANGUAGE LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION " +
		"LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME " +
		// Locations of toolchains.
		"VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT RBENV_ROOT GEM_HOME DENO_DIR DOTNET_ROOT GOROOT GOPATH GOCACHE GOMODCACHE"
	if runtime.GOOS == "windows" {
		names += " SystemRoot SystemDrive windir ComSpec PATHEXT OS USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA ProgramData " +
			"ProgramFiles ProgramFiles(x86) ProgramW6432 CommonProgramFiles PSModulePath NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE"
	}
	return strings.Fields(names)
}

// environment returns the environment of every program: the allow-list,
// settings for machine-readable output, settings, and the variables of PassEnv.
// The last entry for a variable takes precedence.
func (r *Runner) environment(settings ...string) []string {
	settings = slices.Concat([]string{
		"TERM=dumb", "NO_COLOR=1",
		"PYTHONDONTWRITEBYTECODE=1", // no __pycache__ in the skill's folder
		"PYTHONUNBUFFERED=1",        // keeps output printed before a timeout
		"PYTHONUTF8=1",              // regardless of the locale
	}, settings)
	return slices.Concat(variables(r.Env, passed()), settings, variables(r.Env, r.PassEnv), []string{"PWD=" + r.Dir})
}

// variables returns the variables of an environment with these names.
func variables(from, names []string) (env []string) {
	for _, name := range names {
		if value, ok := sandbox.Lookup(from, name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// scriptEnvironment returns a script's environment, with temporary files and
// caches in writable folders.
func (r *Runner) scriptEnvironment(p sandbox.Policy, skillDir string, caches []string) []string {
	var own []string
	if skillDir != "" {
		own = []string{"SKILL_DIR=" + skillDir}
	}
	if p.Temp == "" {
		return append(r.environment(), own...)
	}
	settings := append(caches, "GIT_CONFIG_GLOBAL="+cmp.Or(r.active.identity, os.DevNull)) // the user's file is not readable, which Git rejects
	if !p.Net {
		settings = append(settings, "UV_OFFLINE=1") // use only cached packages
	}
	env := append(r.environment(settings...), "TMPDIR="+p.Temp, "TEMP="+p.Temp, "TMP="+p.Temp)
	if p.Tmp {
		for i, entry := range env {
			name, value, _ := strings.Cut(entry, "=")
			if rest, ok := strings.CutPrefix(value, p.Temp); ok && (rest == "" || rest[0] == '/') {
				env[i] = name + "=/tmp" + rest
			}
		}
	}
	return append(env, own...)
}

// cacheFolders are the folders in which the tools of scripts keep what they compile and
// install.
type cacheFolders struct{ *Runner }

// of returns variables for the cache folders of tools. They are in the
// temporary folder or, for tools that compile or install, in a folder kept for
// exactly this script and content, so that no script can poison another's. The
// script can write to it, so it is only accessed through an [os.Root].
func (c cacheFolders) of(s Script, temp string, command []string) (variables, writable []string, err error) {
	program := strings.TrimSuffix(base(command[0]), ".exe")
	dir := temp
	if c.Cache != "" && slices.Contains([]string{"go", "uv", "deno", "bun", "dotnet"}, program) {
		dir, err = c.kept(s)
		if err != nil {
			return nil, nil, err
		}
		writable = []string{dir}
	}
	for _, of := range []struct{ name, dir, folder string }{
		{"XDG_CACHE_HOME", temp, "cache"}, {"MPLCONFIGDIR", temp, "matplotlib"}, {"GOCACHE", dir, "go-build"}, {"UV_CACHE_DIR", dir, "uv"},
		{"DENO_DIR", dir, "deno"}, {"npm_config_cache", dir, "npm"}, {"DOTNET_CLI_HOME", dir, "dotnet"},
	} {
		variables = append(variables, of.name+"="+filepath.Join(of.dir, of.folder))
	}
	if program == "uv" {
		err = c.seedUV(dir)
	}
	return variables, writable, err
}

// kept returns the folder for the caches of a script with its current
// content. It removes those of earlier contents.
func (c cacheFolders) kept(s Script) (string, error) {
	digest, err := Digest(s)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return "", err
	}
	id := sha256.Sum256([]byte(real + "\x00" + s.Name))
	err = os.MkdirAll(c.Cache, 0o700)
	if err == nil {
		real, err = filepath.EvalSymlinks(c.Cache)
	}
	parent := filepath.Join(real, hex.EncodeToString(id[:8]))
	dir := filepath.Join(parent, digest)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("creating the script's cache: %w", err)
	}
	// A script that can write here could replace any folder by a link.
	if now, err := filepath.EvalSymlinks(dir); err != nil || now != dir || c.active.scriptsWrite(dir) {
		return "", fmt.Errorf("the script's cache %s is in a folder that scripts can write to", dir)
	}
	entries, _ := os.ReadDir(parent)
	for _, entry := range entries {
		if entry.Name() != digest {
			removeAll(filepath.Join(parent, entry.Name()))
		}
	}
	return dir, nil
}

// scriptsWrite reports whether scripts can write to a resolved path.
func (a *activeSandbox) scriptsWrite(path string) bool {
	return slices.ContainsFunc(append([]string{a.config.Dir}, a.config.AllowWrite...), func(dir string) bool {
		return dir != "" && sandbox.Within(path, dir)
	})
}

// seedUV fills a cache for uv with links to the user's cache, which the script
// can read but not change. Unpacked packages and environments are linked as a
// whole; their parent folders are created, because uv adds to them.
func (c cacheFolders) seedUV(dir string) error {
	from, _ := sandbox.Lookup(c.Env, "UV_CACHE_DIR")
	if homes := homesOf(c.Env); from == "" && len(homes) > 0 {
		from = filepath.Join(homes[0], ".cache", "uv")
	}
	if !filepath.IsAbs(from) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("preparing uv's cache: %w", err)
	}
	defer root.Close()
	const maxEntries = 50_000
	count := 0
	filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		count++
		if count > maxEntries {
			return fs.SkipAll
		}
		if err != nil {
			return nil // uv creates what is missing
		}
		rel, _ := filepath.Rel(from, path)
		target := filepath.Join("uv", rel)
		bucket, _, nested := strings.Cut(filepath.ToSlash(rel), "/")
		kind, _, _ := strings.Cut(bucket, "-")
		whole := nested && slices.Contains([]string{"archive", "environments", "builds", "git", "binaries"}, kind)
		switch {
		case d.IsDir() && !whole:
			root.MkdirAll(target, 0o700)
		case d.IsDir():
			root.Symlink(path, target)
			return fs.SkipDir
		case !strings.HasSuffix(d.Name(), ".lock"):
			root.Symlink(path, target)
		}
		return nil
	})
	return nil
}
