package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/filetest"
)

// TestIncompleteLastLine checks that an incomplete last line is removed and reported, also
// if another run wrote it.
func TestIncompleteLastLine(t *testing.T) {
	const whole = `{"type":"approval","schema_version":1}`
	cut := func(n int) string {
		return fmt.Sprintf("was cut in the middle of a write; its %d bytes are ignored", n)
	}
	for _, tt := range []struct{ text, want, warning string }{
		{whole + "\n", whole + "\n", ""},
		{whole, whole + "\n", ""},
		{`{"type":"script.star`, "", cut(20)},
		{whole + "\n" + `{"type":"script.started","schema_version":1,"time":`, whole + "\n", cut(51)},
		{whole + "\n{", whole + "\n", cut(1)},
		{whole + "\n" + `{"type":"approval","schema_version":1,"arguments":"` + strings.Repeat("x", 200<<10), whole + "\n", cut(51 + 200<<10)},
		{whole + "\n\x00\x00\x00", whole + "\n", cut(3)},
		{whole + "\n" + whole[:30] + "\n" + whole + "\n", whole + "\n" + whole[:30] + "\n" + whole + "\n", ""}, // not the last
	} {
		for _, when := range []string{"before", "meanwhile"} {
			path := filepath.Join(t.TempDir(), "a.jsonl")
			put := func() {
				if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if when == "before" {
				put()
			}
			var warnings []string
			l, err := Open(path, Options{RunID: "r1", Now: clock(), Warn: func(message string) { warnings = append(warnings, message) }})
			if err != nil {
				t.Fatal(err)
			}
			if when == "meanwhile" {
				put()
			}
			if err := errors.Join(l.Started(t.Context(), called, run), l.Close()); err != nil {
				t.Fatal(err)
			}
			got, ok := strings.CutPrefix(filetest.Read(t, path), tt.want)
			if !ok || strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, `{"type":"script.started","schema_version":1,"time":"`) || !json.Valid([]byte(got)) {
				t.Errorf("%s %.99q: got %q behind %q", when, tt.text, got, tt.want)
			}
			switch text := strings.Join(warnings, ", "); {
			case tt.warning == "" && text != "", tt.warning != "" && !strings.HasPrefix(text, "the last line of "+path+" "+tt.warning):
				t.Errorf("%s %.99q: warnings %q", when, tt.text, text)
			case len(warnings) > 1:
				t.Errorf("%s %.99q: warnings %q", when, tt.text, warnings)
			}
		}
	}
}

// TestShared checks that runs that share a file write whole lines, one after the other.
func TestShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	logs := []*Log{opened(t, path), opened(t, path), opened(t, path)}
	var all sync.WaitGroup
	for _, l := range logs {
		for range 4 {
			all.Go(func() {
				for range 10 {
					if err := l.Decided(t.Context(), called, run, agent.Decision{By: "user"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	lines := strings.Split(strings.TrimSuffix(filetest.Read(t, path), "\n"), "\n")
	if len(lines) != 120 {
		t.Errorf("%d lines", len(lines))
	}
	for i, text := range lines {
		if !json.Valid([]byte(text)) {
			t.Errorf("line %d: %s", i+1, text)
		}
	}
}
