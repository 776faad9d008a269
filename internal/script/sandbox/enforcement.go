package sandbox

import "slices"

// Enforcement says which backends keep a script from doing something.
type Enforcement struct {
	Attempt  string   // what a script might do, as an infinitive
	Backends []string // the backends that prevent it
}

// Enforced is the table of what is enforced where. SECURITY.md has the same
// rows, and each is proved by the suite of escapes.
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
		{"use pipes, sockets and devices outside the granted folders", all},
		{"see names, sizes and times of files outside the granted folders", mounts},
		{"change permissions and times of your files elsewhere", mounts},
		{"use the network", all},
		{"trace, read and signal other processes", all},
		{"use namespaces, mounts, io_uring, kernel keys and System V memory", linux},
		{"leave a file that runs as you (set-user-ID)", linux},
		{"write to a terminal or type at it", all},
		{"use more than 256 processes, 4 GiB of memory or 1 GiB a file", linux},
		{"leave processes running", linux},
		{"ask services of the system to start programs", linux},
		{"read .env files further down in the working folder or a skill, change repositories there", nil},
		{"use a pipe that exists in a folder it may only read, such as its skill or --allow-read", nil},
		{"create a protected name that does not exist yet, such as .git", nil},
		{"read a hard link to a private file that is already in a granted folder", nil},
	}
}

// NotEnforced are the attempts that a backend does not prevent; everywhere says
// that those that no backend prevents are among them.
func NotEnforced(backend string, everywhere bool) []string {
	var open []string
	for _, row := range Enforced() {
		if !slices.Contains(row.Backends, backend) && (everywhere || len(row.Backends) > 0) {
			open = append(open, row.Attempt)
		}
	}
	return open
}

// NotEnforced says, in words, what of a policy the backend does not enforce.
func (b Backend) NotEnforced(p Policy) []string {
	open := NotEnforced(b.Name, false)
	if b.Name == Landlock && b.abi < 6 {
		open = append(open, "signal other processes of yours (the kernel's Landlock is older than version 6)")
	}
	if b.Name == Bubblewrap && !Filtered() {
		open = append(open, "connect to Unix sockets in the working folder (no filter of system calls exists for this processor)")
	}
	for _, path := range p.Unprotected {
		open = append(open, "replace "+path+", which is a link")
	}
	return open
}
