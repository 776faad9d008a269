package sandbox

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// answerOf is what the kernel would make of a filter: the machine of these
// programs, with only the instructions that ours has. Whether a call is closed
// to a script is mostly seen by trying; not where the kernel closes it to
// everybody, or has no such calls.
func answerOf(t *testing.T, filter []unix.SockFilter, arch, call uint32, arguments ...uint64) uint32 {
	t.Helper()
	var data [64]byte
	binary.NativeEndian.PutUint32(data[0:], call)
	binary.NativeEndian.PutUint32(data[4:], arch)
	for i, a := range arguments {
		binary.NativeEndian.PutUint64(data[16+8*i:], a)
	}
	var loaded uint32
	for at := 0; at < len(filter); at++ {
		in := filter[at]
		jump := func(condition bool) {
			if condition {
				at += int(in.Jt)
			} else {
				at += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			loaded = binary.NativeEndian.Uint32(data[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			loaded &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(loaded == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(loaded >= in.K)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			jump(loaded > in.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(loaded&in.K != 0)
		case unix.BPF_JMP | unix.BPF_JA:
			at += int(in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("an instruction that is not known: %#x", in.Code)
		}
	}
	t.Fatal("the filter has no end")
	return 0
}

// TestFilterAnswers checks the filter's return values with the kernel's numbers for
// amd64.
func TestFilterAnswers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the numbers are those of amd64")
	}
	const (
		amd64, i386 = 0xc000003e, 0x40000003
		x32         = 0x40000000
		allow, kill = 0x7fff0000, 0x80000000
		eperm       = 0x00050001
		enosys      = 0x00050026
		enotsup     = 0x0005005f
		clone       = 56
		ioctl       = 16
		socket      = 41
		pair        = 53
		setsockopt  = 54
		fcntl       = 72
		einval      = 0x00050016
	)
	for _, net := range []bool{false, true} {
		calls := filter(net)
		check := func(want, arch, call uint32, arguments ...uint64) {
			t.Helper()
			if got := answerOf(t, calls, arch, call, arguments...); got != want {
				t.Errorf("net %t: call %d of %#x with %#x: answer %#x, want %#x", net, call, arch, arguments, got, want)
			}
		}
		check(kill, i386, 20) // getpid
		check(kill, 0, 39)
		for _, call := range []uint32{39, 1, 520, 512 + 33} {
			check(enosys, amd64, x32|call)
		}
		denied := map[string]uint32{
			"mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "move_mount": 429, "open_tree": 428, "fsopen": 430, "fsconfig": 431,
			"fsmount": 432, "fspick": 433, "mount_setattr": 442, "unshare": 272, "setns": 308, "open_by_handle_at": 304, "fanotify_init": 300,
			"quotactl": 179, "quotactl_fd": 443, "acct": 163, "swapon": 167, "swapoff": 168, "ptrace": 101, "process_vm_readv": 310,
			"process_vm_writev": 311, "pidfd_getfd": 438, "kcmp": 312, "process_madvise": 440, "process_mrelease": 448, "perf_event_open": 298,
			"migrate_pages": 256, "move_pages": 279, "bpf": 321, "userfaultfd": 323, "init_module": 175, "finit_module": 313, "delete_module": 176,
			"kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
			"clock_adjtime": 305, "syslog": 103, "sethostname": 170, "setdomainname": 171, "io_uring_setup": 425, "io_uring_enter": 426,
			"io_uring_register": 427, "keyctl": 250, "add_key": 248, "request_key": 249, "mq_open": 240, "mq_unlink": 241, "shmget": 29, "shmat": 30,
			"shmctl": 31, "msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "semget": 64, "semop": 65, "semctl": 66, "semtimedop": 220,
		}
		for name, call := range denied {
			if got := answerOf(t, calls, amd64, call); got != eperm {
				t.Errorf("net %t: %s: answer %#x, want EPERM", net, name, got)
			}
		}
		for _, call := range []uint32{188, 189, 190, 197, 198, 199} { // setxattr and its kin
			check(enotsup, amd64, call)
		}
		check(enosys, amd64, 435) // clone3
		for _, namespace := range []uint64{0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000} {
			check(eperm, amd64, clone, namespace|17)
		}
		check(allow, amd64, clone, 17)
		check(allow, amd64, clone, 0x3d0f00)            // a thread
		check(eperm, amd64, clone, 0x3d0b00)            // with files of its own
		for _, option := range []uint64{7, 8, 32, 33} { // sizes of buffers
			check(0x00050000, amd64, setsockopt, 3, 1, option)
			check(allow, amd64, setsockopt, 3, 6, option)
		}
		check(allow, amd64, setsockopt, 3, 1, 2)
		check(eperm, amd64, fcntl, 3, 1031)
		check(allow, amd64, fcntl, 3, 1032)
		for _, call := range []uint32{40, 275, 278} { // sendfile, splice, vmsplice
			check(einval, amd64, call)
		}
		check(eperm, amd64, ioctl, 0, 0x5412)
		check(eperm, amd64, ioctl, 0, 0x541c)
		check(eperm, amd64, ioctl, 0, 0xffffffff00005412) // the kernel looks at the lower half, too
		check(allow, amd64, ioctl, 0, 0x5401)
		check(allow, amd64, pair, 1, 1|0o2000000)
		check(eperm, amd64, pair, 1, 2)
		internet := map[bool]uint32{false: eperm, true: allow}[net]
		check(internet, amd64, socket, 2, 1)
		check(internet, amd64, socket, 10, 2)
		check(internet, amd64, socket, 16, 3, 0)
		for _, family := range []uint64{1, 17, 38, 40} { // Unix, packets, ciphers, machines
			check(eperm, amd64, socket, family, 1)
		}
		check(eperm, amd64, socket, 16, 3, 9) // what audits
		for _, call := range []uint32{0, 1, 9, 57, 59, 257, 231} {
			check(allow, amd64, call)
		}
	}
	if n := len(filter(true)); n > 4096 {
		t.Errorf("%d instructions, and the kernel takes 4096", n)
	}
}
