//go:build !linux && !darwin

package terminal

import "os"

// OneKey changes nothing here: answers are lines.
func OneKey(*os.File) (restore func()) { return func() {} }

// FlushInput does nothing: the system offers no way.
func FlushInput(*os.File) {}

// InForeground is true: there are no jobs.
func InForeground(uintptr) bool { return true }

// WatchJob has nothing to watch: there are no jobs.
func WatchJob() (resumed <-chan os.Signal, stop func()) { return nil, func() {} }
