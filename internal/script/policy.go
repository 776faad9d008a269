package script

// The policy of one script: the folders that it may read and write, with links resolved
// once. A granted folder that was replaced during the run is refused.

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

const maxUnseen = 3

// CheckWrite returns why a folder must not be in [Runner.AllowWrite]; see
// [sandbox.ErrTooWide].
func (r *Runner) CheckWrite(dir string) error {
	_, err := sandbox.CheckWrite("the writable folder", dir, homesOf(r.Env))
	return err
}

// AllowReading allows scripts started later to read another absolute path.
func (r *Runner) AllowReading(path string) error {
	real, err := sandbox.CheckRead(path, homesOf(r.Env)...)
	if err != nil {
		return err
	}
	now, err := sandbox.Identify(real)
	if err != nil {
		return err
	}
	r.active.mu.Lock()
	defer r.active.mu.Unlock()
	r.active.config.AllowRead = append(r.active.config.AllowRead, real)
	known := map[string]fs.FileInfo{real: now} // a new one: policies use the other
	maps.Copy(known, r.active.config.Known)
	r.active.config.Known = known
	return nil
}

// homesOf returns the user's home folders, from the environment and from the
// system.
func homesOf(env []string) []string {
	home, _ := sandbox.Lookup(env, "HOME")
	profile, _ := sandbox.Lookup(env, "USERPROFILE")
	dirs := []string{cmp.Or(home, profile)}
	if u, err := user.Current(); err == nil {
		dirs = append(dirs, u.HomeDir)
	}
	var homes []string
	for _, dir := range dirs {
		if filepath.IsAbs(dir) && filepath.Dir(dir) != dir && !slices.Contains(homes, dir) {
			homes = append(homes, dir)
		}
	}
	return homes
}

// resolveGranted resolves the granted folders and files once, and keeps what they are. A
// script that can write next to one cannot replace it afterwards.
func (r *Runner) resolveGranted() (none sandbox.Config, err error) {
	homes := homesOf(r.Env)
	known := map[string]fs.FileInfo{}
	resolve := func(path string, check func(string) (string, error)) (string, error) {
		real, err := check(path)
		if err == nil {
			known[real], err = sandbox.Identify(real)
		}
		return real, err
	}
	write := func(what string) func(string) (string, error) {
		return func(path string) (string, error) { return sandbox.CheckWrite(what, path, homes) }
	}
	dir, err := resolve(r.Dir, write("the working folder"))
	if err != nil {
		return none, err
	}
	err = started.check(r.Dir, known[dir], homes)
	if err != nil {
		return none, err
	}
	c := sandbox.Config{
		Dir: dir, Given: r.Dir, Env: r.Env, Homes: homes, Protect: r.Protect, Private: r.Private, Access: sandbox.Access{Net: r.AllowNet},
		Checked: sandbox.Checked{Known: known},
	}
	for _, path := range r.AllowRead {
		real, err := resolve(path, func(path string) (string, error) { return sandbox.CheckRead(path, homes...) })
		if err != nil {
			return none, err
		}
		c.AllowRead = append(c.AllowRead, real)
	}
	for _, path := range r.AllowWrite {
		real, err := resolve(path, write("the writable folder"))
		if err != nil {
			return none, err
		}
		c.AllowWrite = append(c.AllowWrite, real)
	}
	return c, nil
}

// policyFor returns the policy for one script, and the caches of its tools.
func (r *Runner) policyFor(s Script, command []string) (p sandbox.Policy, caches []string, err error) {
	if r.active.backend.Name == "" { // nothing is enforced
		return sandbox.Policy{Dir: r.Dir}, nil, nil
	}
	r.active.mu.Lock()
	config := r.active.config
	r.active.mu.Unlock()
	for path, before := range config.Known {
		if now, err := sandbox.Identify(path); err != nil || !os.SameFile(before, now) {
			return p, nil, refusePolicy(fmt.Errorf("%s was replaced during the run", path))
		}
	}
	config.Folder = s.Folder
	config.Skill = s.Dir
	if s.line == nil {
		config.Script = filepath.Join(s.Dir, filepath.FromSlash(s.Name))
	} else {
		config.Skills = s.line.Folders
	}
	config.Tmp = r.Lines && r.active.backend.Name == sandbox.Bubblewrap
	config.Loopback = config.Tmp // a command, or a script, may start a server and talk to it
	config.History = r.Lines && s.History
	config.Programs = command[:1]
	caches, config.Caches, err = cacheFolders{r}.of(s, config.Temp, command)
	if err == nil {
		p, err = sandbox.New(config)
	}
	if err != nil {
		return p, nil, refusePolicy(err)
	}
	needed := []string{command[0]}
	if bin := filepath.Dir(command[0]); !slices.Contains(sandbox.SearchPath(r.Env), bin) {
		venv := filepath.Dir(bin)
		if _, err := os.Stat(filepath.Join(venv, "pyvenv.cfg")); err == nil { // its packages are needed, too
			needed = []string{filepath.Join(venv, "pyvenv.cfg"), command[0]}
		}
	}
	for _, path := range needed {
		if !p.Sees(path) { // only the script names it
			path = strings.TrimSuffix(path, "/pyvenv.cfg")
			return p, nil, newError(ErrInterpreter, "pass --allow-read "+path+" if you trust the program",
				"choosing the interpreter: %s is not readable in the sandbox", path)
		}
	}
	return p, caches, nil
}

// Unseen returns the first existing file that arguments, or a text such as the
// prompt, name and that the sandbox hides from the script, so that the user can
// be asked to allow it; see [Runner.AllowReading]. Without a sandbox it returns
// nil.
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
	for _, path := range hiddenPaths(words, p) {
		real := sandbox.Real(path) // show the path that is granted, with links resolved
		if info, err := os.Lstat(real); err == nil && info.Mode().IsRegular() {
			return []string{real} // one per prompt, so that the path can be shown completely
		}
	}
	return nil
}

// unseenBy returns the paths in the arguments and messages of a failed script
// that its sandbox hides, whether they exist or not.
func unseenBy(p sandbox.Policy, args []string, stderr string) []string {
	words := slices.Clone(args)
	for _, match := range regexp.MustCompile(`(?:^|[\s'"=(:])(/[^\s'":,;()]+)`).FindAllStringSubmatch(stderr, -1) {
		words = append(words, match[1])
	}
	found := hiddenPaths(words, p)
	return found[:min(len(found), maxUnseen)]
}

// hiddenPaths returns the words that are paths outside the working directory, which the
// sandbox hides: absolute, below the home folder, or with "..". Values of options count.
func hiddenPaths(words []string, p sandbox.Policy) (found []string) {
	for _, word := range words {
		if _, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
			word = value
		}
		switch {
		case filepath.IsAbs(word):
			word = filepath.Clean(word)
		case p.Home != "" && strings.HasPrefix(word, "~/"):
			word = filepath.Join(p.Home, word[2:])
		case strings.HasPrefix(word, "../") || word == "..":
			word = filepath.Join(p.Dir, word)
		default:
			continue
		}
		if !slices.Contains(found, word) && !p.Sees(word) {
			found = append(found, word)
		}
	}
	return found
}
