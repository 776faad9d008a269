package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rules are the rights that are granted.
type rules struct {
	fd      int
	handled uint64
	write   []string        // granted as a whole
	secrets map[string]bool // not granted
	above   map[string]bool // folders that one of those lies in
	closed  map[string]bool // those of them with a folder that is not granted in them
}

// grant grants what a policy allows.
func (r *rules) grant(write, secrets []string) error {
	r.write = write
	r.secrets, r.above, r.closed = map[string]bool{}, map[string]bool{}, map[string]bool{}
	// Of what the kernel shows, only what is of no one process is granted; and
	// no device but those that hold nothing.
	for _, path := range append([]string{"/proc", "/dev"}, secrets...) {
		r.secrets[path] = true
		info, err := os.Lstat(path)
		folder := err != nil || info.IsDir()
		for dir := filepath.Dir(path); !r.above[dir] || folder && !r.closed[dir]; dir = filepath.Dir(dir) {
			r.above[dir], r.closed[dir] = true, r.closed[dir] || folder
		}
	}
	if err := r.descend("/"); err != nil {
		return err
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
	for _, path := range write {
		if err := r.add(path, rightsWrite); err != nil {
			return err
		}
	}
	return nil
}

// descend lets a place be read, but for the secrets in it.
func (r *rules) descend(path string) error {
	switch {
	case r.secrets[path] || slices.Contains(r.write, path):
		return nil
	case !r.above[path]:
		return r.add(path, rightsRead)
	}
	if !r.closed[path] { // the names beside a file are no secret
		if err := r.add(path, unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil && !slices.ContainsFunc([]error{os.ErrPermission, os.ErrNotExist}, func(e error) bool { return errors.Is(err, e) }) {
		return err
	}
	for _, entry := range entries {
		if err := r.descend(filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// add grants rights to what lies at and below a path. What is not there, and a
// link, is passed over: what it leads to has its own rights. So is a file with
// several names: the right would be to the file, and another of its names may be
// a secret one.
func (r *rules) add(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil
	case unix.S_IFDIR:
	case unix.S_IFREG:
		if stat.Nlink > 1 {
			return nil
		}
		rights &= rightsFile
	default:
		rights &= rightsFile
	}
	if rights &= r.handled; rights == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("granting %s: %w", path, errno)
	}
	return nil
}
