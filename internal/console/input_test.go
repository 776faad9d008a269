package console

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"skills/internal/files"
)

// pipe returns a pipe whose ends are closed at the test's end.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// never is for what must not be called.
func never(t *testing.T) func() { return func() { t.Error("a pause was reported") } }

func TestReadInput(t *testing.T) {
	const silence = 2 * time.Second
	t.Run("ended", func(t *testing.T) {
		got, err := readInput(t.Context(), strings.NewReader("all of it"), time.Hour, never(t))
		if got != "all of it" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("open but silent", func(t *testing.T) {
		r, _ := pipe(t)
		if got, err := readInput(t.Context(), r, time.Millisecond, never(t)); got != "" || err != errNoInput {
			t.Errorf("got %q, %v, want silence", got, err)
		}
	})
	t.Run("pauses", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // where time passes only while everybody waits
			r, w := io.Pipe()
			go func() {
				for _, after := range []time.Duration{silence / 2, silence - 1, silence - 1, 10 * silence, 20 * silence} {
					time.Sleep(after)
					io.WriteString(w, "line\n")
				}
				w.Close()
			}()
			noted := 0
			got, err := readInput(t.Context(), r, silence, func() { noted++ })
			if got != strings.Repeat("line\n", 5) || err != nil || noted != 1 {
				t.Errorf("got %q, %v, want all of it; noted %d times", got, err, noted)
			}
		})
	})
	t.Run("does not end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, w := io.Pipe()
			defer w.Close()
			go io.WriteString(w, "a part")
			got, err := readInput(ctx, r, silence, func() {})
			if unended := (*files.UnfinishedError)(nil); got != "" || !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &unended) || unended.What != "standard input" {
				t.Errorf("got %q, %v, want to be stopped", got, err)
			}
		})
	})
	t.Run("too large", func(t *testing.T) {
		if _, err := readInput(t.Context(), io.LimitReader(endless{}, maxPrompt+1), time.Hour, never(t)); err == nil || !strings.Contains(err.Error(), "larger than") {
			t.Errorf("got %v", err)
		}
	})
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat("x", len(p))), nil }

func TestIsPiped(t *testing.T) {
	r, _ := pipe(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, tt := range []struct {
		name string
		in   io.Reader
		want bool
	}{{"pipe", r, true}, {"file", file, true}, {"null device", null, false}, {"nothing", nil, false}} {
		if got := isPiped(tt.in); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
