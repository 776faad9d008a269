//go:build !linux

package supervisor

import "os/exec"

// prepare starts a command without a supervisor, of which there are none here.
func prepare(c Command) (*exec.Cmd, group, error) {
	cmd, g := direct(c)
	return cmd, g, nil
}

func supervise([]string) int { return 2 }

// DisableDump does nothing: there is no such setting here.
func DisableDump() error { return nil }
