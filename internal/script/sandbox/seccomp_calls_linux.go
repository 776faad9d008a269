package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"
)

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
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
		// And by number: of any process of the same user.
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	}
}

// attributeCalls change extended attributes of files, which Landlock does not
// know. Whoever copies files tries to.
func attributeCalls() []int {
	return []int{
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
		unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
	}
}

// memoryCalls make files of memory, which nobody's limit counts. A kernel may
// have none, so programs have another way.
func memoryCalls() []int { return []int{unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET} }

// olderCalls are numbers of system calls that not every machine has, or that
// have no name here; -1 for those that this one does without.
type olderCalls struct{ open, creat, chmod, mknod, setrlimit int }

func older() olderCalls {
	switch runtime.GOARCH {
	case "amd64":
		return olderCalls{open: 2, creat: 85, chmod: 90, mknod: 133, setrlimit: 160}
	case "arm64":
		return olderCalls{open: -1, creat: -1, chmod: -1, mknod: -1, setrlimit: 164}
	}
	return olderCalls{-1, -1, -1, -1, -1}
}

// schedule keeps processes from being put behind others, but by themselves.
func (p *program) schedule() {
	for _, call := range []int{unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETAFFINITY, unix.SYS_PRLIMIT64} {
		p.inside(call, func(p *program) {
			p.load(offsetArgument(0))
			p.when(0, 1) // the process itself
			p.answer(answerDeny)
		})
	}
	const ioprioWhoProcess = 1
	for _, of := range []struct {
		call    int
		process uint32 // what says that a process is meant, not a group or a user
	}{{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS}, {unix.SYS_IOPRIO_SET, ioprioWhoProcess}} {
		p.inside(of.call, func(p *program) {
			p.load(offsetArgument(0))
			p.unless(of.process, 2)
			p.load(offsetArgument(1))
			p.when(0, 1)
			p.answer(answerDeny)
		})
	}
}

// limit keeps the number of processes where [fewProcesses] has set it: that does
// not set the value up to which a process may raise it by itself.
func (p *program) limit() {
	p.inside(unix.SYS_PRLIMIT64, func(p *program) {
		p.load(offsetArgument(1))
		p.unless(unix.RLIMIT_NPROC, 5)
		p.load(offsetArgument(2)) // the new limit is in memory, or there is none
		p.unless(0, 2)
		p.load(offsetArgument(2) + 4)
		p.when(0, 1)
		p.answer(answerDeny)
	})
	p.inside(older().setrlimit, func(p *program) {
		p.load(offsetArgument(0))
		p.unless(unix.RLIMIT_NPROC, 1)
		p.answer(answerDeny)
	})
}

// permissions keeps files from being made that run as their owner, whoever
// starts them: that would last. Folders are given to a group by the same bit as
// programs, so that one cannot be kept.
func (p *program) permissions() {
	const nameless = 0x400000 // of O_TMPFILE, what is not O_DIRECTORY
	calls := older()
	for _, of := range []struct {
		call int
		mode uint32 // which argument
	}{
		{calls.chmod, 1}, {unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2},
		{calls.mknod, 1}, {unix.SYS_MKNODAT, 2}, {calls.creat, 1},
	} {
		p.inside(of.call, func(p *program) {
			p.load(offsetArgument(of.mode))
			p.unlessAny(unix.S_ISUID, 1)
			p.answer(answerDeny)
		})
	}
	for _, of := range []struct {
		call  int
		flags uint32
	}{{calls.open, 1}, {unix.SYS_OPENAT, 2}} {
		p.inside(of.call, func(p *program) {
			p.load(offsetArgument(of.flags))
			p.unlessAny(unix.O_CREAT|nameless, 3) // otherwise the mode means nothing
			p.load(offsetArgument(of.flags + 1))
			p.unlessAny(unix.S_ISUID, 1)
			p.answer(answerDeny)
		})
	}
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
// the call's number loaded again. Below 0 there is no such call.
func (p *program) inside(call int, body func(*program)) {
	if call < 0 {
		return
	}
	var b program
	body(&b)
	b.load(offsetCall)
	p.unless(uint32(call), uint8(len(b)))
	*p = append(*p, b...)
}

// unlessAny skips the next instructions where what is loaded has none of the bits.
func (p *program) unlessAny(bits uint32, skip uint8) {
	p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, skip, bits)
}
