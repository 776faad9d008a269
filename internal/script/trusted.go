package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// TrustedPath returns the folders of PATH for programs that the user configured, such as
// hooks, and for what these start: the absolute ones that scripts cannot write to. dropped
// are the other entries, as written: a script could have put a program there.
func (r *Runner) TrustedPath() (folders, dropped []string) {
	open := writableFolders(r)
	value, _ := sandbox.Lookup(r.Env, "PATH")
	for _, entry := range filepath.SplitList(value) {
		switch {
		case outside(entry, open):
			folders = append(folders, filepath.Clean(entry))
		case !slices.Contains(dropped, entry):
			dropped = append(dropped, entry)
		}
	}
	return folders, dropped
}

// writableFolders returns the folders that scripts can write to, with links resolved.
func writableFolders(r *Runner) (open []string) {
	for _, dir := range append([]string{r.Dir}, r.AllowWrite...) {
		// Scripts never get a folder that is too wide, such as a home folder with the
		// programs of the user.
		if real, err := sandbox.CheckWrite("the folder", dir, homesOf(r.Env)); err == nil {
			open = append(open, real)
		}
	}
	if r.Cache != "" {
		open = append(open, sandbox.Real(r.Cache))
	}
	return open
}

// outside reports whether a path is absolute and does not lead through a folder that
// scripts can write to.
func outside(path string, open []string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	inside, _ := sandbox.Reach(path, open)
	return !inside
}

// FindTrusted finds a program in the folders of TrustedPath. An absolute path is returned
// unchanged.
func (r *Runner) FindTrusted(name string) (path string, ok bool) {
	if r.find != nil || name == "" || filepath.IsAbs(name) {
		return r.Find(name)
	}
	folders, _ := r.TrustedPath()
	return findIn(folders, name)
}

// trustedEnvironment returns an environment with the folders of TrustedPath as PATH, and
// without other locations of code that scripts can write to, unless PassEnv names them.
func trustedEnvironment(r *Runner, env []string) []string {
	open := writableFolders(r)
	env = slices.DeleteFunc(env, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		isLocation := slices.Contains(strings.Fields(locations), name) && !slices.Contains(r.PassEnv, name)
		return isLocation && slices.ContainsFunc(filepath.SplitList(value), func(path string) bool { return !outside(path, open) })
	})
	return withTrustedPath(r, env)
}

// withTrustedPath returns an environment with the folders of TrustedPath as PATH. An empty
// one would mean the working directory.
func withTrustedPath(r *Runner, env []string) []string {
	if _, set := sandbox.Lookup(env, "PATH"); !set {
		return env
	}
	folders, _ := r.TrustedPath()
	if len(folders) == 0 {
		folders = []string{os.DevNull}
	}
	return append(env, "PATH="+strings.Join(folders, string(os.PathListSeparator)))
}
