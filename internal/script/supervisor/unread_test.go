//go:build unix

package supervisor

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A process outside of the command's session keeps the output open. What was
// printed is kept, and the outcome says that there may be more.
func TestOutputLeftOpen(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	const left = " until [ -s pid ]; do :; done; cat pid" // it has left the session
	for _, test := range []struct {
		name, script string
		unread       bool
	}{
		{"left open", "setsid sh -c 'echo $$ >pid; exec sleep 60' &" + left, true},
		{"closed", "setsid sh -c 'echo $$ >pid; exec sleep 60' >/dev/null 2>&1 &" + left, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			command := Command{Args: []string{sh, "-c", test.script}, Dir: t.TempDir()}
			outcome, err := Run(t.Context(), command, &stdout, &stderr, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { exec.Command("kill", strings.TrimSpace(stdout.String())).Run() })
			if outcome.Code != 0 || outcome.Unread != test.unread || stdout.Len() == 0 {
				t.Errorf("outcome %+v, output %q", outcome, &stdout)
			}
		})
	}
}
