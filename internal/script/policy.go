package script

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

const maxUnseen = 3

// CheckWrite says why a folder cannot be in [Runner.AllowWrite]; see [sandbox.ErrTooWide].
func (r *Runner) CheckWrite(dir string) error {
	_, err := sandbox.CheckWrite("the writable folder", dir, r.homes())
	return err
}

// AllowReading lets scripts read one more absolute path from now on.
func (r *Runner) AllowReading(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	r.active.mu.Lock()
	defer r.active.mu.Unlock()
	r.active.allowRead = append(r.active.allowRead, real)
	return nil
}

// homes are the user's home folders: of the environment, and of the system.
func (r *Runner) homes() []string {
	home, _ := sandbox.Lookup(r.Env, "HOME")
	profile, _ := sandbox.Lookup(r.Env, "USERPROFILE")
	var homes []string
	for _, dir := range []string{cmp.Or(home, profile), userHome()} {
		if filepath.IsAbs(dir) && filepath.Dir(dir) != dir && !slices.Contains(homes, dir) {
			homes = append(homes, dir)
		}
	}
	return homes
}

// resolveGranted resolves the granted folders once.
func (r *Runner) resolveGranted() error {
	a := &r.active
	dir, err := sandbox.CheckWrite("the working folder", r.Dir, r.homes())
	if err != nil {
		return err
	}
	a.dir, a.identity = dir, map[string]fs.FileInfo{}
	resolve := func(paths ...string) (resolved []string) {
		for _, path := range paths {
			if err == nil {
				path, err = sandbox.CheckRead(path)
			}
			if err == nil {
				a.identity[path], err = os.Stat(path)
			}
			resolved = append(resolved, path)
		}
		return resolved
	}
	resolve(dir)
	a.read, a.write = resolve(r.AllowRead...), resolve(r.AllowWrite...)
	return err
}

// config is what the policies of this runner's scripts have in common.
func (r *Runner) config() sandbox.Config {
	a := &r.active
	a.mu.Lock()
	defer a.mu.Unlock()
	return sandbox.Config{
		Dir: a.dir, Given: r.Dir, Temp: a.work.temp(), Env: r.Env, Homes: r.homes(),
		AllowRead: slices.Concat(a.read, a.allowRead), AllowWrite: a.write,
		Protect: slices.Concat(r.Protect, a.protect), Private: r.Private, Net: r.AllowNet,
	}
}

// policyFor is the policy for one script, and the caches of its tools.
func (r *Runner) policyFor(s Script, command []string) (p sandbox.Policy, caches []string, err error) {
	if r.active.backend.Name == "" { // nothing is enforced
		return sandbox.Policy{Dir: r.Dir}, nil, nil
	}
	for path, before := range r.active.identity {
		if now, err := os.Lstat(path); err != nil || !os.SameFile(before, now) {
			return p, nil, refusePolicy(fmt.Errorf("%s was replaced during the run", path))
		}
	}
	config := r.config()
	config.Skill, config.Script = s.Dir, filepath.Join(s.Dir, filepath.FromSlash(s.Name))
	config.Programs = command[:1]
	if caches, config.Caches, err = r.caches(s, config.Temp, command); err == nil {
		p, err = sandbox.New(config)
	}
	if err != nil {
		return p, nil, refusePolicy(err)
	}
	return p, caches, nil
}

// Unseen returns the first existing file that arguments, or a text such as the
// prompt, name and that the sandbox would not show the script, so that the user
// can be asked about them; see [Runner.AllowReading]. Without a sandbox there are
// none.
func (r *Runner) Unseen(s Script, args []string, text string) []string {
	command, err := r.Command(s, args)
	if err != nil {
		return nil
	}
	p, _, err := r.policyFor(s, command)
	if err != nil || p.Temp == "" {
		return nil
	}
	words := slices.Clone(args)
	for _, word := range strings.Fields(text) {
		words = append(words, strings.TrimRight(word, ".,;:!?'\")"))
	}
	for _, path := range namedPaths(words, p) {
		real, err := filepath.EvalSymlinks(path) // what is granted is what is shown, wherever a link leads
		if err != nil || p.Sees(real) {
			continue
		}
		if info, err := os.Lstat(real); err == nil && info.Mode().IsRegular() {
			return []string{real} // one at a time, so that it can be shown whole
		}
	}
	return nil
}

// unseenBy are the paths in the arguments of a failed script, and in its messages,
// that its sandbox does not show, whether they exist or not.
func unseenBy(p sandbox.Policy, args []string, stderr string) (found []string) {
	paths := namedPaths(args, p)
	for _, match := range regexp.MustCompile(`(?:^|[\s'"=(:])(/[^\s'":,;()]+)`).FindAllStringSubmatch(stderr, -1) {
		paths = append(paths, filepath.Clean(match[1]))
	}
	for _, path := range paths {
		if len(found) < maxUnseen && !p.Sees(path) && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// namedPaths are the paths among words that lead out of the working folder:
// absolute, below the home folder, or with "..". The value of an option counts.
func namedPaths(words []string, p sandbox.Policy) []string {
	var found []string
	for _, word := range words {
		if _, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
			word = value
		}
		switch {
		case filepath.IsAbs(word):
			found = append(found, filepath.Clean(word))
		case p.Home != "" && strings.HasPrefix(word, "~/"):
			found = append(found, filepath.Join(p.Home, word[2:]))
		case strings.HasPrefix(word, "../") || word == "..":
			found = append(found, filepath.Join(p.Dir, word))
		}
	}
	return found
}
