//go:build !linux

package cmd

// kernelHasSandbox is false: only Linux has what is asked for here.
func kernelHasSandbox() bool { return false }
