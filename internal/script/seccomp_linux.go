package script

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a filter answers to a system call.
const (
	answerAllow = unix.SECCOMP_RET_ALLOW
	answerDeny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerNone  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	answerKill  = unix.SECCOMP_RET_KILL_PROCESS
)

// Where a filter finds things, in struct seccomp_data. Of an argument only the
// lower half is looked at, which is where small numbers stand on the machines
// that filters are made for.
const (
	offsetCall = 0
	offsetArch = 4
)

func offsetArgument(n uint32) uint32 { return 16 + 8*n }

// filtered says whether there are filters for this machine.
func filtered() bool { return auditArch() != 0 }

// auditArch is the machine as filters know it, 0 for one without a filter.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// program is a filter that is being written.
type program []unix.SockFilter

func (p *program) add(code int, jumpTrue, jumpFalse uint8, k uint32) {
	*p = append(*p, unix.SockFilter{Code: uint16(code), Jt: jumpTrue, Jf: jumpFalse, K: k})
}

func (p *program) load(offset uint32)   { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset) }
func (p *program) answer(answer uint32) { p.add(unix.BPF_RET|unix.BPF_K, 0, 0, answer) }

// unless skips the next instructions where what is loaded is not k.
func (p *program) unless(k uint32, skip uint8) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, skip, k)
}

// when skips the next instructions where what is loaded is k.
func (p *program) when(k uint32, skip uint8) { p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, skip, 0, k) }

// on answers one system call.
func (p *program) on(call int, answer uint32) {
	p.unless(uint32(call), 1)
	p.answer(answer)
}

// inside writes what is done for one system call; the rest of the filter finds
// the call's number loaded again.
func (p *program) inside(call int, body func(*program)) {
	var b program
	body(&b)
	b.load(offsetCall)
	p.unless(uint32(call), uint8(len(b)))
	*p = append(*p, b...)
}

// callFilter is the system calls that a confined script may not make, as a program
// for the kernel: those that lead out of the fence by another way than opening
// a file. They fail with an error rather than end the process, for programs try
// things. net says that the network may be used.
func callFilter(net bool) []unix.SockFilter {
	var p program
	p.load(offsetArch)
	p.when(auditArch(), 1)
	p.answer(answerKill) // 32-bit calls have other numbers
	p.load(offsetCall)
	if runtime.GOARCH == "amd64" {
		p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, 0x40000000) // the numbers of x32
		p.answer(answerNone)
	}
	for _, call := range deniedCalls() {
		p.on(call, answerDeny)
	}
	// Its arguments are in memory, where a filter cannot look: programs use
	// clone instead.
	p.on(unix.SYS_CLONE3, answerNone)
	p.inside(unix.SYS_CLONE, func(p *program) {
		const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
		p.load(offsetArgument(0))
		p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, namespaces)
		p.answer(answerDeny)
	})
	p.inside(unix.SYS_IOCTL, func(p *program) { // typing on behalf of the person at the terminal
		p.load(offsetArgument(1))
		p.on(unix.TIOCSTI, answerDeny)
		p.on(unix.TIOCLINUX, answerDeny)
	})
	p.inside(unix.SYS_PRLIMIT64, func(p *program) { // of other processes
		p.load(offsetArgument(0))
		p.when(0, 1)
		p.answer(answerDeny)
	})
	p.inside(unix.SYS_SOCKETPAIR, func(p *program) { // a pair for datagrams can send to any path
		p.load(offsetArgument(1))
		p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, 0xf)
		p.when(unix.SOCK_STREAM, 2)
		p.when(unix.SOCK_SEQPACKET, 1)
		p.answer(answerDeny)
	})
	p.inside(unix.SYS_SOCKET, func(p *program) {
		if net {
			// No Unix sockets: behind them are programs that do what they are
			// told, outside.
			p.load(offsetArgument(0))
			p.when(unix.AF_INET, 5)
			p.when(unix.AF_INET6, 4)
			p.unless(unix.AF_NETLINK, 2)
			p.load(offsetArgument(2))
			p.when(unix.NETLINK_ROUTE, 1) // how the C library finds out about addresses
		}
		p.answer(answerDeny)
	})
	p.answer(answerAllow)
	return p
}

// deniedCalls are the system calls that are not made by the work of scripts.
func deniedCalls() []int {
	return []int{
		// The tree of files, other namespaces.
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		// Other processes.
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
		unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PERF_EVENT_OPEN, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
		// The kernel's inside.
		unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
		unix.SYS_CLOCK_ADJTIME, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
		// What does the work of other calls, sockets among them.
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		// Keys and memory that are shared by name.
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
		// Attributes of files, which Landlock does not know.
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
		unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
	}
}

// filterBytes is a filter as bubblewrap reads it.
func filterBytes(f []unix.SockFilter) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(f))), len(f)*int(unsafe.Sizeof(f[0])))
}

// setFilter puts the calling thread, and what it starts, behind a filter. New
// privileges have been given up before.
func setFilter(f []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: unsafe.SliceData(f)}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return fmt.Errorf("setting the filter of system calls: %w", errno)
	}
	return nil
}
