package supervisor

import "golang.org/x/sys/unix"

// DisableDump keeps the other programs of this user, an unconfined script among
// them, from reading this process: its memory, its environment, its files. It
// is for programs that hold keys, and lasts. It does not stop the superuser.
func DisableDump() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
