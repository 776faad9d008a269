package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// policy is what a script may do, as far as a fence can hold it to that. All
// paths are real ones: no part of them is a link.
type policy struct {
	dir     string   // the working directory: writable
	temp    string   // the temporary folder: writable; "" where nothing is confined
	write   []string // everything that is writable, the two above among it; sorted
	protect []string // not to be written though it lies below one of those, but for those below it; sorted
	secrets []string // not to be read; sorted
	single  []string // those of them that are single files anywhere: .env and what the runner's caller names
	net     bool     // the network may be used
	limits  limits

	unknown []string // what could not be found out about secrets, for [Confinement.Gaps]
}

// limits are how much of the machine a script gets; 0 is no limit.
type limits struct {
	Processes int    // at a time
	Memory    uint64 // bytes of all processes together
	Data      uint64 // bytes of one of them
	File      uint64 // bytes of one file
	Open      uint64 // open files of one process
}

// The limits of a confined script.
const (
	maxProcesses = 256
	maxMemory    = 4 << 30
	maxFile      = 1 << 30
	maxOpen      = 1024
)

// policy works out what confined scripts may do. clean removes what was made
// for it.
func (r *Runner) policy() (p policy, clean func(), err error) {
	clean = func() {}
	p = policy{net: r.AllowNet, limits: limits{maxProcesses, maxMemory, maxMemory, maxFile, maxOpen}}
	if p.dir, err = filepath.EvalSymlinks(r.Dir); err != nil {
		return p, clean, fmt.Errorf("looking at the working directory: %w", err)
	}
	homes, unknown := r.homes()
	p.unknown = unknown
	if err := tooWide(p.dir, homes); err != nil {
		return p, clean, fmt.Errorf("the working directory %w", err)
	}
	p.write = []string{p.dir}
	for _, dir := range r.AllowWrite {
		got, err := r.opening(dir, homes)
		if err != nil {
			return p, clean, err
		}
		p.write = append(p.write, got)
	}
	places := secretPlaces(homes)
	named, unknown := r.namedSecrets(p, homes)
	p.unknown = append(p.unknown, unknown...)
	p.single = append(append(real(r.Secrets), named...), p.linkedSecrets(append(slices.Clone(places), named...), homes)...)
	p.single = append(p.single, real(envAbove(p.dir))...)
	for _, dir := range p.write {
		found := surveyOf(dir)
		p.single = append(p.single, real(found.env)...)
		p.protectWork(dir, found)
		if found.cut {
			p.unknown = append(p.unknown, fmt.Sprintf("not all of %s was searched for .env files, skills and repositories", dir))
		}
	}
	for _, root := range real(r.Protect) {
		if !p.writable(root) {
			p.single = append(p.single, real(surveyOf(root).env)...)
		}
	}
	p.single = append(p.single, aliases(p.single)...)
	p.secrets = append(places, p.single...)
	p.protect = append(p.protect, real(r.Protect)...)

	work, err := r.workFolder(p, homes)
	if err != nil {
		return p, clean, err
	}
	clean = func() { removeWork(work) }
	p.temp = filepath.Join(work, "tmp")
	err = os.Mkdir(p.temp, 0o700)
	if !slices.ContainsFunc(p.secrets, func(s string) bool { return !p.writable(s) && readable(s) }) {
		// Nothing to try on whether secrets are kept, so there has to be one.
		made := filepath.Join(work, "secret")
		p.secrets = append(p.secrets, made)
		err = errors.Join(err, os.WriteFile(made, []byte("secret\n"), 0o600))
	}
	if err != nil {
		clean()
		return p, func() {}, fmt.Errorf("making the temporary folder: %w", err)
	}
	p.write = append(p.write, p.temp)
	p.secrets = append(p.secrets, aliases(p.secrets)...)
	for _, list := range []*[]string{&p.write, &p.protect, &p.secrets} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	p.secrets = slices.DeleteFunc(p.secrets, p.below) // masked with the folder they are in
	all := p
	all.protect = slices.Clone(p.protect)
	p.protect = slices.DeleteFunc(p.protect, func(path string) bool {
		return !p.writable(path) || p.isWriteRoot(path) || all.keptAnyway(path)
	})
	return p, clean, nil
}

// readable says whether there is something in a place that we can read. At the
// other end of a pipe somebody may wait, or nobody.
func readable(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && (info.IsDir() || info.Mode().IsRegular()) && probeSecret(path) != nil
}

// below says whether a place lies below a secret one.
func (p policy) below(path string) bool {
	return slices.ContainsFunc(p.secrets, func(s string) bool { return s != path && within(path, s) })
}

// writable says whether a place lies in a writable one.
func (p policy) writable(path string) bool {
	return slices.ContainsFunc(p.write, func(w string) bool { return within(path, w) })
}

// isWriteRoot says whether a folder is one of those that are writable as a whole.
func (p policy) isWriteRoot(path string) bool { return slices.Contains(p.write, path) }

// keptAnyway says whether a protected place lies in another one, and in nothing
// that was opened inside of that.
func (p policy) keptAnyway(path string) bool {
	return slices.ContainsFunc(p.protect, func(q string) bool {
		return q != path && within(path, q) && !slices.ContainsFunc(p.write, func(w string) bool { return within(w, q) && within(path, w) }) &&
			p.writable(q) && !p.isWriteRoot(q)
	})
}

// homes are the home folders whose secrets are kept: what HOME says, and where
// the system's list of users has it.
func (r *Runner) homes() (homes, unknown []string) {
	home, _ := lookup(r.Env, "HOME")
	if home == "" {
		home, _ = lookup(r.Env, "USERPROFILE")
	}
	for _, dir := range append(real([]string{home}), real([]string{userHome()})...) {
		if filepath.Dir(dir) != dir && !slices.Contains(homes, dir) {
			homes = append(homes, dir)
		}
	}
	if len(homes) == 0 {
		unknown = append(unknown, "HOME is not set, so the secrets below it are not known")
	}
	return homes, unknown
}

// policyFor is the policy for one script: what it is made of can be read and not
// be written, and what was named as a secret may have come to be meanwhile.
func (r *Runner) policyFor(p policy, s Script) (policy, error) {
	if p.temp == "" { // not confined
		return p, nil
	}
	dir, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return p, fmt.Errorf("opening %s: %w", s, err)
	}
	p.secrets = append(slices.Clone(p.secrets), real(r.Secrets)...)
	if !p.writable(dir) { // otherwise it has been searched
		p.secrets = append(p.secrets, real(surveyOf(dir).env)...)
	}
	slices.Sort(p.secrets)
	p.secrets = slices.Compact(p.secrets)
	for _, secret := range p.secrets {
		if within(dir, secret) {
			return p, &refusal{
				reason: ErrNotScript,
				text:   fmt.Sprintf("starting %s: its folder lies in %s, which scripts cannot read", s, secret),
				hint:   "move the skill to another place",
			}
		}
	}
	own := []string{dir}
	if !p.writable(dir) || p.isWriteRoot(dir) { // at least the script itself
		own = real([]string{filepath.Join(dir, filepath.FromSlash(s.Name))})
	}
	own = slices.DeleteFunc(own, func(path string) bool { return !p.writable(path) })
	p.protect = append(slices.Clone(p.protect), own...)
	slices.Sort(p.protect)
	p.protect = slices.Compact(p.protect)
	return p, nil
}
