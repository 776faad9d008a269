package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// TestInterrupt ends runs while the server is silent and in the middle of a
// stream: the exit code is the signal's, and there is one result, last.
func TestInterrupt(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for _, tt := range []struct {
		name   string
		reply  openaitest.Reply
		signal os.Signal
		flags  []string
		code   int
	}{
		{"before an answer", openaitest.Reply{Text: "late", Gate: never}, os.Interrupt, nil, 130},
		{"by SIGTERM", openaitest.Reply{Text: "late", Gate: never}, syscall.SIGTERM, nil, 143},
		{"in a stream", openaitest.Reply{Text: "first second", Pacing: openaitest.Pacing{Pieces: []string{"first ", "second"}, Hold: never}}, os.Interrupt, []string{"--stream"}, 130},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := openaitest.New(t, tt.reply)
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			out := &watched{until: "first ", seen: make(chan struct{})}
			var errs bytes.Buffer
			env := Env{
				Env:   run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-test"}},
				Stdin: strings.NewReader(""), Stdout: out, Stderr: &errs,
			}
			go func() {
				<-server.Arrived()
				if tt.flags != nil {
					<-out.seen
				}
				cancel(Interrupt{tt.signal})
			}()
			code := Run(ctx, env, append([]string{"run", "--format", "jsonl", "hello"}, tt.flags...))
			if code != tt.code {
				t.Errorf("exit code %d, want %d\n%s", code, tt.code, errs.String())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			var last struct{ Type, Status, Error string }
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatal(err)
			}
			if last.Type != "run.result" || last.Status != "interrupted" || !strings.HasPrefix(last.Error, "interrupted by ") {
				t.Errorf("the last line is %+v", last)
			}
			if n := strings.Count(out.String(), `"type":"run.result"`); n != 1 {
				t.Errorf("%d results", n)
			}
		})
	}
}

// watched is a buffer that signals when a text has been written to it.
type watched struct {
	bytes.Buffer
	until string
	seen  chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	if w.until != "" && bytes.Contains(p, []byte(w.until)) {
		w.until = ""
		close(w.seen)
	}
	return w.Buffer.Write(p)
}
