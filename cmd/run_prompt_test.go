package cmd

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
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

func TestReadInput(t *testing.T) {
	t.Run("ended", func(t *testing.T) {
		got, state := readInput(t.Context(), strings.NewReader("all of it"), time.Hour)
		if got != "all of it" || state != inputRead {
			t.Errorf("got %q, %v", got, state)
		}
	})
	t.Run("open but silent", func(t *testing.T) {
		r, _ := pipe(t)
		if got, state := readInput(t.Context(), r, time.Millisecond); got != "" || state != inputSilent {
			t.Errorf("got %q, %v, want silence", got, state)
		}
	})
	t.Run("stops without ending", func(t *testing.T) {
		r, w := pipe(t)
		if _, err := w.WriteString("a part"); err != nil {
			t.Fatal(err)
		}
		if got, state := readInput(t.Context(), r, 50*time.Millisecond); got != "a part" || state != inputSilent {
			t.Errorf("got %q, %v, want the part", got, state)
		}
	})
	t.Run("too large", func(t *testing.T) {
		if _, state := readInput(t.Context(), io.LimitReader(endless{}, maxPrompt+1), time.Hour); state != inputTooLarge {
			t.Errorf("got %v", state)
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
