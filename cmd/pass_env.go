package cmd

import (
	"runtime"
	"slices"
	"strings"
)

// tellUnset warns of variables that are to be handed on and are not there:
// nearly always a slip of the fingers.
func (a *app) tellUnset(names []string) {
	for _, name := range names {
		same := func(entry string) bool {
			set, _, _ := strings.Cut(entry, "=")
			return set == name || runtime.GOOS == "windows" && strings.EqualFold(set, name)
		}
		if !slices.ContainsFunc(a.Environ, same) {
			a.warn("--pass-env: %s is not set, so no script gets it", name)
		}
	}
}
