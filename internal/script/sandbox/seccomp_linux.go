package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Results of a filtered system call.
const (
	answerAllow = unix.SECCOMP_RET_ALLOW
	answerDeny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerNone  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	// What a file system without the feature returns: programs do without it.
	answerUnsupported = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)
	answerKill        = unix.SECCOMP_RET_KILL_PROCESS
)

// Where a filter finds things, in struct seccomp_data. Of an argument only the
// lower half is looked at, which is where small numbers stand on the machines
// that filters are made for.
const (
	offsetCall = 0
	offsetArch = 4
)

func offsetArgument(n uint32) uint32 { return 16 + 8*n }

// Filtered reports whether there are filters for this machine.
func Filtered() bool { return auditArch() != 0 }

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

// filter denies the system calls that lead out of a sandbox by another way than
// opening a file. They fail with an error rather than end the process, because
// programs try things.
func filter(net bool) []unix.SockFilter {
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
	for _, call := range attributeCalls() {
		p.on(call, answerUnsupported)
	}
	for _, call := range memoryCalls() {
		p.on(call, answerNone)
	}
	// Their arguments are in memory, where a filter cannot look: programs use
	// clone and openat instead.
	p.on(unix.SYS_CLONE3, answerNone)
	p.on(unix.SYS_OPENAT2, answerNone)
	p.inside(unix.SYS_CLONE, func(p *program) {
		const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
		p.load(offsetArgument(0))
		p.unlessAny(namespaces, 1)
		p.answer(answerDeny)
	})
	p.inside(unix.SYS_IOCTL, func(p *program) { // typing on behalf of the person at the terminal
		p.load(offsetArgument(1))
		p.on(unix.TIOCSTI, answerDeny)
		p.on(unix.TIOCLINUX, answerDeny)
	})
	p.schedule()
	p.limit()
	p.permissions()
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

// FilterProgram is the filter for a script, as bubblewrap reads it. net says
// that the network may be used.
func FilterProgram(net bool) []byte {
	f := filter(net)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(f))), len(f)*int(unsafe.Sizeof(f[0])))
}

// SetFilter puts the calling thread, and what it starts, behind the filter for a
// script. The thread must have given up new privileges before.
func SetFilter(net bool) error {
	f := filter(net)
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: unsafe.SliceData(f)}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return fmt.Errorf("setting the filter of system calls: %w", errno)
	}
	return nil
}
