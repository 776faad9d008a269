//go:build !linux

package cmd

// kernelConfines is false: only Linux has what is asked for here.
func kernelConfines() bool { return false }
