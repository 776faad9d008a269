//go:build unix && !linux

package supervisor

import "syscall"

// attributes gives a command its own session: a process group that can be
// killed as a whole, and no terminal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitDead is not available: the group is killed after its leader has been
// collected. Its number is not reused while a member is left.
func awaitDead(int) bool { return false }

// killSession kills a process group. It does not find processes that have left
// the group.
func killSession(id int) { syscall.Kill(-id, syscall.SIGKILL) }
