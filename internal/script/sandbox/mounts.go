package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	for kind, paths := range map[int][]string{mountWrite: p.Write, mountReadOnly: p.ReadOnly, mountHidden: p.Hidden} {
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

// links returns the links in paths, so that the paths work as written.
func links(paths []string, granted []mount) []mount {
	var found []mount
	for _, path := range paths {
		at := "/"
		for _, name := range split(path) {
			next := filepath.Join(at, name)
			target, err := os.Readlink(next)
			if err != nil {
				at = next
				continue
			}
			inside := slices.ContainsFunc(granted, func(m mount) bool { return m.kind != mountLink && Within(next, m.path) })
			known := slices.ContainsFunc(append(granted, found...), func(m mount) bool { return m.path == next || m.kind == mountLink && Within(next, m.path) })
			if !inside && !known {
				found = append(found, mount{next, mountLink, target})
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(at, target)
			}
			at = target
		}
	}
	return found
}

// bubblewrapArguments returns bwrap's arguments before the command. The root of
// the script's file system is empty except for the mounts of the policy.
func bubblewrapArguments(p Policy, filter bool) []string {
	words := []string{
		"--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
	add := func(more ...string) { words = append(words, more...) }
	if !p.Net {
		add("--unshare-net")
	}
	add("--dev", "/dev", "--proc", "/proc")
	for _, path := range []string{"/dev/shm", "/tmp"} { // memory that no process limit includes
		add("--size", strconv.Itoa(MaxFile), "--tmpfs", path)
	}
	// The superuser could write there even without privileges.
	for _, name := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"} {
		add("--ro-bind-try", name, name)
	}
	list := mounts(p)
	if p.Home != "" && !slices.ContainsFunc(list, func(m mount) bool { return Within(m.path, p.Home) }) {
		if real, err := filepath.EvalSymlinks(p.Home); err == nil && !p.visible(real) {
			add("--dir", real)
		}
	}
	for _, m := range append(links(chains(append([]string{p.Home}, p.Given...)), list), list...) {
		switch info, err := os.Lstat(m.path); {
		case m.kind == mountLink:
			add("--symlink", m.target, m.path)
		case err != nil: // removed since the policy was built
		case m.kind == mountRead || m.kind == mountReadOnly:
			add("--ro-bind", m.path, m.path)
		case m.kind == mountWrite || m.kind == mountPinned:
			add("--bind", m.path, m.path)
		case info.IsDir():
			add("--perms", "0000", "--tmpfs", m.path, "--remount-ro", m.path)
		default:
			add("--ro-bind", "/dev/null", m.path)
		}
	}
	add("--remount-ro", "/dev", "--remount-ro", "/") // does not affect mounts inside
	if filter {
		add("--seccomp", strconv.Itoa(FilterFD))
	}
	add("--json-status-fd", strconv.Itoa(StatusFD), "--chdir", p.Dir)
	return words
}

// File descriptors passed to bubblewrap, in addition to the script's streams.
const (
	FilterFD = 3 // system call filter, see [FilterProgram]
	StatusFD = 4 // reports the start and the end of the script
)

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
