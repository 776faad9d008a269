//go:build unix

package sandbox

import (
	"strings"
	"testing"
)

// TestSeatbeltProfile checks the text of the profile, so that it is tested without a Mac:
// rules that deny follow those that allow.
func TestSeatbeltProfile(t *testing.T) {
	p := Policy{
		Dir: "/w", Read: []string{"/usr", "/s"}, Write: []string{"/tmp/x/tmp", "/w", "/w/a/\"b\"\\c/out"}, ReadOnly: []string{"/w/a/\"b\"\\c"},
		Hidden: []string{"/s/.env", "/w/.env"},
	}
	const want = `(version 1)
(allow default)
(deny network*)
(deny file*)
(deny process-exec*)
(allow file-read-metadata (literal "/"))
(allow file-read-metadata (literal "/tmp/x"))
(allow file-read-metadata (literal "/tmp"))
(allow file-read-metadata (literal "/w/a/\"b\"\\c"))
(allow file-read-metadata (literal "/w/a"))
(allow file-read-metadata (literal "/w"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))
(allow file-read* process-exec* (subpath "/s"))
(deny file-write* (subpath "/s"))
(deny file* process-exec* (subpath "/s/.env"))
(allow file* process-exec* (subpath "/tmp/x/tmp"))
(allow file-read* process-exec* (subpath "/usr"))
(deny file-write* (subpath "/usr"))
(allow file* process-exec* (subpath "/w"))
(deny file* process-exec* (subpath "/w/.env"))
(allow file-read* process-exec* (subpath "/w/a/\"b\"\\c"))
(deny file-write* (subpath "/w/a/\"b\"\\c"))
(allow file* process-exec* (subpath "/w/a/\"b\"\\c/out"))
(deny file-write-unlink (literal "/w/a"))
(deny signal (target others))
`
	if got := seatbeltProfile(p); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
	p.Net = true
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
