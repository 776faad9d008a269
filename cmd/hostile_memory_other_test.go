//go:build !unix

package cmd

import "testing"

// stays is for systems that do not say how much memory a process took.
func (r ran) stays(*testing.T) {}
