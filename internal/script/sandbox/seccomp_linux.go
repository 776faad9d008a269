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
	var body []unix.SockFilter
	for _, c := range r.conditions {
		body = append(body, load(c.offset))
		if c.mask != allBits {
			body = append(body, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask})
		}
		body = append(body, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: c.value})
		if at := len(body) - 1; c.not { // marked; the length is not known yet
			body[at].Jt = 1
		} else {
			body[at].Jf = 1
		}
	}
	body = append(body, answer(r.answer))
	for i := range body {
		skip := uint8(len(body) - i - 1)
		body[i].Jt, body[i].Jf = body[i].Jt*skip, body[i].Jf*skip
	}
	if len(r.conditions) > 0 {
		body = append(body, load(offsetCall))
	}
	return append([]unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(r.call), Jf: uint8(len(body))}}, body...)
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
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: auditArch(), Jt: 1},
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
