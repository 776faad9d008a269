package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

// systemSecrets returns paths of keys in the folders of the system and of
// toolchains.
func systemSecrets(homes []string) []string {
	paths := []string{"/etc/ssl/private", "/etc/ssh", "/etc/wireguard", "/etc/NetworkManager/system-connections", "/etc/krb5.keytab", "/private/etc/master.passwd", "/Library/Keychains"}
	for _, pattern := range []string{"/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/*.keytab"} {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found...)
	}
	for _, home := range homes {
		paths = append(paths, filepath.Join(home, ".local/share/uv/credentials"))
	}
	return paths
}

// toolchain is a folder below the home folder where interpreters are installed.
type toolchain struct {
	folder   string
	program  string // the program that owns the folder, wherever it is installed; "" if the folder contains its programs
	variable string // environment variable with another location
}

func toolchains() []toolchain {
	return []toolchain{
		{folder: ".pyenv", variable: "PYENV_ROOT"}, {folder: ".nvm", variable: "NVM_DIR"}, {folder: ".volta", variable: "VOLTA_HOME"},
		{folder: ".asdf", variable: "ASDF_DATA_DIR"}, {folder: ".local/share/mise", program: "mise", variable: "MISE_DATA_DIR"},
		{folder: ".local/share/uv", program: "uv"}, {folder: ".cache/uv", program: "uv", variable: "UV_CACHE_DIR"},
		{folder: ".local/bin"}, {folder: ".local/lib", program: "python3"}, {folder: ".cargo/bin"}, {folder: ".rustup", program: "cargo", variable: "RUSTUP_HOME"},
		{folder: ".sdkman", variable: "SDKMAN_DIR"}, {folder: ".rbenv", variable: "RBENV_ROOT"}, {folder: ".bun", variable: "BUN_INSTALL"}, {folder: ".deno", program: "deno"},
		{folder: "go", program: "go", variable: "GOPATH"}, {folder: "miniconda3", variable: "CONDA_PREFIX"}, {folder: "anaconda3", variable: "VIRTUAL_ENV"}, {folder: ".npm", program: "node"},
	}
}

// toolchains returns the toolchain folders in use: they contain a program of
// the script or an entry of PATH, possibly through links, or their program is
// installed. A program directly in a folder of PATH is granted as a single file. No other
// program that a script names is granted.
func (c Config) toolchains() []string {
	search := SearchPath(c.Env)
	programs := chains(c.Programs)
	used := append(chains(search), programs...)
	var found []string
	consider := func(dir, program string) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || checkWritable(real, c.Homes) != nil || c.scriptsWrite(dir) || c.scriptsWrite(real) {
			return // as wide as a home folder, or writable by scripts
		}
		inUse := slices.ContainsFunc(used, func(path string) bool { return Within(path, dir) || Within(path, real) })
		if inUse || program != "" && installed(program, search, programs) {
			found = append(found, real)
		}
	}
	for _, t := range toolchains() {
		for _, home := range c.Homes {
			consider(filepath.Join(home, filepath.FromSlash(t.folder)), t.program)
		}
		if dir, ok := Lookup(c.Env, t.variable); ok && filepath.IsAbs(dir) {
			consider(dir, t.program)
		}
	}
	// Following a program's links requires access to every path in between.
	for _, program := range programs {
		named := slices.Contains(search, filepath.Dir(program))
		if real, err := filepath.EvalSymlinks(program); err == nil && named && !anyHolds(found, real) && !c.scriptsWrite(program) {
			found = append(found, real)
		}
	}
	return found
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
		if ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
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
// path is missing or is the root of the file system.
func CheckRead(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && filepath.Dir(real) == real {
		err = tooWide{"%s is the root of the file system", path}
	}
	return real, err
}

// CheckWrite resolves a folder that scripts may write to; what is its name in
// the error. It returns an error if the folder is missing, or [ErrTooWide] if
// it is or contains a home folder, a folder of the system or the root of the
// file system.
func CheckWrite(what, dir string, homes []string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", what, err)
	}
	if err := checkWritable(real, homes); err != nil {
		return "", fmt.Errorf("%s %w", what, err)
	}
	return real, nil
}

// checkWritable returns an error if a resolved folder is too wide to be
// writable.
func checkWritable(dir string, homes []string) error {
	if dir == filepath.VolumeName(dir)+string(filepath.Separator) {
		return tooWide{"%s is the root of the file system", dir}
	}
	for _, home := range homes {
		home = Real(home)
		if dir == home {
			return tooWide{"%s is a home folder", dir}
		}
		if Within(home, dir) {
			return tooWide{"%s contains a home folder", dir}
		}
	}
	for _, system := range existing(append(systemPaths(false), "/var", "/run", "/tmp", "/home", "/root", "/Users")) {
		if Within(system, dir) {
			return tooWide{"%s is a folder of the system", dir}
		}
	}
	if anyHolds(existing([]string{"/bin", "/sbin", "/lib", "/lib64", "/etc", "/usr/share", "/dev", "/proc", "/sys", "/boot"}), dir) {
		return tooWide{"%s belongs to the system", dir}
	}
	return nil
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
