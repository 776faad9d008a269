package sandbox

// How a policy becomes mounts. Each source is opened once, without following a
// link, and compared with what the policy was decided on; bubblewrap mounts that
// descriptor. Bubblewrap resolves the destinations of its mounts as paths, so it
// mounts nothing below a folder that scripts can write to, where another script
// could swap a folder for a link. This program does that itself inside, before
// the script starts: it mounts each such path over itself by one descriptor, see
// [Plan].

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// File descriptors passed to bubblewrap, in addition to the script's streams.
const (
	FilterFD  = 3 // system call filter, see [FilterProgram]
	StatusFD  = 4 // reports the start and the end of the script
	SelfFD    = 5 // this program, which bubblewrap starts
	PlanFD    = 6 // what is left to mount, a [Plan] encoded by gob
	FailureFD = 7 // why the script was not started
	sourceFD  = 8 // the first source of a mount
)

// Plan lists what this program mounts and checks inside of bubblewrap, before the
// script starts.
type Plan struct {
	Policy Policy
	Outer  []string // mounts of bubblewrap, which must be those of the policy
	Inner  []Inner  // mounts below others, each after those that contain it
}

// Inner is a mount of a path over itself.
type Inner struct {
	Path string
	Kind int
}

// Launch holds what bubblewrap needs for a policy.
type Launch struct {
	Arguments []string   // before the command
	Sources   []*os.File // descriptors from 8 on
	Plan      Plan
}

// Close closes the sources.
func (l Launch) Close() {
	for _, source := range l.Sources {
		source.Close()
	}
}

// NewLaunch opens the sources of a policy's mounts. It returns an error if one of
// them is not what the policy was decided on. byDescriptor says that bubblewrap
// can mount descriptors; without, it mounts paths, which the [Plan] compares.
func NewLaunch(p Policy, byDescriptor bool) (Launch, error) {
	l := Launch{Plan: Plan{Policy: p}}
	list := mounts(p)
	for _, m := range list {
		if m.kind == mountLink {
			continue
		}
		fd, err := p.open(m.path)
		if err != nil {
			l.Close()
			return Launch{}, err
		}
		if below(list, m) {
			unix.Close(fd)
			l.Plan.Inner = append(l.Plan.Inner, Inner{m.path, m.kind})
			continue
		}
		l.Sources = append(l.Sources, os.NewFile(uintptr(fd), m.path))
		l.Plan.Outer = append(l.Plan.Outer, m.path)
	}
	if p.Tmp {
		fd, err := p.open(p.Temp)
		if err != nil {
			l.Close()
			return Launch{}, err
		}
		l.Sources = append(l.Sources, os.NewFile(uintptr(fd), p.Temp))
	}
	l.Arguments = bubblewrapArguments(p, list, l.Plan.Outer, byDescriptor)
	return l, nil
}

// below reports whether a mount is left to the [Plan]: it is in another one, and
// does not make a part of a read-only one writable, which only bubblewrap can do.
func below(list []mount, m mount) bool {
	within := func(kinds ...int) bool {
		return slices.ContainsFunc(list, func(other mount) bool {
			return other.path != m.path && slices.Contains(kinds, other.kind) && Within(m.path, other.path)
		})
	}
	if m.kind == mountWrite || m.kind == mountPinned {
		return within(mountWrite, mountPinned)
	}
	return within(mountRead, mountWrite, mountPinned, mountReadOnly, mountHidden)
}

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
// the script's file system is empty except for the mounts of the policy. The
// program that bubblewrap starts is this one, which mounts the rest; only it has
// the privileges.
func bubblewrapArguments(p Policy, list []mount, outer []string, byDescriptor bool) []string {
	words := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--new-session",
		"--disable-userns", "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP",
	}
	add := func(more ...string) { words = append(words, more...) }
	if !p.Net {
		add("--unshare-net")
	}
	add("--dev", "/dev", "--proc", "/proc")
	inMemory := []string{"/dev/shm", "/tmp"} // no process limit includes it
	if p.Tmp {
		inMemory = inMemory[:1]
		if byDescriptor {
			add("--bind-fd", strconv.Itoa(sourceFD+len(outer)), "/tmp")
		} else {
			add("--bind", p.Temp, "/tmp")
		}
	}
	for _, path := range inMemory {
		add("--size", strconv.Itoa(MaxFile), "--tmpfs", path)
	}
	if p.Home != "" && !slices.ContainsFunc(list, func(m mount) bool { return Within(m.path, p.Home) }) {
		if real, err := filepath.EvalSymlinks(p.Home); err == nil && !p.visible(real) {
			add("--dir", real)
		}
	}
	for _, m := range append(links(chains(append([]string{p.Home}, p.Given...)), list), list...) {
		at := slices.Index(outer, m.path)
		option, source := "--ro-bind", m.path
		if m.kind == mountWrite {
			option = "--bind"
		}
		if byDescriptor {
			option, source = option+"-fd", strconv.Itoa(sourceFD+at)
		}
		switch {
		case m.kind == mountLink:
			add("--symlink", m.target, m.path)
		case at >= 0:
			add(option, source, m.path)
		}
	}
	add("--remount-ro", "/dev", "--remount-ro", "/") // does not affect mounts inside
	if Filtered() {
		add("--seccomp", strconv.Itoa(FilterFD))
	}
	return append(words, "--json-status-fd", strconv.Itoa(StatusFD), "--chdir", "/", "--", fmt.Sprintf("/proc/self/fd/%d", SelfFD), EnterWord)
}
