//go:build unix

package script

import "syscall"

// openNonblock lets an open return at once where the file is a named pipe that
// nobody writes to.
const openNonblock = syscall.O_NONBLOCK
