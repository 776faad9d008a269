package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
