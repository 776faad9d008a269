package sandbox

// The paths of this machine: the folders of the system and of toolchains, which
// scripts may read, and the folders that are too wide to be writable. What may be
// read is a list; no name that a script or a repository chooses adds to it. What is
// secret or the user's is found by modes and by the list of users, not by names.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// systemPaths returns the folders of the operating system that every script can
// read, including those of system-wide package managers.
func systemPaths(net bool) []string {
	if runtime.GOOS == "darwin" {
		return []string{"/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/nix", "/private/etc", "/private/var/db/timezone", "/private/var/select", "/dev"}
	}
	paths := []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/run/current-system", "/home/linuxbrew/.linuxbrew"}
	if net {
		paths = append(paths, "/etc/resolv.conf") // often a link to a file below /run
	}
	return paths
}

// systemSecrets returns the paths in the folders of the system that are not for
// everyone, except those that scripts may read.
func systemSecrets(allowed []string) []string {
	if runtime.GOOS == "darwin" {
		return append(private("/private/etc", allowed, false), "/Library/Keychains")
	}
	return private("/etc", allowed, false)
}

// private returns what in a folder not everyone may read, or all of it, without
// links. That is decided by modes, not by names: the superuser could read
// everything. A folder counts as a whole, unless something in it is allowed.
func private(dir string, allowed []string, all bool) (found []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Type()&fs.ModeSymlink != 0 { // most entries of /etc: this halves the time
			continue
		}
		path := filepath.Join(dir, entry.Name())
		info, err := entry.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || anyHolds(allowed, path) {
			continue
		}
		contains := slices.ContainsFunc(allowed, func(part string) bool { return Within(part, path) })
		mode := info.Mode()
		public := mode&0o004 != 0 && (mode.IsRegular() || mode&0o001 != 0)
		partly := public && !all || contains
		switch {
		case mode.IsDir() && partly:
			found = append(found, private(path, allowed, all || !public)...)
		case all || !public || !mode.IsRegular():
			found = append(found, path)
		}
	}
	return found
}

// toolchain is a folder below the home folder where interpreters are installed.
type toolchain struct {
	folder   string
	parts    string // what programs need of it: names with wildcards, or paths; "" for everything
	program  string // the program that owns the folder, wherever it is installed; "" if the folder contains its programs
	variable string // environment variable with another location
	only     bool   // for scripts that the program itself runs
}

// Parts of several toolchains. The rest of such a folder can hold sources,
// settings, logs and credentials.
const (
	versionParts = "bin completions libexec plugins pyenv.d rbenv.d shims version versions"
	venvParts    = "bin include lib lib64 pyvenv.cfg share"
	condaParts   = venvParts + " condabin conda-meta envs etc libexec sbin ssl x86_64-conda-linux-gnu aarch64-conda-linux-gnu"
)

func toolchains() []toolchain {
	return []toolchain{
		{folder: ".pyenv", variable: "PYENV_ROOT", parts: versionParts},
		{folder: ".rbenv", variable: "RBENV_ROOT", parts: versionParts},
		{folder: ".nvm", variable: "NVM_DIR", parts: "alias nvm-exec nvm.sh versions"},
		{folder: ".volta", variable: "VOLTA_HOME", parts: "bin tools"},
		{folder: ".asdf", variable: "ASDF_DATA_DIR", parts: "asdf.sh bin completions defaults installs lib libexec plugins shims"},
		{folder: ".local/share/mise", program: "mise", variable: "MISE_DATA_DIR", parts: "bin installs plugins shims"},
		{folder: ".local/share/uv", program: "uv", parts: "python tools"},
		{folder: ".cache/uv", program: "uv", variable: "UV_CACHE_DIR", parts: "archive-* binaries-* builds-* environments-* interpreter-* sdists-* simple-* wheels-*"},
		{folder: ".local/bin"},
		{folder: ".local/lib", program: "python3", parts: "python*"},
		{folder: ".cargo/bin"},
		{folder: ".rustup", program: "cargo", variable: "RUSTUP_HOME", parts: "settings.toml toolchains"},
		{folder: ".sdkman", variable: "SDKMAN_DIR", parts: "bin candidates libexec src"},
		{folder: ".bun", variable: "BUN_INSTALL", parts: "bin install"},
		{folder: ".deno", program: "deno", parts: "bin"},
		{folder: "go", program: "go", variable: "GOPATH", parts: "bin pkg/mod", only: true},
		{folder: "miniconda3", variable: "CONDA_PREFIX", parts: condaParts},
		{folder: "anaconda3", parts: condaParts},
		{variable: "VIRTUAL_ENV", parts: venvParts},
		{folder: ".npm", program: "node", parts: "_cacache _npx"},
	}
}

