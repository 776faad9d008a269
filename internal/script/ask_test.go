//go:build unix

package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/testing/filetest"
)

func filter(t *testing.T, r *Runner, input string, command ...string) Result {
	t.Helper()
	result, err := r.Ask(t.Context(), command, []byte(input), "ASKED=yes")
	if err != nil {
		t.Fatalf("Ask(%q) = %v", command, err)
	}
	return result
}

func TestAsk(t *testing.T) {
	t.Parallel()
	r := runner(t, "OPENAI_API_KEY=sk-secret", "SKILL_DIR=/elsewhere")
	big := strings.Repeat("x", 1<<20)
	r.OutputLimit = 2 << 20
	if got := filter(t, r, big, "cat"); got.Stdout != big || !got.OK() {
		t.Errorf("cat of 1 MiB gave %d bytes, %+v", len(got.Stdout), got.ExitCode)
	}
	if got := filter(t, r, big, "true"); !got.OK() {
		t.Errorf("a program that reads nothing: %+v", got)
	}
	got := filter(t, r, "", "sh", "-c", `pwd; echo "$ASKED/$OPENAI_API_KEY/$SKILL_DIR"; echo why >&2; exit 2`)
	if got.Stdout != r.Dir+"\nyes//\n" || got.Stderr != "why\n" || got.ExitCode != 2 {
		t.Errorf("got %+v", got)
	}
	filetest.Programs(t, r.Dir, map[string]string{"mine": "#!/bin/sh\necho \"$1\""})
	if got := filter(t, r, "", "./mine", "$HOME; x"); got.Stdout != "$HOME; x\n" {
		t.Errorf("a file in the folder: %+v", got)
	}
}

// TestAskEnds checks that at its time limit, and at the end of the run, a filter is
// ended with everything that it started in its session.
func TestAskEnds(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Timeout = 50 * time.Millisecond
	if got := filter(t, r, "x", "sh", "-c", "sleep 60 & sleep 60"); !got.TimedOut || got.OK() {
		t.Errorf("got %+v", got)
	}
	r.Timeout = -1
	ctx, cancel := context.WithCancelCause(t.Context())
	marked := filepath.Join(r.Dir, "started")
	go func() {
		for {
			if _, err := os.Stat(marked); err == nil || t.Context().Err() != nil {
				cancel(errors.New("enough"))
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	got, err := r.Ask(ctx, []string{"sh", "-c", "echo x >started; exec sleep 60"}, nil)
	if err != nil || !got.Interrupted {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := r.Ask(ctx, []string{"true"}, nil); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("after the end: %v", err)
	}
}

func TestAskRefusals(t *testing.T) {
	t.Parallel()
	r := runner(t)
	filetest.Write(t, r.Dir, map[string]string{"plain": "x"})
	filetest.Programs(t, r.Dir, map[string]string{"broken": "#!/no/such/program\n"})
	for _, tt := range []struct {
		command []string
		want    string
	}{
		{nil, "none is named"},
		{[]string{""}, "none is named"},
		{[]string{"no-such-program-here"}, "starting no-such-program-here: it is not on the PATH"},
		{[]string{"./nothing"}, "starting ./nothing: "},
		{[]string{"./plain"}, "starting ./plain: "},
		{[]string{"./broken"}, "starting ./broken: "},
		{[]string{"true", "a\x00b"}, "NUL"},
	} {
		if got, err := r.Ask(t.Context(), tt.command, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %+v, %v, want %q", tt.command, got, err, tt.want)
		}
	}
}
