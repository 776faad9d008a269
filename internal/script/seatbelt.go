package script

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// seatbeltProfile is a policy in the language of macOS's sandbox-exec. Of the
// rules that fit, the last one counts.
func seatbeltProfile(p policy) string {
	var b strings.Builder
	rule := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	rule("(version 1)")
	rule("(allow default)")
	if !p.net {
		rule("(deny network*)")
	} else {
		rule("(deny network* (local unix-socket) (remote unix-socket))")
		rule(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`) // or no name is resolved
	}
	rule("(deny file-write*)")
	rule(`(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))`)
	// A folder that was opened by name can be written though it lies in a
	// protected one: what lies deeper comes later.
	places := slices.Concat(p.write, p.protect)
	slices.Sort(places)
	for _, path := range slices.Compact(places) {
		verb := "deny"
		if p.isWriteRoot(path) {
			verb = "allow"
		}
		rule("(%s file-write* (subpath %s))", verb, quoted(path))
	}
	// A folder with something protected in it cannot be put aside either.
	var pinned []string
	for _, path := range p.protect {
		for dir := filepath.Dir(path); p.writable(dir) && !slices.Contains(pinned, dir); dir = filepath.Dir(dir) {
			pinned = append(pinned, dir)
			rule("(deny file-write-unlink (literal %s))", quoted(dir))
		}
	}
	// Neither linked nor cloned nor run, which are operations of their own.
	for _, path := range p.secrets {
		rule("(deny file* process-exec (subpath %s))", quoted(path))
	}
	rule("(deny signal (target others))")
	rule("(deny process-info* (target others))")
	rule("(deny mach-priv-task-port)")
	for _, service := range []string{"com.apple.SecurityServer", "com.apple.securityd", "com.apple.securityd.xpc", "com.apple.coreservices.launchservicesd", "com.apple.coreservices.appleevents", "com.apple.pasteboard.1"} {
		rule("(deny mach-lookup (global-name %s))", quoted(service))
	}
	rule("(deny appleevent-send)")
	rule("(deny user-preference-write)") // through a service, not through files
	return b.String()
}

// quoted is a text as the profile's language has it.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
