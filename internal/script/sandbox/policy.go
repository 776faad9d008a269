// Package sandbox determines what a skill's script may read, write and connect
// to, and enforces it with bubblewrap or Landlock on Linux and sandbox-exec on
// macOS.
//
// The policy is an allow-list, which nothing in a repository or a skill can
// extend. If it cannot be built, that is an error. The package starts no
// processes: the supervisor does.
package sandbox

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Policy specifies what one script may do. All paths are absolute. Those of
// Read and Write have links resolved. In ReadOnly and Hidden the last element
// is not resolved, so that a link cannot redirect the protection. If a hidden
// path is a link to a file, the target is hidden.
type Policy struct {
	Dir      string   // working directory, where the script starts
	Given    []string // paths used by the script or its caller that may contain links
	Temp     string   // temporary folder of the run; writable
	Home     string   // the user's home folder, of which only listed parts are visible; or ""
	Read     []string // readable folders and files
	Write    []string // readable and writable folders and files
	ReadOnly []string // parts of Write that are only readable
	Hidden   []string // parts of Read and Write that are not accessible

	// Repositories are the Git directories whose history is writable, see [Access.History].
	Repositories []string

	Access

	Gaps

	// Sources identifies what was at the paths when the policy was decided. On
	// Linux, only that is granted and protected.
	Sources map[string]ID
}

// Gaps is what a policy should protect, and does not.
type Gaps struct {
	// Unprotected holds names that should be protected but cannot be, because
	// they are links.
	Unprotected []string

	// Missing holds files that settings of Git or links name, and that a script could
	// create.
	Missing []string
}

// Access is what programs can reach besides files. Loopback and Tmp are for bubblewrap, where
// each program has its own view of the machine.
type Access struct {
	Net      bool // allows the network
	Loopback bool // sockets of the Internet in a network namespace of its own
	Tmp      bool // /tmp is the temporary folder of the run
	History  bool // Git directories are writable, without what [Guarded] lists
}

// ID identifies a file, a folder or a link.
type ID struct {
	Device, Inode uint64
	Type          uint32 // the bits of the mode
}

// Config holds the input for a policy. It comes from the user or from this
// program; the contents of a repository or a skill can only restrict it.
type Config struct {
	Dir        string   // working directory, absolute
	Given      string   // Dir as given by the user; "" for Dir
	Temp       string   // temporary folder of the run, resolved
	Env        []string // the user's environment, KEY=VALUE, for toolchain folders and PATH
	Homes      []string // the user's home folders, possibly not resolved
	Skill      string   // folder of the script's skill, absolute; "" for a program of none
	Script     string   // the script's file, absolute; or ""
	Programs   []string // absolute paths of the interpreter and the programs it starts
	AllowRead  []string // additional readable paths, absolute
	AllowWrite []string // additional writable paths, absolute
	Protect    []string // read-only if below something writable, absolute
	Private    []string // hidden if below something readable, absolute

	Further
	Access
	Checked
}

// Further folders of a [Config].
type Further struct {
	Skills []string // of other skills, absolute; readable like Skill
	Caches []string // caches of this program; writable, resolved
}

// Checked describes what the paths of a [Config] were when they were checked. The
// policy is for exactly that, or an error. What is missing was not checked.
type Checked struct {
	Folder fs.FileInfo            // of Skill
	Known  map[string]fs.FileInfo // of Dir, AllowRead and AllowWrite, by resolved path
}

// The maximum number of protected entries of a kind. More are an error, because
// an exhausted list protects nothing.
const most = 256

// New builds the policy for one script. If it returns an error, the script must
// not run. The error wraps [ErrTooWide] if the working directory or a writable
// folder is too wide.
func New(c Config) (Policy, error) { return decide(c, systemSecrets(existing(c.AllowRead))) }

// Outline is [New] without what is hidden in the folders of the system, which takes as
// long to find as everything else. It is for [Backend.NotEnforced], never to be enforced.
func Outline(c Config) (Policy, error) { return decide(c, nil) }

