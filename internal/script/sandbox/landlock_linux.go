package sandbox

// How a policy becomes Landlock rules. A rule grants rights to a folder and to
// everything in it, and nothing takes a part of them away, so the folders around a
// hidden path are granted entry by entry. Rules are for opened files: each is
// compared with what the policy was decided on. If one rule fails, the thread does
// not enter the sandbox, and the script does not start.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// minLandlock is the first Landlock version that controls truncation of files.
const minLandlock = 3

// Landlock access rights.
const (
	rightsRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rightsAll   = 1<<16 - 1
	rightsWrite = rightsAll &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
)

// landlockVersion returns the kernel's Landlock version, or 0.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

func checkLandlock(version int) error {
	switch {
	case version == 0:
		return errors.New("the kernel does not offer it")
	case version < minLandlock:
		return fmt.Errorf("the kernel has version %d, which cannot keep files from being truncated; version %d is needed", version, minLandlock)
	case !Filtered():
		return errors.New("no seccomp filter for this architecture, so the network would be open")
	}
	return nil
}

// Candidates returns the backends of this system, strongest first, and why
// others are missing. bwrap is not started from an untrusted folder.
func Candidates(search, untrusted []string) (found []Backend, missing []string) {
	if program, err := FindTrusted("bwrap", search, untrusted); err != nil {
		missing = append(missing, Bubblewrap+": "+err.Error())
	} else {
		found = append(found, Backend{Name: Bubblewrap, program: program})
	}
	version := landlockVersion()
	if err := checkLandlock(version); err != nil {
		missing = append(missing, Landlock+": "+err.Error())
	} else {
		found = append(found, Backend{Name: Landlock, abi: version})
	}
	return found, missing
}

// Restrict permanently applies a policy by [Landlock] to this thread and its
// children.
func Restrict(p Policy) error {
	version := landlockVersion()
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rightsAll}
	size := uintptr(8) // size of the structure in the kernel's version
	if version < 5 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 4 {
		size = 16
		if !p.Net {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if version >= 6 {
		size = 24
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("creating a Landlock ruleset: %w", errno)
	}
	defer unix.Close(int(fd))
	r := ruleset{int(fd), attr.Handled_access_fs, p}
	if err := r.grant(p.Read, p.Write); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("entering Landlock: %w", errno)
	}
	return nil
}

type ruleset struct {
	fd      int
	handled uint64
	policy  Policy
}

// grant adds the rules for the paths of a policy, and for the files of the kernel and
// the devices that programs need.
func (r *ruleset) grant(read, write []string) error {
	for _, path := range read {
		if err := r.read(path); err != nil {
			return err
		}
	}
	for _, path := range write {
		if err := r.add(path, rightsWrite); err != nil {
			return err
		}
	}
	for _, name := range []string{"cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "sys", "uptime", "version"} {
		if err := r.add("/proc/"+name, rightsRead); err != nil {
			return err
		}
	}
	for _, name := range []string{"full", "null", "random", "urandom", "zero"} {
		if err := r.add("/dev/"+name, rightsFile&^unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil {
			return err
		}
	}
	return nil
}

// read allows reading a path except for hidden paths below it. A right to a
// folder includes everything in it, so the siblings of a hidden path are
// granted one by one.
func (r *ruleset) read(path string) error {
	if anyHolds(r.policy.Hidden, path) {
		return nil
	}
	below := slices.DeleteFunc(slices.Clone(r.policy.Hidden), func(hidden string) bool { return !Within(hidden, path) })
	if len(below) == 0 {
		return r.add(path, rightsRead)
	}
	if !slices.ContainsFunc(below, isFolder) { // names next to a hidden file are not secret
		if err := r.add(path, unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("looking for what is hidden: %w", err)
	}
	for _, entry := range entries {
		if err := r.read(filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// add grants rights to a path and everything below it. The right is that of the
// opened file or folder, which must be what the policy was decided on. It ignores
// missing paths that the policy does not name, links, whose targets have their own
// rights, and pipes and sockets outside the writable folders.
func (r *ruleset) add(path string, rights uint64) error {
	fd, err := r.policy.open(path)
	if err != nil {
		if _, named := r.policy.Sources[path]; named {
			return err
		}
		return nil
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	unix.Fstat(fd, &stat)
	rights &= r.handled
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFREG, unix.S_IFCHR:
		rights &= rightsFile
	default:
		return nil
	}
	if rights == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("granting %s: %w", path, errno)
	}
	return nil
}
