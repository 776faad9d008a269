//go:build !linux

package supervisor

import "os/exec"

// prepare prepares a command without a supervisor, which only exists on Linux.
func prepare(c Command) (*exec.Cmd, group, error) {
	cmd, g := direct(c)
	return cmd, g, nil
}

func supervise([]string) int { return 2 }

func enter([]string) int { return 2 }

// DisableDump does nothing: this system does not have the setting.
func DisableDump() error { return nil }
