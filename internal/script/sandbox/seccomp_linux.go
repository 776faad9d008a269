package sandbox

// The system call filter: what a script must not ask the kernel for, besides the
// files that mounts or Landlock control. Calls are allowed unless a rule denies
// them, because programs need most of them. A rule can examine numbers among the
// arguments, but no memory, so a call whose flags are in memory is denied as a
// whole. A denied call returns the error for which programs have a fallback.

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Return actions of a filter.
const (
	actionAllow          = unix.SECCOMP_RET_ALLOW
	actionDeny           = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	actionNotImplemented = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	// As from a file system without the feature, which programs handle.
	actionUnsupported = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)
	// As from a file that cannot be spliced, which programs handle, too.
	actionInvalid = unix.SECCOMP_RET_ERRNO | uint32(unix.EINVAL)
	actionIgnore  = unix.SECCOMP_RET_ERRNO // success, without calling it
	actionKill    = unix.SECCOMP_RET_KILL_PROCESS
)

// Offsets in struct seccomp_data. Only the lower half of an argument is
// examined, which is enough for the small numbers used here.
const (
	offsetCall = 0
	offsetArch = 4
)

func offsetArgument(n uint32) uint32 { return 16 + 8*n }

// Filtered reports whether there is a filter for this architecture.
func Filtered() bool { return machine().audit != 0 }

// architecture holds the number of a machine type in filters, 0 without a
// filter, and the numbers of system calls that are missing on some machines or
// in package unix; -1 if the machine does not have the call.
type architecture struct {
	audit                                uint32
	open, creat, chmod, mknod, setrlimit int
}

// machine returns the architecture of this machine.
func machine() architecture {
	switch runtime.GOARCH {
	case "amd64":
		return architecture{audit: unix.AUDIT_ARCH_X86_64, open: 2, creat: 85, chmod: 90, mknod: 133, setrlimit: 160}
	case "arm64":
		return architecture{audit: unix.AUDIT_ARCH_AARCH64, open: -1, creat: -1, chmod: -1, mknod: -1, setrlimit: 164}
	}
	return architecture{open: -1, creat: -1, chmod: -1, mknod: -1, setrlimit: -1}
}

// rule is the return action for a system call if all its conditions hold.
type rule struct {
	call       int // negative if this machine does not have the call
	action     uint32
	conditions []condition
}

// condition compares some bits of an argument with a value.
type condition struct {
	offset, mask, value uint32
	not                 bool // the condition holds if they differ
}

const allBits = 1<<32 - 1

func is(argument, value uint32) condition {
	return condition{offset: offsetArgument(argument), mask: allBits, value: value}
}

func isNot(argument, value uint32) condition {
	return condition{offset: offsetArgument(argument), mask: allBits, value: value, not: true}
}

// has returns the condition that the argument has any of the bits.
func has(argument, bits uint32) condition {
	return condition{offset: offsetArgument(argument), mask: bits, value: 0, not: true}
}

// compile returns the instructions of the rule, which start and end with the
// call's number loaded.
func (r rule) compile() []unix.SockFilter {
	const each = 3 // instructions per condition
	n := len(r.conditions)
	part := []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(r.call), Jf: uint8(each*n + 2)}}
	for i, c := range r.conditions {
		holds, fails := uint8(0), uint8(each*(n-i-1)+1) // skips the remaining conditions and the result
		if c.not {
			holds, fails = fails, holds
		}
		part = append(part, load(c.offset), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: c.value, Jt: holds, Jf: fails})
	}
	return append(part, ret(r.action), load(offsetCall))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// filter returns the filter that denies system calls that leave the sandbox in
// other ways than by opening a file. Denied calls return an error rather than
// end the process, because programs try things. except are calls that it does not
// deny.
func filter(net bool, except ...int) []unix.SockFilter {
	p := []unix.SockFilter{
		load(offsetArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: machine().audit, Jt: 1},
		ret(actionKill), // 32-bit calls have other numbers
		load(offsetCall),
	}
	if runtime.GOARCH == "amd64" {
		const x32 = 0x40000000 // the first number of another interface
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jf: 1}, ret(actionNotImplemented))
	}
	for _, r := range rules(net) {
		if r.call >= 0 && !slices.Contains(except, r.call) {
			p = append(p, r.compile()...)
		}
	}
	return append(p, ret(actionAllow))
}

// FilterProgram returns the filter in bubblewrap's format; net allows the
// network. It is that of bubblewrap's own process inside and of this program,
// which still has to mount; without its privileges, these calls fail. The script
// gets the whole filter.
func FilterProgram(net bool) []byte {
	f := filter(net, unix.SYS_UNSHARE, unix.SYS_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(f))), len(f)*int(unsafe.Sizeof(f[0])))
}

// SetFilter applies the filter to the calling thread and its children. The
// thread must have disabled new privileges before.
func SetFilter(net bool) error {
	f := filter(net)
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: unsafe.SliceData(f)}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return fmt.Errorf("setting the seccomp filter: %w", errno)
	}
	return nil
}

