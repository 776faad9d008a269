package sandbox

import "fmt"

// Candidates are the backends of this system for the user's search path, the
// strongest first, and for each that is missing the reason. untrusted are the
// folders that bwrap is not taken from. Nothing is tried.
func Candidates(search, untrusted []string) (found []Backend, missing []string) {
	if program, err := findBubblewrap(search, untrusted); err != nil {
		missing = append(missing, Bubblewrap+": "+err.Error())
	} else {
		found = append(found, Backend{Name: Bubblewrap, program: program})
	}
	version := landlockVersion()
	if err := checkLandlock(version); err != nil {
		missing = append(missing, fmt.Sprintf("%s: %v", Landlock, err))
	} else {
		found = append(found, Backend{Name: Landlock, abi: version})
	}
	return found, missing
}
