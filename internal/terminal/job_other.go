//go:build !linux && !darwin

package terminal

import "os"

// MakeCbreak does nothing here: answers are lines.
func MakeCbreak(*os.File) (restore func()) { return func() {} }

// FlushInput does nothing: the system does not support it.
func FlushInput(*os.File) {}

// InForeground returns true: there is no job control.
func InForeground(uintptr) bool { return true }

// WatchJob does nothing: there is no job control.
func WatchJob() (resumed <-chan os.Signal, stop func()) { return nil, func() {} }
