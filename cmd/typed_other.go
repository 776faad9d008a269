//go:build !linux && !darwin

package cmd

import "os"

// dropTyped does nothing where there is no way to forget what was typed.
func dropTyped(*os.File) {}

// inForeground is true where there are no jobs to tell apart.
func inForeground(uintptr) bool { return true }

// asJob has nothing to watch where there are no jobs.
func asJob() (resumed <-chan os.Signal, over func()) { return nil, func() {} }