// granted returns the parts of a toolchain's folder that exist, with links
// resolved, and the links among them.
func (t toolchain) granted(dir string) (found, links []string) {
	if t.parts == "" {
		return []string{dir}, nil
	}
	entries, _ := os.ReadDir(dir)
	for _, part := range strings.Fields(t.parts) {
		names := []string{part}
		if strings.Contains(part, "*") {
			names = nil
			for _, entry := range entries {
				if ok, _ := filepath.Match(part, entry.Name()); ok {
					names = append(names, entry.Name())
				}
			}
		}
		for _, name := range names {
			path := filepath.Join(dir, filepath.FromSlash(name))
			real, err := filepath.EvalSymlinks(path)
			if err != nil || !Within(real, dir) {
				continue
			}
			found = append(found, real)
			if real != path {
				links = append(links, path)
			}
		}
	}
	return found, links
}

// toolchains returns the parts of the toolchain folders in use: they contain a
// program of the script or an entry of PATH, possibly through links, or their
// program is installed. A program directly in a folder of PATH is granted as a
// single file. No other program that a script names is granted.
func (c Config) toolchains() (found, links []string) {
	search := SearchPath(c.Env)
	programs := chains(c.Programs)
	used := append(chains(search), programs...)
	consider := func(dir string, t toolchain) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || checkWritable(real, c.Homes) != nil {
			return // missing, or as wide as a home folder
		}
		if c.scriptsWrite(dir) || c.scriptsWrite(real) {
			return
		}
		inUse := slices.ContainsFunc(used, func(path string) bool { return Within(path, dir) || Within(path, real) })
		owned := t.program != "" && installed(t.program, search, programs)
		if t.only {
			owned = slices.ContainsFunc(programs, func(path string) bool { return filepath.Base(path) == t.program })
			inUse = inUse && owned
		}
		if inUse || owned {
			parts, more := t.granted(real)
			found, links = append(found, parts...), append(links, more...)
		}
	}
	for _, t := range toolchains() {
		for _, home := range c.Homes {
			if t.folder != "" {
				consider(filepath.Join(home, filepath.FromSlash(t.folder)), t)
			}
		}
		value, _ := Lookup(c.Env, t.variable)
		for _, dir := range filepath.SplitList(value) { // GOPATH is a list
			if filepath.IsAbs(dir) {
				consider(dir, t)
			}
		}
	}
	// Following a program's links requires access to every path in between.
	for _, program := range programs {
		if !slices.Contains(search, filepath.Dir(program)) || c.scriptsWrite(program) {
			continue
		}
		if real, err := filepath.EvalSymlinks(program); err == nil && !anyHolds(found, real) {
			found = append(found, real)
		}
	}
	return found, links
}

// scriptsWrite reports whether scripts can write to a path, so that its content
// was not necessarily installed by the user.
func (c Config) scriptsWrite(path string) bool {
	return anyHolds(append([]string{c.Dir, cmp.Or(c.Given, c.Dir)}, c.AllowWrite...), path)
}

// SearchPath returns the cleaned absolute entries of an environment's PATH.
func SearchPath(env []string) []string {
	value, _ := Lookup(env, "PATH")
	var folders []string
	for _, dir := range filepath.SplitList(value) {
		if filepath.IsAbs(dir) {
			folders = append(folders, filepath.Clean(dir))
		}
	}
	return folders
}

// installed reports whether a program is one of programs, or on the search
// path.
func installed(program string, search, programs []string) bool {
	return slices.ContainsFunc(programs, func(path string) bool { return strings.HasPrefix(filepath.Base(path), program) }) ||
		slices.ContainsFunc(search, func(dir string) bool {
			info, err := os.Stat(filepath.Join(dir, program))
			return err == nil && info.Mode().IsRegular()
		})
}

// chains returns paths and all paths that their links lead to.
func chains(paths []string) (all []string) {
	const longest = 40 // the limit of the kernel
	for _, path := range paths {
		all = append(all, path)
		for range longest {
			target, err := os.Readlink(path)
			if err != nil {
				break
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			path = filepath.Clean(target)
			all = append(all, path)
		}
		all = append(all, existing([]string{path})...)
	}
	return all
}

// Lookup returns a variable from KEY=VALUE entries, of which the last takes
// precedence.
func Lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0 && name != ""; i-- {
		key, value, ok := strings.Cut(env[i], "=")
		same := key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)
		if ok && same {
			return value, true
		}
	}
	return "", false
}

