package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
	"skills/internal/transcript"
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

// An error is what it is, also where the run was interrupted, or its time was
// up, when it happened.
func TestConclude(t *testing.T) {
	interrupted, stop := context.WithCancelCause(t.Context())
	stop(Interrupt{os.Interrupt})
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
		{"while planning", interrupted, agent.Failed, Interrupt{os.Interrupt}, nil, 130, "interrupted", "", "interrupted by SIGINT"},
		{"late", late, agent.LimitHit, ended(late), nil, 3, "limit", "time", "stopped at the limit of time (1m30s)"},
		{"late while planning", late, agent.Failed, context.DeadlineExceeded, nil, 3, "limit", "time", "stopped at the limit of time (1m30s)"},
		{"failed", t.Context(), agent.Failed, full, nil, 1, "failed", "", "the disk is full"},
		{"failed when interrupted", interrupted, agent.Failed, full, nil, 1, "failed", "", "the disk is full"},
		{"failed when late", late, agent.Failed, full, nil, 1, "failed", "", "the disk is full"},
		{"wrong usage when late", late, agent.Failed, wrongUsage("", "no such skill"), nil, 2, "failed", "", "no such skill"},
		{"failed after the answer", late, agent.Completed, nil, full, 1, "failed", "", "the disk is full"},
		{"failed after the interrupt", interrupted, agent.Interrupted, ended(interrupted), full, 130, "interrupted", "", "interrupted by SIGINT; the disk is full"},
		{"a time-out of something else", t.Context(), agent.Failed, context.DeadlineExceeded, nil, 1, "failed", "", "context deadline exceeded"},
		{"limit", t.Context(), agent.LimitHit, &agent.LimitError{Limit: agent.LimitTurns, Max: 3}, nil, 3, "limit", "turns", "stopped at the limit of turns (3)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			a := &app{Env: Env{Stdout: &out, Stderr: &errs}}
			r := newRunning(&plan{}, transcript.JSONL(&out, false), transcript.Started{})
			r.timeout, r.result.Status = 90*time.Second, test.reached
			if test.reached == agent.LimitHit {
				r.result.Limit = test.limit
			}
			code := exitFine
			if err := a.conclude(test.ctx, r, test.err, test.after); err != nil {
				code = int(err.(errReported))
			}
			got := lastLine(t, out.String())
			if code != test.code || got.Status != test.status || got.Limit != test.limit || got.Error != test.text {
				t.Errorf("got %d, %+v", code, got)
			}
			if test.text != "" && !strings.Contains(errs.String(), "error: "+test.text) || test.text == "" && errs.Len() > 0 {
				t.Errorf("standard error: %s", errs.String())
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

// A panic anywhere in a run ends it with its one result and exit code 1, and
// what it leaves behind is as after any other.
func TestPanicInRun(t *testing.T) {
	for _, at := range []string{"run.started", "message", "tool.call", "todo", "tool.result", "finish"} {
		t.Run(at, func(t *testing.T) {
			server := openaitest.Start(openaitest.Do(openaitest.Call{ID: "c", Name: "todos_add", Arguments: `{"todos":[{"title":"x"}]}`}), openaitest.Say("done"))
			defer server.Close()
			var out, errs bytes.Buffer
			env := Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}
			a := &app{Env: env, started: true}
			f := runFlags{maxTurns: 5, timeout: time.Minute, scriptTimeout: time.Minute, hookTimeout: time.Minute, sandbox: "auto", format: "jsonl", record: "talk.jsonl", verbose: true}
			p, err := a.plan(t.Context(), f, []string{"hello"})
			if err != nil {
				t.Fatal(err)
			}
			cleaned := false
			p.cleanup = append(p.cleanup, func() error { cleaned = true; return nil })
			r := newRunning(p, &torn{transcript.JSONL(&out, false), at}, a.startEvent(p))
			code := a.exit(t.Context(), a.through(t.Context(), f, r, nil))
			if code != exitProblems || !cleaned {
				t.Errorf("exit code %d, tidied up: %v", code, cleaned)
			}
			if at != "finish" {
				if got := lastLine(t, out.String()); got.Status != "failed" || !strings.HasSuffix(got.Error, "panic: torn") {
					t.Errorf("got %+v", got)
				}
				if !strings.Contains(errs.String(), "(*torn).Event") {
					t.Errorf("standard error does not say where: %s", errs.String())
				}
			}
			if !strings.Contains(errs.String(), "error: a mistake in this program: panic: torn\nhint: please report it") {
				t.Errorf("standard error: %s", errs.String())
			}
			if _, err := os.Stat(filepath.Join(env.Dir, "talk.jsonl")); (at != "run.started" && at != "message") != (err == nil) {
				t.Errorf("the recording: %v", err)
			}
		})
	}
}
