package lsp

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// parentInterval is how often the server looks for the process of its editor.
const parentInterval = 2 * time.Second

// endWith ends the session when a process has ended: an editor that crashes may leave the
// streams open.
func (s *Server) endWith(pid int) {
	process, err := os.FindProcess(pid)
	if err == nil && runtime.GOOS == "windows" {
		_, _ = process.Wait() // Windows waits for any process
		s.frames.Close()
		return
	}
	tick := time.NewTicker(parentInterval)
	defer tick.Stop()
	for err == nil && isAlive(process) {
		select {
		case <-tick.C:
		case <-s.ended:
			return
		}
	}
	s.frames.Close()
}

// isAlive reports whether a process exists, also one of another user.
func isAlive(process *os.Process) bool {
	err := process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
