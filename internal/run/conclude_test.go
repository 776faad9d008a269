package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/history"
	"skills/internal/loader"
	"skills/internal/redact"
	"skills/internal/testing/openaitest"
	"skills/internal/transcript"
)

// testEnv is an environment in a folder; its notices and warnings go to errs.
func testEnv(dir string, errs io.Writer, environ ...string) Env {
	return Env{
		Dir: dir, Environ: environ,
		Notify: func(n loader.Notice) { fmt.Fprintln(errs, n.Message) },
		Warn:   func(format string, args ...any) { fmt.Fprintf(errs, "warning: "+format+"\n", args...) },
		Note:   func(text string) { fmt.Fprintln(errs, "note: "+text) },
		Masked: func(*redact.Masker) {},
	}
}

// testOptions are valid options of a run with the prompt "hello".
func testOptions() Options {
	return Options{
		Prompt:   Prompt{Read: func(context.Context) (string, error) { return "hello", nil }},
		Limits:   Limits{Turns: 5, Timeout: time.Minute},
		Scripts:  Scripts{Timeout: time.Minute, Sandbox: "auto"},
		Programs: Programs{HookTimeout: time.Minute},
	}
}

// printing is a presentation with a printer.
func printing(p transcript.Printer) Presentation {
	return Presentation{Printer: func(*Parts) transcript.Printer { return p }}
}

// interrupt is the cause of a context that a signal ended.
type interrupt struct{}

func (interrupt) Error() string { return "interrupted by SIGINT" }
func (interrupt) ExitCode() int { return 130 }

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

// TestConclude checks that an error is reported as itself even if an interrupt or a
// timeout follows it.
func TestConclude(t *testing.T) {
	interrupted, stop := context.WithCancelCause(t.Context())
	stop(interrupt{})
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	full := errors.New("the disk is full")
	ended := func(ctx context.Context) error { return fmt.Errorf("asking: %w", ctx.Err()) }
	for _, test := range []struct {
		name       string
		ctx        context.Context
		reached    agent.Status // what the agent came to
		err, after error
		code       int
		status     string
		limit      string
		text       string
	}{
		{"answer", t.Context(), agent.Completed, nil, nil, 0, "completed", "", ""},
		{"answer at the deadline", late, agent.Completed, nil, nil, 0, "completed", "", ""},
		{"interrupted", interrupted, agent.Interrupted, ended(interrupted), nil, 130, "interrupted", "", "interrupted by SIGINT"},
		{"while planning", interrupted, agent.Failed, interrupt{}, nil, 130, "interrupted", "", "interrupted by SIGINT"},
		{"late", late, agent.LimitHit, ended(late), nil, 3, "limit", "time", "time limit reached (1m30s)"},
		{"late while planning", late, agent.Failed, context.DeadlineExceeded, nil, 3, "limit", "time", "time limit reached (1m30s)"},
		{"failed", t.Context(), agent.Failed, full, nil, 1, "failed", "", "the disk is full"},
		{"failed when interrupted", interrupted, agent.Failed, full, nil, 1, "failed", "", "the disk is full"},
		{"failed when late", late, agent.Failed, full, nil, 1, "failed", "", "the disk is full"},
		{"wrong usage when late", late, agent.Failed, fault.Usage("", "no such skill"), nil, 2, "failed", "", "no such skill"},
		{"failed after the answer", late, agent.Completed, nil, full, 1, "failed", "", "the disk is full"},
		{"failed after the interrupt", interrupted, agent.Interrupted, ended(interrupted), full, 130, "interrupted", "", "interrupted by SIGINT; the disk is full"},
		{"a time-out of something else", t.Context(), agent.Failed, context.DeadlineExceeded, nil, 1, "failed", "", "context deadline exceeded"},
		{"limit", t.Context(), agent.LimitHit, &agent.LimitError{Limit: agent.LimitTurns, Max: 3}, nil, 3, "limit", "turns", "turn limit reached (3)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			parts := New(testEnv("", &errs), Options{Limits: Limits{Timeout: 90 * time.Second}})
			parts.Mask = redact.New(nil)
			s := &show{Parts: parts, printer: transcript.JSONL(&out, false)}
			var ended Ended
			ended.Status = test.reached
			if test.reached == agent.LimitHit {
				ended.Limit = test.limit
			}
			code, printed := fault.OK, ""
			if err := s.conclude(test.ctx, &ended, test.err, test.after); err != nil {
				concluded := err.(*fault.Error)
				code, printed = concluded.Code, concluded.Error()
			}
			got := lastLine(t, out.String())
			if code != test.code || got.Status != test.status || got.Limit != test.limit || got.Error != test.text {
				t.Errorf("got %d, %+v", code, got)
			}
			if printed != test.text || errs.Len() > 0 {
				t.Errorf("the error is %q, standard error: %s", printed, errs.String())
			}
		})
	}
}

