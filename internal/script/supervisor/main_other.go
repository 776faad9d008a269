//go:build !linux

package supervisor

// supervise is never asked for: there are no supervisors here.
func supervise([]string) int { return 2 }

// prepare launches a command without a supervisor.
func prepare(c Command) (*launch, error) { return direct(c), nil }
