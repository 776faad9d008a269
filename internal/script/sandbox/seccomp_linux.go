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

// Offsets in struct seccomp_data. Of an argument only the lower half is looked
// at, which holds small numbers on the machines that filters are made for.
const (
	offsetCall = 0
	offsetArch = 4
)

func offsetArgument(n uint32) uint32 { return 16 + 8*n }

// Filtered reports whether there are filters for this machine.
func Filtered() bool { return machine().audit != 0 }

// architecture is a kind of machine: what filters know it as, 0 for one without a
// filter, and the numbers of system calls that not every machine has, or that have
// no name here; -1 for those that it does without.
type architecture struct {
	audit                                uint32
	open, creat, chmod, mknod, setrlimit int
}

// machine is the architecture of this machine.
func machine() architecture {
	switch runtime.GOARCH {
	case "amd64":
		return architecture{audit: unix.AUDIT_ARCH_X86_64, open: 2, creat: 85, chmod: 90, mknod: 133, setrlimit: 160}
	case "arm64":
		return architecture{audit: unix.AUDIT_ARCH_AARCH64, open: -1, creat: -1, chmod: -1, mknod: -1, setrlimit: 164}
	}
	return architecture{0, -1, -1, -1, -1, -1}
}

// rule answers a system call if all its conditions hold.
type rule struct {
	call       int // below 0: this machine does not have the call
	answer     uint32
	conditions []condition
}

// condition compares some bits of an argument with a value.
type condition struct {
	offset, mask, value uint32
	not                 bool // it holds if they differ
}

const allBits = 1<<32 - 1

func is(argument, value uint32) condition {
	return condition{offsetArgument(argument), allBits, value, false}
}

func isNot(argument, value uint32) condition {
	return condition{offsetArgument(argument), allBits, value, true}
}

// has holds if the argument has any of the bits.
func has(argument, bits uint32) condition {
	return condition{offsetArgument(argument), bits, 0, true}
}

// compile writes the rule as a part of a filter, before and after which the
// call's number is loaded.
func (r rule) compile() []unix.SockFilter {
	const each = 3 // instructions of a condition
	n := len(r.conditions)
	part := []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(r.call), Jf: uint8(each*n + 2)}}
	for i, c := range r.conditions {
		holds, fails := uint8(0), uint8(each*(n-i-1)+1) // over the rest and the answer
		if c.not {
			holds, fails = fails, holds
		}
		part = append(part, load(c.offset), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: c.value, Jt: holds, Jf: fails})
	}
	return append(part, answer(r.answer), load(offsetCall))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func answer(answer uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: answer}
}

// filter denies the system calls that lead out of a sandbox by another way than
// opening a file. They fail with an error rather than end the process, because
// programs try things.
func filter(net bool) []unix.SockFilter {
	p := []unix.SockFilter{
		load(offsetArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: machine().audit, Jt: 1},
		answer(answerKill), // 32-bit calls have other numbers
		load(offsetCall),
	}
	if runtime.GOARCH == "amd64" {
		const x32 = 0x40000000 // the first number of another interface
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jf: 1}, answer(answerNone))
	}
	for _, r := range rules(net) {
		if r.call >= 0 {
			p = append(p, r.compile()...)
		}
	}
	return append(p, answer(answerAllow))
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
