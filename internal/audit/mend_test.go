package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"skills/internal/agent"
	"skills/internal/safefile"
)

// broken writes a part of what it is given.
type broken struct {
	to   io.Writer
	part int
}

func (b broken) Write(text []byte) (int, error) {
	n, _ := b.to.Write(text[:b.part])
	return n, errors.New("no space left on device")
}

// After a failure nothing more is recorded, and so nothing more is run; what
// was written of the line is taken back, unless somebody wrote behind it.
func TestWriteFails(t *testing.T) {
	for _, tt := range []struct {
		part   int
		behind string
		left   int // bytes of the line
	}{{0, "", 0}, {20, "", 0}, {20, "\n{}\n", 20}} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		other, l := opened(t, path), opened(t, path)
		if err := other.Started(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		before := read(t, path)
		var to io.Writer = l.file.f
		if tt.behind != "" {
			to = also{l.file.f, tt.behind}
		}
		l.file.to = broken{to, tt.part}
		first := l.Decided(t.Context(), run, agent.Decision{Approved: true})
		var told *Error
		if !errors.As(first, &told) || told.Hint() == "" || !strings.Contains(first.Error(), "recording approval: "+path+": it cannot be written: no space left") {
			t.Errorf("got %v", first)
		}
		l.file.to = l.file.f
		if err := l.Started(t.Context(), run); err == nil || err.Error() != first.Error() {
			t.Errorf("after it: %v", err)
		}
		const line = `{"type":"approval","schema_version"`
		if got, want := read(t, path), before+line[:tt.left]+tt.behind; got != want {
			t.Errorf("%+v: got\n%s\nwant\n%s", tt, got, want)
		}
		if err := other.Decided(t.Context(), run, agent.Decision{}); err != nil {
			t.Errorf("another run after it: %v", err)
		}
	}
}

// also has somebody else write behind each write, and tells of its own alone.
type also struct {
	to     io.Writer
	behind string
}

func (a also) Write(text []byte) (int, error) {
	n, err := a.to.Write(text)
	if err == nil {
		_, err = io.WriteString(a.to, a.behind)
	}
	return n, err
}

// A sync that fails leaves no line of what is not going to happen.
func TestSyncFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := opened(t, path)
	l.file.sync = func() error { return errors.New("input/output error") }
	if err := l.Started(t.Context(), run); err == nil || !strings.Contains(err.Error(), "it cannot be written: input/output error") {
		t.Errorf("got %v", err)
	}
	if got := read(t, path); got != "" {
		t.Errorf("got %s", got)
	}
}

// What a kill left of a line is cut away and told, at the beginning and when it
// was another run's; what is no such thing stays.
func TestTorn(t *testing.T) {
	const whole = `{"type":"approval","schema_version":1}`
	cut := func(n int) string {
		return fmt.Sprintf("was cut in the middle of a write; its %d bytes are left out", n)
	}
	const stays = "is no JSON; it stays there"
	for _, tt := range []struct{ text, want, warning string }{
		{whole + "\n", whole + "\n", ""},
		{whole, whole + "\n", ""},
		{`{"type":"script.star`, "", cut(20)},
		{whole + "\n" + `{"type":"script.started","schema_version":1,"time":`, whole + "\n", cut(51)},
		{whole + "\n{", whole + "\n", cut(1)},
		{whole + "\n" + `{"type":"approval","schema_version":1,"arguments":"` + strings.Repeat("x", 200<<10), whole + "\n", cut(51 + 200<<10)},
		{whole + "\n\x00\x00\x00", whole + "\n", cut(3)},
		{whole + "\nmy note", whole + "\nmy note\n", stays},
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
			var told []string
			l, err := Open(path, Options{RunID: "r1", Now: clock(), Warn: func(message string) { told = append(told, message) }})
			if err != nil {
				t.Fatal(err)
			}
			if when == "meanwhile" {
				put()
			}
			if err := errors.Join(l.Started(t.Context(), run), l.Close()); err != nil {
				t.Fatal(err)
			}
			got, ok := strings.CutPrefix(read(t, path), tt.want)
			if !ok || strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, `{"type":"script.started","schema_version":1,"time":"`) || !json.Valid([]byte(got)) {
				t.Errorf("%s %.99q: got %q behind %q", when, tt.text, got, tt.want)
			}
			switch said := strings.Join(told, ", "); {
			case tt.warning == "" && said != "", tt.warning != "" && !strings.HasPrefix(said, "the last line of "+path+" "+tt.warning):
				t.Errorf("%s %.99q: told %q", when, tt.text, said)
			case len(told) > 1:
				t.Errorf("%s %.99q: told %q", when, tt.text, told)
			}
		}
	}
}

// Runs that share a file write whole lines, one after the other.
func TestShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	logs := []*Log{opened(t, path), opened(t, path), opened(t, path)}
	var all sync.WaitGroup
	for _, l := range logs {
		for range 4 {
			all.Go(func() {
				for range 10 {
					if err := l.Decided(t.Context(), run, agent.Decision{By: "user"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	lines := strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n")
	if len(lines) != 120 {
		t.Errorf("%d lines", len(lines))
	}
	for i, text := range lines {
		if !json.Valid([]byte(text)) {
			t.Errorf("line %d: %s", i+1, text)
		}
	}
}

// A run that keeps the file for itself is not waited for without end.
func TestKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l, other := opened(t, path), opened(t, path)
	if err := safefile.Lock(other.file.f); err != nil {
		t.Fatal(err)
	}
	l.file.wait = 2
	err := l.Started(t.Context(), run)
	var told *Error
	if !errors.As(err, &told) || told.Hint() == "" || err.Error() != "recording script.started: "+path+": another run has kept it for itself for 10ms" {
		t.Errorf("got %v", err)
	}
	if got := read(t, path); got != "" {
		t.Errorf("got %s", got)
	}
	if err := errors.Join(safefile.Unlock(other.file.f), other.Started(t.Context(), run)); err != nil {
		t.Error(err)
	}
}

// Where files cannot be locked nothing is cut away, and lines stay apart.
func TestNoLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := opened(t, path)
	const torn = `{"type":"approval","sche`
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	l.file.warn = func(message string) { told = append(told, message) }
	size, lead, err := l.file.mend(false)
	if err != nil || size != int64(len(torn)) || lead != "\n" || read(t, path) != torn || len(told) != 1 || !strings.Contains(told[0], "it stays there") {
		t.Errorf("got %d, %q, %v, told %q", size, lead, err, told)
	}
}
