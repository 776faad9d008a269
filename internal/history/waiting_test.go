package history

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/testing/filetest"
)

// TestWaiting checks that a call which waits for an approval stays open, with those after
// it, and that any other call without a result gets one.
func TestWaiting(t *testing.T) {
	const (
		head    = `{"type":"session","schema_version":1}` + "\n"
		calls   = `{"type":"message","role":"assistant","source":"model","text":"","tool_calls":[{"id":"a","name":"x","arguments":"{}"},{"id":"b","name":"x","arguments":"{}"},{"id":"c","name":"x","arguments":"{}"}]}` + "\n"
		resultA = `{"type":"message","role":"tool","source":"tool","text":"one","tool_call_id":"a","name":"x"}` + "\n"
		resultB = `{"type":"message","role":"tool","source":"tool","text":"two","tool_call_id":"b","name":"x"}` + "\n"
		waits   = `{"type":"state","key":"waiting","value":{"calls":[{"id":"b","tool":"x","kind":"other","digest":"00"}]}}` + "\n"
		none    = `{"type":"state","key":"waiting","value":{"calls":[]}}` + "\n"
	)
	for name, tt := range map[string]struct {
		lines    string
		waits    bool
		more     int
		messages int
	}{
		"waits":              {head + calls + resultA + waits, true, 1, 2},
		"not yet":            {head + calls + resultA, false, 0, 4},
		"answered":           {head + calls + resultA + waits + none + resultB, false, 0, 4},
		"killed meanwhile":   {head + calls + resultA + waits + none, false, 0, 4},
		"of an earlier turn": {head + waits + strings.ReplaceAll(calls, `"id":"b"`, `"id":"d"`), false, 0, 4},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			filetest.File(t, path, tt.lines)
			f, err := Open(path, time.Now, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			w, more, waits := f.Waiting()
			if waits != tt.waits || more != tt.more || len(f.messages) != tt.messages || waits && w.ID != "b" {
				t.Errorf("waits %v (%s), %d more, %d messages", waits, w.ID, more, len(f.messages))
			}
		})
	}
}