// decide builds a policy that hides the secrets of the system.
func decide(c Config, secrets []string) (Policy, error) {
	p := Policy{Given: append([]string{cmp.Or(c.Given, c.Dir)}, c.Programs...), Temp: c.Temp, Access: c.Access}
	var err error
	p.Dir, err = CheckWrite("the working folder", c.Dir, c.Homes)
	if err != nil {
		return p, err
	}
	if len(c.Homes) > 0 {
		p.Home = c.Homes[0]
	}
	skill := ""
	if c.Skill != "" {
		skill, err = checkSkill(c.Skill, c.Homes)
		if err != nil {
			return p, err
		}
	}
	if c.Temp != "" {
		p.Write = append(p.Write, c.Temp)
	}
	p.Write = append(p.Write, c.Caches...)
	for _, dir := range c.AllowWrite {
		real, err := CheckWrite("the writable folder", dir, c.Homes)
		if err != nil {
			return p, err
		}
		p.Write = append(p.Write, real)
	}
	toolchains, links := c.toolchains()
	p.Given = append(p.Given, links...)
	p.Read = slices.Concat(existing(systemPaths(c.Net)), toolchains, existing(c.AllowRead), existing(c.Skills))
	if skill != "" {
		p.Read = append(p.Read, skill)
	}
	inSkill := skill != "" && skill != p.Dir && Within(p.Dir, skill)
	if inSkill || inGitDir(p.Dir) {
		p.Read = append(p.Read, p.Dir) // the files of the skill, or of git, are read-only
	} else {
		p.Write = append(p.Write, p.Dir)
	}
	if err := p.protect(c, skill, secrets); err != nil {
		return p, err
	}
	for _, list := range []*[]string{&p.Read, &p.Write, &p.ReadOnly, &p.Hidden, &p.Unprotected, &p.Missing, &p.Repositories} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	p.Sources, err = identify(p)
	if err != nil {
		return p, err
	}
	return p, p.verify(c, skill)
}

// Neutral returns a policy that shows whether a sandbox works on this machine: it has a
// mount of each kind, and nothing that a script could replace. dir is an empty folder
// of this program.
func Neutral(c Config, dir string) (Policy, error) {
	p := Policy{Dir: filepath.Join(dir, "work"), Temp: c.Temp, Access: Access{Net: c.Net}, Given: c.Programs}
	readOnly, hidden := filepath.Join(p.Dir, "read-only"), filepath.Join(p.Dir, "hidden")
	if err := os.MkdirAll(readOnly, 0o700); err != nil {
		return p, err
	}
	if err := os.WriteFile(hidden, nil, 0o600); err != nil {
		return p, err
	}
	p.Read = append(existing(systemPaths(c.Net)), existing(c.Programs)...)
	p.Write, p.ReadOnly, p.Hidden = []string{p.Dir, c.Temp}, []string{readOnly}, []string{hidden}
	slices.Sort(p.Read)
	p.Read = slices.Compact(p.Read)
	var err error
	p.Sources, err = identify(p)
	return p, err
}

// protect adds the read-only and hidden paths inside the granted folders.
func (p *Policy) protect(c Config, skill string, hidden []string) error {
	skills := existing(c.Skills)
	if skill != "" {
		skills = append(skills, skill)
	}
	for _, dir := range append([]string{p.Dir}, skills...) {
		files, err := envFiles(dir)
		if err != nil {
			return err
		}
		hidden = append(hidden, files...)
	}
	keep, err := protectedNames(p.Dir, c.Homes)
	if err != nil {
		return err
	}
	keep = p.withLinks(keep, c.History)
	if skill == p.Dir {
		for _, name := range SkillParts() {
			keep = append(keep, filepath.Join(skill, name))
		}
	} else if skill != "" && p.writable(skill) {
		keep = append(keep, skill)
	}
	if c.Script != "" {
		keep = append(keep, c.Script)
	}
	for _, path := range slices.Concat(keep, c.Skills, c.Protect) {
		info := resolveParent(&path)
		switch {
		case info == nil || !p.writable(path) || slices.Contains(p.Write, path):
		case info.Mode()&fs.ModeSymlink != 0:
			p.Unprotected = append(p.Unprotected, path)
		default:
			p.ReadOnly = append(p.ReadOnly, path)
		}
	}
	for _, path := range append(hidden, c.Private...) {
		info := resolveParent(&path)
		if info != nil && info.Mode()&fs.ModeSymlink != 0 { // the target is hidden if it is an ordinary file
			path = Real(path)
			info, _ = os.Lstat(path)
			ordinary := info != nil && info.Mode().IsRegular()
			granted := p.writable(path) || anyHolds(skills, path)
			if !ordinary || !granted {
				continue
			}
		}
		if info != nil && p.visible(path) {
			p.Hidden = append(p.Hidden, path)
		}
	}
	return nil
}

