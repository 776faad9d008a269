package files

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Follow follows an absolute path link by link, like the system. It calls step with each
// path on the way, which has no link above it, and with the target if it is a link. It
// returns the end, and false if there are more links than any system follows.
func Follow(path string, step func(path, target string)) (end string, ok bool) {
	const most = 255
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at, rest := root, Elements(path)
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0]) // at has no links, so that .. is its parent
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil {
			target = ""
		}
		step(next, target)
		if target == "" {
			at = next
			continue
		}
		links++
		if links > most {
			return next, false
		}
		if filepath.IsAbs(target) {
			at = root
		}
		rest = append(Elements(target), rest...)
	}
	return at, true
}

// Elements returns the names that a path consists of.
func Elements(path string) []string {
	path = filepath.ToSlash(strings.TrimPrefix(path, filepath.VolumeName(path)))
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// Chain describes what a path leads to: each link on the way, and the file at the end.
type Chain struct {
	// State differs if another link or file is used, or if the file has changed. It is
	// never "".
	State string
	// Changed is the latest change of a link or of the file, in nanoseconds since 1970. It
	// is that of the content, the name or the attributes, and those who may write the file
	// cannot set it back; 0 if the system does not tell.
	Changed int64
}

// maxChainText is how many bytes of the file at the end are compared by their content.
const maxChainText = 1 << 20

// FollowChain returns what an absolute path leads to.
func FollowChain(path string) Chain {
	c, state := Chain{}, sha256.New()
	note := func(path, target string) {
		info, err := os.Lstat(path)
		if err != nil {
			fmt.Fprintf(state, "%q is missing\n", path)
			return
		}
		fmt.Fprintf(state, "%q to %q: %s\n", path, target, Stamp(info))
		c.Changed = max(c.Changed, changeTime(info))
	}
	end, _ := Follow(path, func(path, target string) {
		if target != "" {
			note(path, target)
		}
	})
	note(end, "")
	text, err := ReadRegular(end, maxChainText)
	fmt.Fprintf(state, "%x %t\n", sha256.Sum256(text), err == nil)
	c.State = fmt.Sprintf("%x", state.Sum(nil))
	return c
}
