package sandbox

// What this program does inside of bubblewrap before the script starts, see
// [Plan]. It has privileges there, so it resolves no path that a script could
// change: it mounts opened files on opened files. It checks afterwards that each
// path leads to its mount, because a folder may have been moved meanwhile. Any
// error keeps the script from starting.

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// kernelFiles are read-only for scripts: the superuser could write there even
// without privileges.
func kernelFiles() []string {
	return []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"}
}

// Apply mounts what is left, and changes to the working directory. It must be
// called inside of bubblewrap, with the privileges for it. An error means that
// the script must not start.
func (plan Plan) Apply() error {
	for _, path := range plan.Outer {
		if err := plan.check(path, plan.Policy.Sources[path]); err != nil {
			return err
		}
	}
	if plan.Policy.Tmp {
		if err := plan.check("/tmp", plan.Policy.Sources[plan.Policy.Temp]); err != nil {
			return err
		}
	}
	// The privileges are those of a user namespace inside of bubblewrap's, so they
	// need mounts of their own. Bubblewrap's first process has the others.
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	if err := hideFirstProcess(); err != nil {
		return err
	}
	for _, path := range kernelFiles() {
		if fd, _, err := openPath(path); err == nil {
			err = bind(fd, fd, mountReadOnly)
			unix.Close(fd)
			if err != nil {
				return fmt.Errorf("protecting %s: %w", path, err)
			}
		}
	}
	if err := protectDevices(); err != nil {
		return err
	}
	covers := make([]ID, len(plan.Inner))
	for i, m := range plan.Inner {
		var err error
		covers[i], err = plan.mount(m)
		if err != nil {
			return err
		}
	}
	// A folder may have been moved with what was mounted in it.
	for i, m := range plan.Inner {
		if err := plan.check(m.Path, covers[i]); err != nil {
			return err
		}
	}
	dir, err := plan.Policy.open(plan.Policy.Dir)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return os.NewSyscallError("changing to the working folder", unix.Fchdir(dir))
}

// protectDevices makes bubblewrap's devices read-only: they are the system's, and the
// superuser could change their modes and times. They can be written all the same.
func protectDevices() error {
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		fd, _, err := openPath("/dev/" + name)
		if err != nil {
			continue // bubblewrap has not made it
		}
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr)
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("protecting /dev/%s: %w", name, err)
		}
	}
	return nil
}

// hideFirstProcess covers the folder of process 1, through which the mounts of
// bubblewrap could be reached that are not protected.
func hideFirstProcess() error {
	const readOnly = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("tmpfs", "/proc/1", "tmpfs", readOnly, "mode=0555"); err != nil {
		return os.NewSyscallError("covering /proc/1", err)
	}
	if _, err := os.Lstat("/proc/1/root"); !os.IsNotExist(err) {
		return fmt.Errorf("covering /proc/1: its files are still there (%v)", err)
	}
	return nil
}

// check returns an error unless something is mounted at a path, and is what it
// should be.
func (plan Plan) check(path string, want ID) error {
	fd, id, err := openPath(path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, 0, &stat); err != nil {
		return fmt.Errorf("checking the mount at %s: %w", path, err)
	}
	if stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT == 0 || id != want {
		return changed(path)
	}
	return nil
}

// mount mounts a path over itself, or over it what hides it. It returns the
// identity of what is then at the path.
func (plan Plan) mount(m Inner) (ID, error) {
	fd, err := plan.Policy.open(m.Path)
	if err != nil {
		return ID{}, err
	}
	defer unix.Close(fd)
	id := plan.Policy.Sources[m.Path]
	switch {
	case m.Kind == mountHidden && id.Type == unix.S_IFDIR:
		at := fmt.Sprintf("/proc/self/fd/%d", fd)
		err = unix.Mount("tmpfs", at, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0000")
		if err != nil {
			break
		}
		var covered int
		covered, id, err = openPath(m.Path)
		if err == nil {
			unix.Close(covered)
		}
	case m.Kind == mountHidden:
		var null int
		null, id, err = openPath("/dev/null")
		if err == nil {
			err = bind(null, fd, m.Kind)
			unix.Close(null)
		}
	default:
		err = bind(fd, fd, m.Kind)
	}
	if err != nil {
		err = fmt.Errorf("mounting %s: %w", m.Path, err)
	}
	return id, err
}

// bind mounts what one descriptor refers to on another one. No path is resolved.
func bind(source, target, kind int) error {
	tree, err := unix.OpenTree(source, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("open_tree (Linux 5.12 or later is needed)", err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	switch kind {
	case mountWrite:
		attr.Attr_clr = unix.MOUNT_ATTR_RDONLY
	case mountRead, mountReadOnly, mountHidden:
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return os.NewSyscallError("mount_setattr (Linux 5.12 or later is needed)", err)
	}
	return os.NewSyscallError("move_mount", unix.MoveMount(tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH))
}
