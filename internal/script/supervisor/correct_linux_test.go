package supervisor

import (
	"bytes"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorrect checks that a script whose time limit ends while bubblewrap starts is
// reported as timed out, not as failed to start.
func TestCorrect(t *testing.T) {
	for _, tt := range []struct {
		name, status string
		asked        bool
		wantError    string
		wantSignal   string
	}{
		{"not started", `{"child-pid": 7}`, false, "bubblewrap could not start it", ""},
		{"asked to end before the start", `{"child-pid": 7}`, true, "", "SIGTERM"},
		{"started", `{"child-pid": 7}{"exit-code": 1}`, false, "", ""},
		{"not started for a reason", `{"child-pid": 7}{"exit-code": 1}`, false, "no such program", ""},
		{"started and asked", `{"child-pid": 7}{"exit-code": 1}`, true, "", ""},
	} {
		name := filepath.Join(t.TempDir(), "status")
		if err := os.WriteFile(name, []byte(tt.status), 0o600); err != nil {
			t.Fatal(err)
		}
		status, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		failure := filepath.Join(t.TempDir(), "failure")
		var text bytes.Buffer
		if reason := strings.TrimPrefix(tt.wantError, "bubblewrap could not start it"); reason != "" {
			gob.NewEncoder(&text).Encode(failed(errors.New(reason)))
		}
		if err := os.WriteFile(failure, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		reason, err := os.Open(failure)
		if err != nil {
			t.Fatal(err)
		}
		got := correct(Outcome{Code: 1}, status, reason, tt.asked)
		status.Close()
		reason.Close()
		if got.Error != tt.wantError || tt.wantError == "" && (got.Ended == nil || got.Ended.Signal != tt.wantSignal) {
			t.Errorf("%s: got %+v, %+v", tt.name, got, got.Ended)
		}
	}
}
