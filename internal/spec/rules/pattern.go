package rules

import (
	"regexp"
	"sync"
)

// newPattern returns a regular expression that is compiled when it is first
// used: most commands use none of them, and compiling them all takes longer
// than looking at hundreds of skills.
func newPattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