// ErrTooWide is returned for a folder that contains too much to be writable for
// scripts.
var ErrTooWide = errors.New("too wide to be writable for scripts")

type tooWide struct{ format, dir string }

func (e tooWide) Error() string        { return fmt.Sprintf(e.format, e.dir) }
func (e tooWide) Is(target error) bool { return target == ErrTooWide }

// CheckRead resolves a path that scripts may read. It returns an error if the
// path is missing or is the root of the file system, or a [LinkError]. The homes are
// home folders besides those that the system knows.
func CheckRead(path string, homes ...string) (string, error) {
	real, err := granted(path, homes)
	if err == nil && filepath.Dir(real) == real {
		err = tooWide{"%s is the root of the file system", path}
	}
	return real, err
}

// CheckWrite resolves a folder that scripts may write to; what is its name in
// the error. It returns an error if the folder is missing, a [LinkError], or
// [ErrTooWide] if it is or contains a home folder, a folder of the system or the
// root of the file system.
func CheckWrite(what, dir string, homes []string) (string, error) {
	real, err := granted(dir, homes)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", what, err)
	}
	if err := checkGranted(real, homes); err != nil {
		return "", fmt.Errorf("%s %w", what, err)
	}
	return real, nil
}

// checkSkill resolves the folder of a skill. It returns an error if the folder is
// missing, or [ErrTooWide] if it contains more than a skill. It may be a hidden folder
// of the home folder, because scripts only read it.
func checkSkill(dir string, homes []string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("resolving the skill's folder: %w", err)
	}
	if err := checkWritable(real, homes); err != nil {
		return "", fmt.Errorf("the skill's folder %w", err)
	}
	return real, nil
}

// checkWritable returns an error if a resolved folder is too wide to be
// writable.
func checkWritable(dir string, homes []string) error {
	if dir == filepath.VolumeName(dir)+string(filepath.Separator) {
		return tooWide{"%s is the root of the file system", dir}
	}
	for _, home := range append(slices.Clone(homes), allHomes()...) {
		home = Real(home)
		if home == filepath.Dir(home) {
			continue
		}
		if dir == home {
			return tooWide{"%s is a home folder", dir}
		}
		if Within(home, dir) {
			return tooWide{"%s contains a home folder", dir}
		}
	}
	system := systemFolders()
	if slices.ContainsFunc(system.wide, func(folder string) bool { return Within(folder, dir) }) {
		return tooWide{"%s is a folder of the system", dir}
	}
	if anyHolds(system.own, dir) {
		return tooWide{"%s belongs to the system", dir}
	}
	return nil
}

// folders are folders of the system that scripts must not write to.
type folders struct {
	wide []string // nor to one that contains them
	own  []string // nor to one in them
}

// systemFolders resolves the folders of the system once, because that takes as long
// as all other checks. Only the superuser can change them.
var systemFolders = sync.OnceValue(func() folders {
	return folders{
		wide: existing(append(systemPaths(false), "/usr/local", "/var/lib", "/var/cache", "/var/log", "/var", "/run", "/tmp", "/home", "/root", "/Users")),
		own:  existing([]string{"/bin", "/sbin", "/lib", "/lib64", "/etc", "/usr/share", "/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/var/spool", "/dev", "/proc", "/sys", "/boot"}),
	}
})

// allHomes returns the home folders of people and of the superuser on this
// machine. Those of services are often folders of the system.
func allHomes() (homes []string) {
	text, _ := os.ReadFile("/etc/passwd")
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		const userID, homeDir, count = 2, 5, 7
		if len(fields) != count {
			continue
		}
		id, home := fields[userID], fields[homeDir]
		usable := filepath.IsAbs(home) && home != "/nonexistent"
		person := Within(home, "/home") || id == "0" || len(id) >= 4
		if usable && person {
			homes = append(homes, filepath.Clean(home))
		}
	}
	return homes
}

func anyHolds(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return Within(path, dir) })
}

// Within reports whether path is dir or below it. Both are clean and absolute.
func Within(path, dir string) bool {
	const separator = string(filepath.Separator)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}

// Real returns a path with links resolved, or the path itself if it does not
// exist.
func Real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// existing resolves the paths that exist, and omits the rest.
func existing(paths []string) (found []string) {
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(real) {
			found = append(found, real)
		}
	}
	return found
}
