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

// Kinds of mounts, the weaker ones first: of two for one path the later counts.
const (
	mountLink     = iota // a link, which is made again
	mountRead            // read-only
	mountWrite           // writable
	mountPinned          // writable, and mounted so that it cannot be renamed
	mountReadOnly        // read-only inside something writable
	mountHidden          // covered by something empty
)

type mount struct {
	path   string
	kind   int
	target string // of a link
}

// mounts are the mounts of a policy, each after those it is inside of, so that
// what comes later covers what came earlier.
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
	// A folder with something protected in it could be moved away and replaced;
	// what is mounted cannot be renamed.
	for _, path := range append(slices.Clone(p.ReadOnly), p.Hidden...) {
		for dir := filepath.Dir(path); p.writable(dir) && !slices.Contains(p.Write, dir); dir = filepath.Dir(dir) {
			if !anyHolds(p.ReadOnly, dir) {
				add(dir, mountPinned, "")
			}
		}
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b mount) int { return slices.Compare(split(a.path), split(b.path)) })
}

// covered reports whether a readable path is inside another, nothing writable between.
func (p Policy) covered(path string) bool {
	return slices.ContainsFunc(p.Read, func(dir string) bool {
		return dir != path && Within(path, dir) && !slices.ContainsFunc(p.Write, func(w string) bool { return Within(w, dir) && Within(path, w) })
	})
}

func split(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// links are the links on the way to paths, so that their names work.
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

// bubblewrapArguments are bwrap's arguments up to the command. The root of the
// script's file system is empty but for the mounts of the policy.
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
	for _, path := range []string{"/dev/shm", "/tmp"} { // memory, which no process's limit counts
		add("--size", strconv.Itoa(MaxFile), "--tmpfs", path)
	}
	// The superuser could write there, without privileges too.
	for _, name := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"} {
		add("--ro-bind-try", name, name)
	}
	list := mounts(p)
	if p.Home != "" && !slices.ContainsFunc(list, func(m mount) bool { return Within(m.path, p.Home) }) {
		if real, err := filepath.EvalSymlinks(p.Home); err == nil && !p.visible(real) {
			add("--dir", real)
		}
	}
	for _, m := range append(links(append([]string{p.Home}, p.Given...), list), list...) {
		switch info, err := os.Lstat(m.path); {
		case m.kind == mountLink:
			add("--symlink", m.target, m.path)
		case err != nil: // removed since the policy was made
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
	add("--remount-ro", "/dev", "--remount-ro", "/") // not what is mounted in them
	if filter {
		add("--seccomp", strconv.Itoa(FilterFD))
	}
	add("--json-status-fd", strconv.Itoa(StatusFD), "--chdir", p.Dir)
	return words
}

// The descriptors that bubblewrap is started with, beside the script's streams.
const (
	FilterFD = 3 // the filter of system calls, see [FilterProgram]
	StatusFD = 4 // where it reports the start and the end of the script
)

// sandboxExec is where macOS has its program. Elsewhere it would be another one.
const sandboxExec = "/usr/bin/sandbox-exec"

// seatbeltProfile is a policy in the language of macOS's sandbox-exec. Of the
// rules that match, the last one counts.
func seatbeltProfile(p Policy) string {
	var b strings.Builder
	rule := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	rule("(version 1)")
	rule("(allow default)")
	if !p.Net {
		rule("(deny network*)")
	} else {
		rule("(deny network* (local unix-socket) (remote unix-socket))")
		rule(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`) // resolves names
	}
	rule("(deny file*)")
	rule("(deny process-exec*)")
	rule(`(allow file-read-metadata (literal "/"))`)
	// Programs look at the folders above those they read.
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
		if m.kind == mountPinned { // or what it holds could be moved away
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

// quote is a text as the profile's language has it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
