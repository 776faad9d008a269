package cmd

import (
	"encoding/json"
	"strings"
	"testing"
)

// lastLine is the run.result of JSON Lines, which have to have exactly one, at
// their end.
func lastLine(t *testing.T, out string) (result struct{ Type, Status, Limit, Text, Error string }) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &result); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := strings.Count(out, `"type":"run.result"`); n != 1 || result.Type != "run.result" {
		t.Errorf("%d results, the last line is %+v", n, result)
	}
	return result
}
