package script

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mount is one line of the kernel's list of mounts.
type mount struct {
	device string // of the file system
	root   string // what of it is mounted
	point  string // where
}

// aliases are the other names that bind mounts give to the paths: the same files
// elsewhere in the tree, which a fence has to know by name.
func aliases(paths []string) []string {
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return aliasesIn(parseMounts(list), paths)
}

func aliasesIn(mounts []mount, paths []string) []string {
	var out []string
	for _, path := range paths {
		// The mount that the path lies in: the deepest, and of equals the last.
		var at *mount
		for i := range mounts {
			if within(path, mounts[i].point) && (at == nil || len(mounts[i].point) >= len(at.point)) {
				at = &mounts[i]
			}
		}
		if at == nil {
			continue
		}
		inside := filepath.Join(at.root, strings.TrimPrefix(path, at.point)) // the path in the file system itself
		for _, m := range mounts {
			switch {
			case m.device != at.device || m.point == at.point:
			case within(inside, m.root):
				out = append(out, filepath.Join(m.point, strings.TrimPrefix(inside, m.root)))
			case within(m.root, inside): // a part of the secret folder
				out = append(out, m.point)
			}
		}
	}
	return real(out)
}

// parseMounts reads a list of mounts: ID, parent, device, root, point and more.
func parseMounts(list []byte) []mount {
	var out []mount
	for line := range bytes.Lines(list) {
		fields := strings.Fields(string(line))
		if len(fields) < 5 {
			continue
		}
		out = append(out, mount{device: fields[2], root: unescape(fields[3]), point: unescape(fields[4])})
	}
	return out
}

// unescape puts the characters in the place of \040 and the like.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if code, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// userHome is the home folder of this process's user in the system's list of
// users, or "".
func userHome() string {
	list, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	uid := strconv.Itoa(os.Getuid())
	for line := range strings.Lines(string(list)) {
		if fields := strings.Split(line, ":"); len(fields) > 6 && fields[2] == uid {
			return fields[5]
		}
	}
	return ""
}