// withLinks returns protected paths with what links in them lead to, and notes what is
// missing. history lets the history of repositories be written.
func (p *Policy) withLinks(keep []string, history bool) []string {
	behind, missing := linked(keep)
	if history {
		keep, p.Repositories = p.history(keep)
	}
	for _, path := range append(missing, keep...) {
		if p.creatable(path) && !p.checked(path) {
			p.Missing = append(p.Missing, path)
		}
	}
	return append(keep, behind...)
}

// creatable reports whether a path does not exist, and the script could create it. Names
// directly in the working folder do not count: those are always protected names.
func (p Policy) creatable(path string) bool {
	dir := filepath.Dir(path)
	if exists(path) || slices.Contains(ProtectedNames(), filepath.Base(path)) {
		return false
	}
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return p.writable(Real(dir))
}

// resolveParent resolves the parent folder of a path; the result is nil if it
// does not exist.
func resolveParent(path *string) fs.FileInfo {
	dir, err := filepath.EvalSymlinks(filepath.Dir(*path))
	if err != nil {
		return nil
	}
	*path = filepath.Join(dir, filepath.Base(*path))
	info, _ := os.Lstat(*path)
	return info
}

// envFiles returns the environment files in a folder. Folders with such names
// are virtual environments.
func envFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for .env files: %w", err)
	}
	var found []string
	for _, entry := range entries {
		if IsEnvFile(entry.Name()) && !entry.IsDir() {
			found = append(found, filepath.Join(dir, entry.Name()))
		}
	}
	if len(found) > most {
		return nil, fmt.Errorf("%s has more than %d .env files, too many to hide", dir, most)
	}
	return found, nil
}

// protectedNames returns the paths in the working directory that can make other
// programs run code later.
func protectedNames(dir string, homes []string) ([]string, error) {
	found, err := gitFolders(dir, homes)
	found = slices.Concat(found, above(dir, homes), userSettings(homes))
	for _, name := range ProtectedNames() {
		found = append(found, filepath.Join(dir, name))
	}
	return found, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsEnvFile reports whether name is that of a file with environment variables,
// such as .env.local or prod.env, and not of an example of one.
func IsEnvFile(name string) bool {
	name = strings.ToLower(name)
	if name == ".flaskenv" || strings.HasPrefix(name, ".dev.vars") {
		return true
	}
	which, suffix := strings.CutSuffix(name, ".env")
	if rest, ok := strings.CutPrefix(name, ".env"); ok {
		which, suffix = strings.TrimLeft(rest, ".-_"), true
	}
	return suffix && !slices.Contains([]string{"example", "sample", "template", "dist", "defaults", "schema"}, which)
}

// Sockets reports whether sockets of the Internet are allowed inside of bubblewrap, for the
// network or for the loopback interface of a namespace of its own.
func (p Policy) Sockets() bool { return p.Net || p.Loopback }

func (p Policy) writable(path string) bool { return anyHolds(p.Write, path) }

func (p Policy) visible(path string) bool { return anyHolds(p.Read, path) || p.writable(path) }

// Sees reports whether the script can access a path, which need not exist.
func (p Policy) Sees(path string) bool {
	path = Real(path)
	if anyHolds(p.Hidden, path) {
		return false
	}
	if p.Tmp && Within(path, "/tmp") && !p.visible(path) {
		return true
	}
	return p.visible(path) || anyHolds([]string{"/proc", "/dev"}, path)
}
