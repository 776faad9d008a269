package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of mounts, weakest first: the strongest one for a path is used.
const (
	mountLink     = iota // a link, which is recreated
	mountRead            // read-only
	mountWrite           // writable
	mountPinned          // writable, and a mount so that it cannot be renamed
	mountReadOnly        // read-only inside a writable folder
	mountHidden          // covered by an empty file or folder
)

type mount struct {
	path   string
	kind   int
	target string // target of a link
}

// mounts returns the mounts of a policy. Each follows those that contain it, so
// that it covers them.
func mounts(p Policy) []mount {
	byPath := map[string]mount{}
	add := func(path string, kind int, target string) {
		if known, ok := byPath[path]; !ok || known.kind < kind {
			byPath[path] = mount{path, kind, target}
		}
	}
	for _, path := range systemPaths(false) { // /bin is a link on many systems
		if target, err := os.Readlink(path); err == nil {
			add(path, mountLink, target)
		}
	}
	for _, path := range p.Read {
		if !p.covered(path) {
			add(path, mountRead, "")
		}
	}
	own := p.Write
	if p.Tmp { // it is mounted at /tmp instead
		own = slices.DeleteFunc(slices.Clone(own), func(path string) bool { return path == p.Temp })
	}
	for kind, paths := range map[int][]string{mountWrite: own, mountReadOnly: p.ReadOnly, mountHidden: p.Hidden} {
		for _, path := range paths {
			add(path, kind, "")
		}
	}
	// A folder that contains a protected path could be moved and replaced, but a
	// mount cannot be renamed.
	for _, path := range append(slices.Clone(p.ReadOnly), p.Hidden...) {
		for dir := filepath.Dir(path); p.writable(dir) && !slices.Contains(p.Write, dir); dir = filepath.Dir(dir) {
			if !anyHolds(p.ReadOnly, dir) {
				add(dir, mountPinned, "")
			}
		}
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b mount) int { return slices.Compare(split(a.path), split(b.path)) })
}

// covered reports whether a readable path is inside another one without a
// writable path in between.
func (p Policy) covered(path string) bool {
	return slices.ContainsFunc(p.Read, func(dir string) bool {
		return dir != path && Within(path, dir) && !slices.ContainsFunc(p.Write, func(w string) bool { return Within(w, dir) && Within(path, w) })
	})
}

func split(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// sandboxExec is the path of macOS's program. Any other path would be another
// program.
const sandboxExec = "/usr/bin/sandbox-exec"

// seatbeltProfile returns a policy in the language of macOS's sandbox-exec. The
// last matching rule applies.
func seatbeltProfile(p Policy) string {
	var b strings.Builder
	rule := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	rule("(version 1)")
	rule("(allow default)")
	if !p.Net {
		rule("(deny network*)")
	} else {
		rule("(deny network* (local unix-socket) (remote unix-socket))")
		rule(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`) // name resolution
	}
	rule("(deny file*)")
	rule("(deny process-exec*)")
	rule(`(allow file-read-metadata (literal "/"))`)
	// Programs examine the parent folders of the files they read.
	var above []string
	for _, path := range slices.Concat(p.Read, p.Write) {
		for dir := filepath.Dir(path); dir != filepath.Dir(dir) && !slices.Contains(above, dir); dir = filepath.Dir(dir) {
			above = append(above, dir)
			rule("(allow file-read-metadata (literal %s))", quote(dir))
		}
	}
	rule(`(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))`)
	list := slices.DeleteFunc(mounts(p), func(m mount) bool { return m.kind == mountLink })
	for _, m := range list {
		switch m.kind {
		case mountRead, mountReadOnly:
			rule("(allow file-read* process-exec* (subpath %s))", quote(m.path))
			rule("(deny file-write* (subpath %s))", quote(m.path))
		case mountWrite:
			rule("(allow file* process-exec* (subpath %s))", quote(m.path))
		case mountHidden:
			rule("(deny file* process-exec* (subpath %s))", quote(m.path))
		}
	}
	for _, m := range list {
		if m.kind == mountPinned { // otherwise its contents could be moved away
			rule("(deny file-write-unlink (literal %s))", quote(m.path))
		}
	}
	rule("(deny signal (target others))")
	rule("(deny process-info* (target others))")
	rule("(deny mach-priv-task-port)")
	for _, service := range []string{"com.apple.SecurityServer", "com.apple.securityd", "com.apple.securityd.xpc", "com.apple.coreservices.launchservicesd", "com.apple.coreservices.appleevents", "com.apple.pasteboard.1"} {
		rule("(deny mach-lookup (global-name %s))", quote(service))
	}
	rule("(deny appleevent-send)")
	rule("(deny user-preference-write)") // through a service, not through files
	return b.String()
}

// quote returns a string literal of the profile language.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
