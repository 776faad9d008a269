package terminal

import "os"

// Control calls do with the descriptor of a file and keeps the file usable with
// deadlines: [os.File.Fd] would make its reads block for good.
func Control(f *os.File, do func(fd uintptr)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(do)
	}
}