// rules returns the forbidden system calls; net allows the network.
func rules(net bool) []rule {
	const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	const kind = 0xf // of a socket
	list := slices.Concat(unconditionalRules(), limitRules(), bufferRules(), permissionRules(), []rule{
		{unix.SYS_CLONE, actionDeny, []condition{has(0, namespaces)}},
		// A thread with open files of its own, which the supervisor would not see.
		{unix.SYS_CLONE, actionDeny, []condition{{offset: offsetArgument(0), mask: unix.CLONE_THREAD | unix.CLONE_FILES, value: unix.CLONE_THREAD}}},
		// Simulated typing in the user's terminal.
		{unix.SYS_IOCTL, actionDeny, []condition{is(1, unix.TIOCSTI)}},
		{unix.SYS_IOCTL, actionDeny, []condition{is(1, unix.TIOCLINUX)}},
		// A datagram socket pair can send to any path.
		{unix.SYS_SOCKETPAIR, actionDeny, []condition{
			{offset: offsetArgument(1), mask: kind, value: unix.SOCK_STREAM, not: true},
			{offset: offsetArgument(1), mask: kind, value: unix.SOCK_SEQPACKET, not: true},
		}},
	})
	if !net {
		return append(list, rule{unix.SYS_SOCKET, actionDeny, nil})
	}
	// No Unix sockets, which lead to programs that act on behalf of the user.
	// The C library looks up addresses with NETLINK_ROUTE.
	return append(list,
		rule{unix.SYS_SOCKET, actionDeny, []condition{isNot(0, unix.AF_INET), isNot(0, unix.AF_INET6), isNot(0, unix.AF_NETLINK)}},
		rule{unix.SYS_SOCKET, actionDeny, []condition{is(0, unix.AF_NETLINK), isNot(2, unix.NETLINK_ROUTE)}},
	)
}

// unconditionalRules are for calls that are filtered with any arguments.
func unconditionalRules() (list []rule) {
	for _, group := range []struct {
		action uint32
		calls  []int
	}{
		{actionDeny, []int{
			// Mounts and namespaces.
			unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
			unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
			unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
			// Other processes.
			unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
			unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PERF_EVENT_OPEN, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
			// The kernel itself.
			unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
			unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
			unix.SYS_CLOCK_ADJTIME, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
			// Calls that can replace others, including those for sockets.
			unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
			// Keys and named shared memory.
			unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
			// Numbered shared memory of any process of the same user.
			unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
			unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		}},
		// Extended attributes, which Landlock does not control. Programs that
		// copy files try to set them.
		{actionUnsupported, []int{
			unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
			unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
		}},
		{actionNotImplemented, []int{
			// Files in memory, which no limit includes. Some kernels do not have
			// them, so programs have a fallback.
			unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
			// Their arguments are in memory, which a filter cannot read: programs
			// use clone and openat instead.
			unix.SYS_CLONE3, unix.SYS_OPENAT2,
		}},
	} {
		for _, call := range group.calls {
			list = append(list, rule{call, group.action, nil})
		}
	}
	return list
}

// limitRules allow a process to change only its own priority and limits, except
// the limit on the number of processes, which it could raise to the hard limit.
func limitRules() (list []rule) {
	for _, call := range []int{unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETAFFINITY, unix.SYS_PRLIMIT64} {
		list = append(list, rule{call, actionDeny, []condition{isNot(0, 0)}})
	}
	const ioprioWhoProcess = 1
	for call, process := range map[int]uint32{unix.SYS_SETPRIORITY: unix.PRIO_PROCESS, unix.SYS_IOPRIO_SET: ioprioWhoProcess} {
		list = append(list, rule{call, actionDeny, []condition{isNot(0, process)}}, rule{call, actionDeny, []condition{isNot(1, 0)}})
	}
	newLimit := offsetArgument(2) // a pointer, with both halves
	return append(list,
		rule{unix.SYS_PRLIMIT64, actionDeny, []condition{is(1, unix.RLIMIT_NPROC), {offset: newLimit, mask: allBits, value: 0, not: true}}},
		rule{unix.SYS_PRLIMIT64, actionDeny, []condition{is(1, unix.RLIMIT_NPROC), {offset: newLimit + 4, mask: allBits, value: 0, not: true}}},
		rule{machine().setrlimit, actionDeny, []condition{is(0, unix.RLIMIT_NPROC)}},
	)
}

// bufferRules keep the buffers of sockets and pipes at their default size, by
// which they are counted. A buffer holds copies only: a part of a page in it would
// keep the whole page, of up to 2 MiB, in memory.
func bufferRules() (list []rule) {
	for _, option := range []uint32{unix.SO_SNDBUF, unix.SO_RCVBUF, unix.SO_SNDBUFFORCE, unix.SO_RCVBUFFORCE} {
		list = append(list, rule{unix.SYS_SETSOCKOPT, actionIgnore, []condition{is(1, unix.SOL_SOCKET), is(2, option)}})
	}
	list = append(list, rule{unix.SYS_FCNTL, actionDeny, []condition{is(1, unix.F_SETPIPE_SZ)}})
	for _, call := range []int{unix.SYS_VMSPLICE, unix.SYS_SPLICE, unix.SYS_SENDFILE} {
		list = append(list, rule{call, actionInvalid, nil})
	}
	return list
}

// permissionRules prevent setuid files, which would survive the sandbox. The
// setgid bit is needed for folders.
func permissionRules() (list []rule) {
	calls := machine()
	for _, of := range []struct {
		call     int
		argument uint32 // the mode
	}{
		{calls.chmod, 1}, {unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2},
		{calls.mknod, 1}, {unix.SYS_MKNODAT, 2}, {calls.creat, 1},
	} {
		list = append(list, rule{of.call, actionDeny, []condition{has(of.argument, unix.S_ISUID)}})
	}
	const nameless = 0x400000 // O_TMPFILE without O_DIRECTORY
	return append(list,       // otherwise the mode is ignored
		rule{calls.open, actionDeny, []condition{has(1, unix.O_CREAT|nameless), has(2, unix.S_ISUID)}},
		rule{unix.SYS_OPENAT, actionDeny, []condition{has(2, unix.O_CREAT|nameless), has(3, unix.S_ISUID)}},
	)
}
