// Package lazyregexp compiles regular expressions on first use: a process needs few of
// those in the program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles expr when it is first called, and returns the
// result. It panics if expr is invalid, and is safe for concurrent use.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
