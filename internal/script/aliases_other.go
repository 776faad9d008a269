//go:build !linux

package script

// aliases are the other names of the paths: not known here.
func aliases([]string) []string { return nil }

// userHome is not known here beyond what the environment says.
func userHome() string { return "" }
