//go:build unix && !linux

package supervisor

import "syscall"

// attributes gives a command a session: a process group that can be ended as a
// whole, and no terminal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitDead is not available: the group is ended after its leader has been
// collected. Its number stays taken as long as anything is left in it.
func awaitDead(int) bool { return false }

// killSession kills a process group. What has left it, but not the session, is
// not found here.
func killSession(id int) { syscall.Kill(-id, syscall.SIGKILL) }
