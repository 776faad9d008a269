package script

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// bubblewrap fences a script in with the program bwrap: a view of the file
// system of its own, in which nothing else can be written, secrets are covered,
// and there are no other processes and no network.
type bubblewrap struct {
	self    string
	program string // its absolute path; "" where it is not there
}

// The descriptors that bubblewrap is started with, beside the script's streams.
const (
	filterFD = 3
	statusFD = 4
)

func (bubblewrap) name() string { return "bubblewrap" }

func (f bubblewrap) suits(p policy) error {
	if f.program == "" {
		return errors.New("bwrap is not on PATH")
	}
	if p.writable(f.program) {
		return errors.New(f.program + " lies in a writable folder, so a script may have put it there")
	}
	for _, secret := range p.secrets {
		for _, dir := range p.write {
			if within(dir, secret) {
				return errors.New(dir + " lies in " + secret + ", which is kept secret")
			}
		}
	}
	return nil
}

func (bubblewrap) open(policy) []string { return nil }

func (bubblewrap) gaps(policy) []string {
	if !filtered() {
		return []string{"programs that listen at Unix sockets can be reached: there is no filter of system calls for this machine"}
	}
	return nil
}

func (f bubblewrap) launch(command []string, p policy, env []string) (*launch, error) {
	words := append([]string{f.program}, bubblewrapArguments(p, filtered(), os.Geteuid() == 0)...)
	words = append(append(words, "--"), command...)
	return supervised(f.self, words, p.dir, env, order{Kind: kindBubblewrap, Net: p.net, Limits: p.limits})
}

// bubblewrapArguments are the arguments up to the command. What stands later
// covers what stands earlier.
func bubblewrapArguments(p policy, filter, superuser bool) []string {
	words := []string{
		"--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
	add := func(more ...string) { words = append(words, more...) }
	if !p.net {
		add("--unshare-net")
	}
	add("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	if p.limits.File > 0 { // it is memory, which nobody's limit counts
		add("--size", strconv.FormatUint(p.limits.File, 10), "--tmpfs", "/dev/shm")
	}
	if superuser { // who may write there, privileges or not
		for _, name := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"} {
			add("--ro-bind-try", name, name)
		}
	}
	for _, dir := range p.write {
		add("--bind", dir, dir)
	}
	// What is mounted cannot be renamed: so a folder with something protected
	// in it cannot be put aside and another into its place.
	pinned := map[string]bool{}
	for _, path := range p.protect {
		var chain []string
		for dir := filepath.Dir(path); p.writable(dir) && !p.isWriteRoot(dir) && !pinned[dir]; dir = filepath.Dir(dir) {
			pinned[dir] = true
			chain = append(chain, dir)
		}
		for i := len(chain) - 1; i >= 0; i-- {
			add("--bind-try", chain[i], chain[i])
		}
	}
	for _, path := range p.protect {
		add("--ro-bind-try", path, path) // somebody else may have removed it
	}
	for _, dir := range p.write {
		if slices.ContainsFunc(p.protect, func(path string) bool { return within(dir, path) }) {
			add("--bind", dir, dir) // somebody has said so
		}
	}
	for _, path := range p.secrets {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			add("--perms", "0000", "--tmpfs", path, "--remount-ro", path)
		} else if err == nil {
			add("--ro-bind", "/dev/null", path)
		}
	}
	add("--remount-ro", "/dev") // not what is mounted in it
	if filter {
		add("--seccomp", strconv.Itoa(filterFD))
	}
	add("--json-status-fd", strconv.Itoa(statusFD), "--chdir", p.dir)
	return words
}
