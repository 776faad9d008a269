//go:build !linux && !darwin

package sandbox

// Candidates are the backends of this system: none.
func Candidates([]string, []string) (found []Backend, missing []string) {
	return nil, []string{"this system has no supported sandbox"}
}

// Filtered reports whether there is a filter of system calls: not here.
func Filtered() bool { return false }
