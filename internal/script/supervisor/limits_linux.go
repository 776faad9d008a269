package supervisor

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// threadsPerProcess is how many threads the system lets there be for each
// process of the limit: its count is of threads, and of all of the user's.
const threadsPerProcess = 4

// setLimits limits this process and what it starts from now on.
func setLimits(l Limits) error {
	for resource, value := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: l.Open, unix.RLIMIT_FSIZE: l.File, unix.RLIMIT_DATA: l.Data} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err == nil {
			value = min(value, now.Max)
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setting resource limit %d: %w", resource, err)
		}
	}
	return nil
}

// limitProcesses calls start while the number of processes is limited: what it
// starts inherits the limit, and the filter of system calls keeps it from being
// raised. It cannot stay on this process, whose threads count too. It does not
// apply to the superuser.
func limitProcesses(l Limits, start func() (int, error)) (int, error) {
	var info unix.Sysinfo_t
	var before unix.Rlimit
	err := unix.Sysinfo(&info)
	if err == nil {
		err = unix.Prlimit(0, unix.RLIMIT_NPROC, nil, &before)
	}
	if err == nil {
		most := min(before.Max, uint64(info.Procs)+uint64(l.Processes)*threadsPerProcess)
		err = unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: before.Max}, nil)
	}
	if err != nil {
		return 0, fmt.Errorf("limiting processes: %w", err)
	}
	defer unix.Prlimit(0, unix.RLIMIT_NPROC, &before, nil)
	return start()
}

// DisableDump keeps the other programs of this user, an unsandboxed script among
// them, from reading this process: its memory, its environment, its files. It is
// for programs that hold keys, and lasts. It does not stop the superuser.
func DisableDump() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// dropPrivileges makes sure that the calling thread, and what it starts, has no
// privileges and never gets any: neither as the superuser nor through a program
// that belongs to another user.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	for c := uintptr(0); c < 64; c++ {
		if unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) == unix.EINVAL {
			break // no more of them; without privileges the answer is EPERM
		}
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	return nil
}
