package script

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlock fences a script in with the kernel's Landlock, which takes rights
// from a process rather than giving it another view of the system. Rights are
// granted for whole folders and never taken back for a part of one.
type landlock struct {
	self string
	abi  int // the kernel's version of it
}

// minABI is the first version of Landlock that keeps files from being cut off.
const minABI = 3

// Rights of Landlock.
const (
	rightsRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rightsAll   = 1<<16 - 1
	rightsWrite = rightsAll &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
)

// landlockABI is the kernel's version of Landlock, 0 for none.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

func (landlock) name() string { return "landlock" }

// suits says what keeps this fence from holding a policy.
func (f landlock) suits(p policy) error {
	switch {
	case f.abi == 0:
		return errors.New("the kernel has none, or has it switched off")
	case f.abi < minABI:
		return fmt.Errorf("the kernel's (version %d) cannot keep files from being cut off", f.abi)
	case !filtered():
		return errors.New("there is no filter of system calls for this machine, so the network would be open")
	}
	for _, secret := range p.secrets {
		if p.writable(secret) && !slices.Contains(p.single, secret) {
			return fmt.Errorf("%s lies in a writable folder and cannot be kept from being read", secret)
		}
	}
	return nil
}

// open are the secrets in writable folders: rights to a folder are rights to
// everything in it.
func (landlock) open(p policy) []string {
	var open []string
	for _, secret := range p.secrets {
		if p.writable(secret) {
			open = append(open, secret)
		}
	}
	return open
}

// gaps says what of a policy is not held.
func (f landlock) gaps(p policy) []string {
	gaps := []string{"the names, sizes and times of all files can be looked at, and permissions and times of your own changed"}
	for _, secret := range f.open(p) {
		gaps = append(gaps, secret+" can be read, for it lies in a writable folder")
	}
	if len(p.protect) > 0 {
		gaps = append(gaps, "skills and Git hooks in a writable folder can be changed")
	}
	if f.abi < 6 {
		gaps = append(gaps, "your other processes can be sent signals")
	}
	return gaps
}

func (f landlock) launch(command []string, p policy, env []string) (*launch, error) {
	return supervised(f.self, command, p.dir, env, order{
		Kind: kindLandlock, Write: raw(p.write), Secrets: raw(p.secrets), Net: p.net, Limits: p.limits,
	})
}

// restrict puts the calling thread, and what it starts, behind Landlock.
func restrict(o order) error {
	abi := landlockABI()
	ruleset := unix.LandlockRulesetAttr{Handled_access_fs: rightsAll}
	size := uintptr(8) // what the kernel knows of the structure
	if abi < 5 {
		ruleset.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 4 {
		size = 16
		if !o.Net {
			ruleset.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if abi >= 6 {
		size = 24
		ruleset.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&ruleset)), size, 0)
	if errno != 0 {
		return fmt.Errorf("making a Landlock ruleset: %w", errno)
	}
	defer unix.Close(int(fd))
	rules := rules{fd: int(fd), handled: ruleset.Handled_access_fs}
	if err := rules.grant(texts(o.Write), texts(o.Secrets)); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("entering Landlock: %w", errno)
	}
	return nil
}
