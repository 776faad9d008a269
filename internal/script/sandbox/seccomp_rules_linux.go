package sandbox

import "golang.org/x/sys/unix"

// rules are the system calls that a script cannot make. net says that it may use
// the network.
func rules(net bool) []rule {
	list := append(answers(), limitRules()...)
	list = append(list, permissionRules()...)
	const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	list = append(list,
		rule{unix.SYS_CLONE, answerDeny, []condition{has(0, namespaces)}},
		// Typing on behalf of the person at the terminal.
		rule{unix.SYS_IOCTL, answerDeny, []condition{is(1, unix.TIOCSTI)}},
		rule{unix.SYS_IOCTL, answerDeny, []condition{is(1, unix.TIOCLINUX)}},
	)
	// A pair for datagrams can send to any path.
	const kind = 0xf
	list = append(list, rule{unix.SYS_SOCKETPAIR, answerDeny, []condition{
		{offsetArgument(1), kind, unix.SOCK_STREAM, true}, {offsetArgument(1), kind, unix.SOCK_SEQPACKET, true},
	}})
	if !net {
		return append(list, rule{unix.SYS_SOCKET, answerDeny, nil})
	}
	// No Unix sockets: they lead to programs outside that act for the user. The C
	// library asks for addresses by NETLINK_ROUTE.
	return append(list,
		rule{unix.SYS_SOCKET, answerDeny, []condition{isNot(0, unix.AF_INET), isNot(0, unix.AF_INET6), isNot(0, unix.AF_NETLINK)}},
		rule{unix.SYS_SOCKET, answerDeny, []condition{is(0, unix.AF_NETLINK), isNot(2, unix.NETLINK_ROUTE)}},
	)
}

// answers are the rules without conditions.
func answers() (list []rule) {
	for _, group := range []struct {
		answer uint32
		calls  []int
	}{
		{answerDeny, []int{
			// The tree of files, other namespaces.
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
			// What does the work of other calls, sockets among them.
			unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
			// Keys and memory that are shared by name.
			unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
			// And by number: of any process of the same user.
			unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
			unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		}},
		// Extended attributes, which Landlock does not know. Programs that copy
		// files try to set them.
		{answerUnsupported, []int{
			unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
			unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
		}},
		{answerNone, []int{
			// Files of memory, which no limit counts. A kernel may have none, so
			// programs have another way.
			unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
			// Their arguments are in memory, where a filter cannot look: programs
			// use clone and openat instead.
			unix.SYS_CLONE3, unix.SYS_OPENAT2,
		}},
	} {
		for _, call := range group.calls {
			list = append(list, rule{call, group.answer, nil})
		}
	}
	return list
}

// limitRules let a process change its own priority and limits only, and not the
// limit on the number of processes, which it could raise up to the hard limit.
func limitRules() (list []rule) {
	for _, call := range []int{unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETAFFINITY, unix.SYS_PRLIMIT64} {
		list = append(list, rule{call, answerDeny, []condition{isNot(0, 0)}})
	}
	const ioprioWhoProcess = 1
	for call, process := range map[int]uint32{unix.SYS_SETPRIORITY: unix.PRIO_PROCESS, unix.SYS_IOPRIO_SET: ioprioWhoProcess} {
		list = append(list, rule{call, answerDeny, []condition{isNot(0, process)}}, rule{call, answerDeny, []condition{isNot(1, 0)}})
	}
	newLimit := offsetArgument(2) // a pointer, with both halves
	return append(list,
		rule{unix.SYS_PRLIMIT64, answerDeny, []condition{is(1, unix.RLIMIT_NPROC), {newLimit, allBits, 0, true}}},
		rule{unix.SYS_PRLIMIT64, answerDeny, []condition{is(1, unix.RLIMIT_NPROC), {newLimit + 4, allBits, 0, true}}},
		rule{machine().setrlimit, answerDeny, []condition{is(0, unix.RLIMIT_NPROC)}},
	)
}

// permissionRules prevent files that run as their owner, whoever starts them:
// they would outlast the sandbox. The bit for the group is needed for folders.
func permissionRules() (list []rule) {
	calls := machine()
	for _, of := range []struct {
		call     int
		argument uint32 // the mode
	}{
		{calls.chmod, 1}, {unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2},
		{calls.mknod, 1}, {unix.SYS_MKNODAT, 2}, {calls.creat, 1},
	} {
		list = append(list, rule{of.call, answerDeny, []condition{has(of.argument, unix.S_ISUID)}})
	}
	const nameless = 0x400000 // of O_TMPFILE, what is not O_DIRECTORY
	return append(list,       // otherwise the mode means nothing
		rule{calls.open, answerDeny, []condition{has(1, unix.O_CREAT|nameless), has(2, unix.S_ISUID)}},
		rule{unix.SYS_OPENAT, answerDeny, []condition{has(2, unix.O_CREAT|nameless), has(3, unix.S_ISUID)}},
	)
}
