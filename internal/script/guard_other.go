//go:build !linux

package script

// Guard does nothing here.
func Guard() error { return nil }