// torn is a printer that panics at one kind of event.
type torn struct {
	transcript.Printer
	at string
}

func (p *torn) Event(e agent.Event) error {
	if e.EventType() == p.at {
		panic("torn")
	}
	return p.Printer.Event(e)
}

func (p *torn) Finish(r transcript.Result) error {
	if p.at == "finish" {
		panic("torn")
	}
	return p.Printer.Finish(r)
}

// TestPanicInRun checks that a panic anywhere in a run ends it with one result and exit
// code 1, and that resources are released.
func TestPanicInRun(t *testing.T) {
	for _, at := range []string{"run.started", "message", "tool.call", "todo", "tool.result", "finish"} {
		t.Run(at, func(t *testing.T) {
			server := openaitest.Start(openaitest.Do(openaitest.Call{ID: "c", Name: "todos_add", Arguments: `{"todos":[{"title":"x"}]}`}), openaitest.Text("done"))
			defer server.Close()
			var out, errs, stack bytes.Buffer
			dir := t.TempDir()
			o := testOptions()
			o.Files.Record = "talk.jsonl"
			cleaned := false
			_, _, err := Present(t.Context(), testEnv(dir, &errs, "OPENAI_BASE_URL="+server.URL), o, Presentation{
				Printer: func(p *Parts) transcript.Printer {
					p.closers = append(p.closers, func() error { cleaned = true; return nil })
					return &torn{transcript.JSONL(&out, false), at}
				},
				Panicked: func(text string) { stack.WriteString(text) },
			})
			if e := (*fault.Error)(nil); at != "finish" && (!errors.As(err, &e) || e.Code != fault.Failed) || !cleaned {
				t.Errorf("got %v, tidied up: %v", err, cleaned)
			}
			if at != "finish" {
				if got := lastLine(t, out.String()); got.Status != "failed" || !strings.HasSuffix(got.Error, "panic: torn") {
					t.Errorf("got %+v", got)
				}
				if !strings.Contains(stack.String(), "(*torn).Event") {
					t.Errorf("the stack does not say where: %s", stack.String())
				}
			}
			if !strings.HasPrefix(err.Error(), "internal error: panic: torn") || !strings.HasPrefix(fault.Hint(err), "please report it") {
				t.Errorf("the error is %v, %s", err, fault.Hint(err))
			}
			if _, err := os.Stat(filepath.Join(dir, "talk.jsonl")); (at != "run.started" && at != "message") != (err == nil) {
				t.Errorf("the recording: %v", err)
			}
		})
	}
}

// TestPanicInAssembly checks that a panic before the run also ends it with one result, and
// releases what was opened until then.
func TestPanicInAssembly(t *testing.T) {
	var out, errs bytes.Buffer
	dir := t.TempDir()
	o := testOptions()
	o.Files.Session = "talk.jsonl"
	o.Scripts.PassEnv = []string{"NOT_SET"}
	env := testEnv(dir, &errs, "OPENAI_BASE_URL=http://127.0.0.1:1/v1")
	env.Warn = func(string, ...any) { panic("torn") }
	_, _, err := Present(t.Context(), env, o, printing(transcript.JSONL(&out, false)))
	if got := lastLine(t, out.String()); got.Status != "failed" || !strings.HasSuffix(got.Error, "panic: torn") || fault.Code(err) != fault.Failed {
		t.Errorf("got %+v, %v", got, err)
	}
	file, err := history.Open(filepath.Join(dir, "talk.jsonl"), time.Now, nil)
	if err != nil {
		t.Fatalf("the session is still open: %v", err)
	}
	file.Close()
}
