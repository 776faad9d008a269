package script

import (
	"golang.org/x/sys/unix"
)

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
