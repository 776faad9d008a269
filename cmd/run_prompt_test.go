package cmd

import (
	"bytes"
	"context"
	"io"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// TestPipeUnended checks that input that does not end in time is never used as if it were
// complete.
func TestPipeUnended(t *testing.T) {
	server := openaitest.New(t)
	for _, args := range [][]string{{"run", "explain"}, {"run", "-q", "-"}, {"run"}} {
		ctx, stop := context.WithCancelCause(t.Context())
		var out, errs bytes.Buffer
		env := Env{
			Env:   run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}},
			Stdin: &unended{stop: func() { stop(context.DeadlineExceeded) }, ctx: t.Context()}, Stdout: &out, Stderr: &errs,
		}
		if code := Run(ctx, env, args); code != exitLimit {
			t.Errorf("%q: exit code %d", args, code)
		}
		want := "error: time limit reached (10m0s): standard input did not end in time\nhint: increase it with --timeout\n"
		if errs.String() != want {
			t.Errorf("%q: standard error is %s", args, errs.String())
		}
	}
	if asked := server.Requests(); len(asked) > 0 {
		t.Errorf("the server was asked %d times", len(asked))
	}
}

// unended is a reader of a part, which calls stop when it is asked for the rest.
type unended struct {
	stop func()
	ctx  context.Context
	sent bool
}

func (u *unended) Read(p []byte) (int, error) {
	if !u.sent {
		u.sent = true
		return copy(p, "a part"), nil
	}
	u.stop()
	<-u.ctx.Done()
	return 0, io.EOF
}
