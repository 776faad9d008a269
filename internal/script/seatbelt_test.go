//go:build unix

package script

import (
	"strings"
	"testing"
)

// The profile, for there may be no Mac at hand to try it: what it allows stands
// before what it takes back.
func TestSeatbeltProfile(t *testing.T) {
	p := policy{
		dir: "/w", write: []string{"/tmp/x/tmp", "/w", "/w/skills/\"a\"\\b/out"}, protect: []string{"/w/skills/\"a\"\\b"},
		secrets: []string{"/Users/me/.ssh", "/w/.env"},
	}
	const want = `(version 1)
(allow default)
(deny network*)
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))
(allow file-write* (subpath "/tmp/x/tmp"))
(allow file-write* (subpath "/w"))
(deny file-write* (subpath "/w/skills/\"a\"\\b"))
(allow file-write* (subpath "/w/skills/\"a\"\\b/out"))
(deny file-write-unlink (literal "/w/skills"))
(deny file-write-unlink (literal "/w"))
(deny file* process-exec (subpath "/Users/me/.ssh"))
(deny file* process-exec (subpath "/w/.env"))
(deny signal (target others))
`
	if got := seatbeltProfile(p); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
	p.net = true
	got := seatbeltProfile(p)
	if strings.Contains(got, "(deny network*)") || !strings.Contains(got, "(deny network* (local unix-socket) (remote unix-socket))") {
		t.Errorf("with the network allowed:\n%s", got)
	}
	resolver := `(allow network-outbound (literal "/private/var/run/mDNSResponder"))`
	if strings.Index(got, resolver) < strings.Index(got, "(remote unix-socket)") {
		t.Errorf("no name can be resolved with the network allowed:\n%s", got)
	}
	if !strings.Contains(got, "(deny user-preference-write)") {
		t.Error("preferences can be changed through their service")
	}
	for _, service := range []string{"com.apple.SecurityServer", "com.apple.coreservices.launchservicesd"} {
		if !strings.Contains(got, `(deny mach-lookup (global-name "`+service+`"))`) {
			t.Errorf("%s can be reached", service)
		}
	}
}
