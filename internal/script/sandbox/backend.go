package sandbox

// The backends and what each of them enforces. A backend is chosen from
// [Candidates], strongest first, and its program must be one that no script could
// have put there. What a backend does not enforce is said in the words of one
// table, [Enforced], which SECURITY.md and the escape tests follow.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The names of the backends in results and events.
const (
	Bubblewrap = "bubblewrap"
	Landlock   = "landlock"
	Seatbelt   = "seatbelt"
	None       = "none"
)

// MaxFile is the maximum size of a script's file, or of a file system in
// memory, in bytes.
const MaxFile = 1 << 30

// Backend is a way to enforce policies. The zero value enforces nothing.
type Backend struct {
	Name        string
	Descriptors bool   // bubblewrap is to mount descriptors, with --bind-fd
	program     string // absolute path of bubblewrap
	abi         int    // the kernel's Landlock version
}

// Status describes the sandbox of a run.
type Status struct {
	Name        string   // name of the backend, or [None]
	NotEnforced []string // what it does not enforce, or without a backend the reason for that
	Tried       []string // why each stronger backend is not used
}

// Wrap returns the command line that enforces a policy, as far as that is not done by the
// process that starts it.
func (b Backend) Wrap(command []string, p Policy) []string {
	switch b.Name {
	case Bubblewrap:
		return append([]string{b.program}, command...) // the supervisor adds the arguments
	case Seatbelt:
		return append([]string{sandboxExec, "-p", seatbeltProfile(p)}, command...)
	}
	return command
}

// FindTrusted finds a program on a search path in a [Trusted] location.
func FindTrusted(name string, search, untrusted []string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var skipped []string
	for _, dir := range search {
		path := filepath.Join(dir, name)
		real, trusted := Trusted(path, untrusted)
		info, err := os.Stat(real)
		switch {
		case err != nil || !filepath.IsAbs(dir) || !isProgram(info):
		case !trusted:
			skipped = append(skipped, path)
		default:
			return real, nil
		}
	}
	if len(skipped) > 0 {
		return "", fmt.Errorf("%s is ignored because it is in the working folder or in a skill", strings.Join(skipped, ", "))
	}
	return "", errors.New(name + " is not on PATH")
}

// isProgram reports whether a file can be started. Windows has no mode for that.
func isProgram(info os.FileInfo) bool {
	executable := runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
	return info.Mode().IsRegular() && executable
}

// Trusted reports whether neither a path nor its target is in a skill or in an
// untrusted folder, which scripts or other users can write to.
func Trusted(path string, untrusted []string) (real string, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil && !anyHolds(untrusted, real) && !anyHolds(untrusted, path) && !inSkill(real) && !inSkill(path)
}

// inSkill reports whether a path is, or is below, a folder with a SKILL.md.
func inSkill(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		for _, name := range []string{"SKILL.md", "skill.md"} {
			if exists(filepath.Join(dir, name)) {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// Enforcement lists the backends that prevent an attempt.
type Enforcement struct {
	Attempt  string   // the attempt, as an infinitive
	Backends []string // the backends that prevent it
}

// Enforced returns the table of what each backend enforces. SECURITY.md has the
// same rows, and the escape tests verify each.
func Enforced() []Enforcement {
	linux, all := []string{Bubblewrap, Landlock}, []string{Bubblewrap, Landlock, Seatbelt}
	mounts := []string{Bubblewrap, Seatbelt}
	return []Enforcement{
		{"read files outside the granted folders", all},
		{"read .env files directly in a skill outside the working folder", all},
		{"read .env files directly in the working folder and in skills there", mounts},
		{"read or change the run's session, audit, recording and --env-file files in the working folder", mounts},
		{"change .git, .claude and the other protected names in the working folder", mounts},
		{"write outside the working folder, the temporary folder and --allow-write", all},
		{"reach other files by putting links in the place of folders while another script starts", linux},
		{"use pipes, sockets and devices outside the granted folders", all},
		{"see names, sizes and times of files outside the granted folders", mounts},
		{"change permissions and times of your files elsewhere", mounts},
		{"use the network", all},
		{"trace, read and signal other processes", all},
		{"use namespaces, mounts, io_uring, the kernel keyring and System V IPC", linux},
		{"leave a file that runs as you (set-user-ID)", linux},
		{"write to a terminal or inject input into it", all},
		{"go on with more than 256 processes or 4 GiB of memory, or write a file of more than 1 GiB", linux},
		{"leave processes running", linux},
		{"start programs through system services (D-Bus, systemd)", linux},
		{"read .env files further down in the working folder or a skill, change repositories more than one folder down", nil},
		{"use a pipe that exists in a folder it may only read, such as its skill or --allow-read", nil},
		{"leave a file that runs as one of your groups (set-group-ID)", nil},
		{"hold memory in sockets that it has sent through others and closed, up to 0.4 GiB", nil},
		{"create a protected name that does not exist yet, such as .git", nil},
		{"read a hard link to a private file that is already in a granted folder", nil},
	}
}

// NotEnforced describes the parts of a policy that the backend does not
// enforce, but another one does.
func (b Backend) NotEnforced(p Policy) []string {
	var open []string
	for _, row := range Enforced() {
		if !slices.Contains(row.Backends, b.Name) && len(row.Backends) > 0 {
			open = append(open, row.Attempt)
		}
	}
	if b.Name == Landlock && b.abi < 6 {
		open = append(open, "signal other processes of yours (the kernel's Landlock is older than version 6)")
	}
	if b.Name == Bubblewrap && !Filtered() {
		open = append(open, "connect to Unix sockets in the working folder (no seccomp filter for this architecture)")
	}
	for _, path := range p.Unprotected {
		open = append(open, "replace "+path+", which is a link")
	}
	for _, path := range p.Missing {
		open = append(open, "create "+path+", which settings of Git or a link name")
	}
	return open
}
