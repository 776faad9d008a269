//go:build unix

package loader

import "syscall"

// readPlain reads a regular file that is not large, into buffer where that has
// room, and returns what it read into. A link is not followed,
// and nothing is waited for. It speaks to the system directly: what os does
// besides for a file costs more than reading one, and there may be hundreds.
func readPlain(name string, buffer []byte) (src []byte, ok bool) {
	fd, err := again(func() (int, error) {
		return syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return buffer, false
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil || info.Mode&syscall.S_IFMT != syscall.S_IFREG || info.Size > maxLook {
		return buffer, false
	}
	if src = buffer; src == nil || cap(src) < int(info.Size) {
		src = make([]byte, info.Size) // of an empty file too: what is nil was not read
	}
	src = src[:info.Size]
	for read := 0; read < len(src); {
		n, err := again(func() (int, error) { return syscall.Read(fd, src[read:]) })
		if err != nil || n <= 0 {
			return src, false
		}
		read += n
	}
	return src, true
}

// again calls f until no signal interrupts it.
func again(f func() (int, error)) (n int, err error) {
	for {
		if n, err = f(); err != syscall.EINTR {
			return n, err
		}
	}
}
