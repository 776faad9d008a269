package runlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
)

// clock returns a time that advances by a second per call.
func clock() func() time.Time {
	var mu sync.Mutex
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}

func opened(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(path, Options{RunID: "r1", Dir: "/work", Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

var (
	called = agent.ToolCall{ID: "c1", Name: "run_skill_script"}
	run    = agent.Summary{
		Kind: agent.KindScript, Owner: "plain", Name: "scripts/a.sh", Arguments: json.RawMessage(`["<x>"]`),
		Command: []string{"/bin/sh", "/s/scripts/a.sh", "<x>"}, Digest: "00ff",
	}
)

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := opened(t, path)
	ctx, cancel := context.WithCancelCause(t.Context())
	result := agent.ToolResult{Text: "four", Failed: true, Process: &agent.Process{ExitCode: 3, Sandbox: "none"}}
	summed := agent.ToolCall{ID: "c2", Name: "run_skill_script"}
	function := agent.Summary{Kind: agent.KindScript, Owner: "sums", Name: "add", Arguments: json.RawMessage(`null`)}
	steps := []func() error{
		func() error {
			return l.Decided(ctx, called, run, agent.Decision{Approved: true, By: "flag", Reason: "--approve always"})
		},
		func() error { return l.Started(ctx, called, run) },
		func() error { return l.Ended(ctx, called, run, result, nil) },
		func() error { return l.Decided(ctx, summed, function, agent.Decision{By: "user"}) },
		func() error { return l.Started(ctx, summed, function) },
		func() error { return l.Ended(ctx, summed, function, agent.ToolResult{}, errors.New("no such unit")) },
		func() error { return l.Event(agent.ToolApproval{ID: "c1", Decision: "approved", By: "flag"}) }, // recorded above
		func() error {
			return l.Event(agent.ToolApproval{ID: "c3", Decision: "denied", By: "hook", Reason: "hook x: no", Tool: "todos_add",
				Action: agent.Summary{Kind: agent.KindTodo, Arguments: json.RawMessage(`{"todos":[]}`)}})
		},
		func() error { cancel(errors.New("interrupted by SIGINT")); return l.Started(ctx, called, run) },
		func() error { return l.Ended(ctx, called, run, agent.ToolResult{Text: "x"}, nil) },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	const about = `"call_id":"c1","tool":"run_skill_script","skill":"plain","script":"scripts/a.sh","arguments":["<x>"],"command":["/bin/sh","/s/scripts/a.sh","<x>"],"cwd":"/work","digest":"00ff"`
	const sum = `"call_id":"c2","tool":"run_skill_script","skill":"sums","script":"add","arguments":null,"cwd":"/work"`
	want := strings.Join([]string{
		`{"type":"approval","schema_version":1,"time":"2026-07-01T12:00:01Z","run_id":"r1",` + about + `,"decision":"approved","by":"flag","reason":"--approve always"}`,
		`{"type":"script.started","schema_version":1,"time":"2026-07-01T12:00:03Z","run_id":"r1",` + about + `}`,
		`{"type":"script.ended","schema_version":1,"time":"2026-07-01T12:00:04Z","run_id":"r1",` + about + `,"ok":false,"exit_code":3,"timed_out":false,"sandbox":"none","duration_ms":3000,"bytes":4}`,
		`{"type":"approval","schema_version":1,"time":"2026-07-01T12:00:06Z","run_id":"r1",` + sum + `,"decision":"denied","by":"user"}`,
		`{"type":"script.started","schema_version":1,"time":"2026-07-01T12:00:08Z","run_id":"r1",` + sum + `}`,
		`{"type":"script.ended","schema_version":1,"time":"2026-07-01T12:00:09Z","run_id":"r1",` + sum + `,"ok":false,"duration_ms":3000,"bytes":0,"error":"no such unit"}`,
		`{"type":"approval","schema_version":1,"time":"2026-07-01T12:00:11Z","run_id":"r1","call_id":"c3","tool":"todos_add","arguments":{"todos":[]},"decision":"denied","by":"hook","reason":"hook x: no"}`,
		`{"type":"script.started","schema_version":1,"time":"2026-07-01T12:00:13Z","run_id":"r1",` + about + `}`,
		`{"type":"script.ended","schema_version":1,"time":"2026-07-01T12:00:14Z","run_id":"r1",` + about + `,"ok":true,"duration_ms":3000,"bytes":1,"error":"the run was stopped: interrupted by SIGINT"}`,
	}, "\n") + "\n"
	if got := filetest.Read(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	if len(l.began) != 0 {
		t.Errorf("%d scripts are remembered", len(l.began))
	}
}

// TestStopped checks the text for each reason that ended a run.
func TestStopped(t *testing.T) {
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for want, ctx := range map[string]context.Context{"time limit reached": late, "context canceled": gone} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		l := opened(t, path)
		if err := l.Ended(ctx, called, run, agent.ToolResult{}, nil); err != nil {
			t.Fatal(err)
		}
		if got := filetest.Read(t, path); !strings.HasSuffix(got, `"error":"the run was stopped: `+want+"\"}\n") {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestLeft checks the record of what a script left behind, and that a file that begins
// with one is an audit file.
func TestLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := opened(t, path)
	if err := errors.Join(l.Left(t.Context(), called, run, []string{".env (new)", ".git (changed)"}), l.Close()); err != nil {
		t.Fatal(err)
	}
	got := filetest.Read(t, path)
	if !strings.HasPrefix(got, `{"type":"script.left","schema_version":1,`) || !strings.HasSuffix(got, `"left":[".env (new)",".git (changed)"]}`+"\n") || strings.Contains(got, "arguments") {
		t.Errorf("got %s", got)
	}
	again := opened(t, path)
	if err := again.Left(t.Context(), called, run, make([]string, maxLeft+1)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(filetest.Read(t, path), `""`); n != maxLeft {
		t.Errorf("%d names are recorded", n)
	}
}

// TestArguments checks that long arguments are truncated and invalid JSON is omitted.
func TestArguments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := opened(t, path)
	long := run
	long.Arguments = json.RawMessage(`["` + strings.Repeat("ü", maxArguments) + `"]`)
	bad := run
	bad.Arguments = json.RawMessage(`{`)
	if err := errors.Join(l.Started(t.Context(), called, long), l.Started(t.Context(), called, bad)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(filetest.Read(t, path), "\n")
	if len(lines[0]) > maxArguments+1000 || !json.Valid([]byte(lines[0])) || !strings.Contains(lines[0], `"arguments_cut":true`) || strings.Contains(lines[0], `"command"`) {
		t.Errorf("got %d bytes: %.200s", len(lines[0]), lines[0])
	}
	if strings.Contains(lines[1], `"arguments"`) {
		t.Errorf("got %s", lines[1])
	}
}

// TestScript checks that a denial by a hook names the script in the same way as one by
// the policy.
func TestScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := opened(t, path)
	unknown := agent.Summary{Kind: agent.KindOther, Arguments: json.RawMessage(`{"skillName":"plain"}`)}
	for i, action := range []agent.Summary{run, unknown} {
		e := agent.ToolApproval{ID: []string{"c1", "c9"}[i], Decision: "denied", By: "hook", Reason: "no", Tool: "run_skill_script", Action: action}
		if err := l.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Decided(t.Context(), called, run, agent.Decision{By: "hook", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(filetest.Read(t, path), "\n")
	untimed := func(line string) string { return line[:38] + line[68:] }
	if untimed(lines[0]) != untimed(lines[2]) {
		t.Errorf("a hook's denial is\n%s\na policy's\n%s", lines[0], lines[2])
	}
	if want := `"call_id":"c9","tool":"run_skill_script","arguments":{"skillName":"plain"},"decision":"denied","by":"hook","reason":"no"}`; !strings.HasSuffix(lines[1], want) {
		t.Errorf("of a script there is not: got %s, want %s", lines[1], want)
	}
}

// TestMask checks that keys are masked in what is written.
func TestMask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	mask := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("sk-secret"), []byte("[key]")) }
	l, err := Open(path, Options{RunID: "r1", Now: clock(), Mask: mask})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	leaky := run
	leaky.Arguments, leaky.Command = json.RawMessage(`["sk-secret"]`), []string{"sh", "sk-secret"}
	if err := l.Started(t.Context(), called, leaky); err != nil {
		t.Fatal(err)
	}
	if got := filetest.Read(t, path); strings.Contains(got, "sk-secret") || strings.Count(got, "[key]") != 2 {
		t.Errorf("got %s", got)
	}
	leaky.Arguments = json.RawMessage(`["` + strings.Repeat("x", maxArguments-6) + `sk-secret"]`)
	if err := l.Started(t.Context(), called, leaky); err != nil {
		t.Fatal(err)
	}
	if got := filetest.Read(t, path); strings.Contains(got, "xsk-") {
		t.Error("half of a key is where the arguments are cut")
	}
}

// TestForeign checks that files that are not audit files are not changed.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"hello\n", "{}\n", `{"a":1}`, "\n", "[", `{"type":"session","schema_version":1}`, `{"type":"approval","x"`} {
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "it is not an audit file") || filetest.Read(t, path) != text {
			t.Errorf("%q: %v", text, err)
		}
	}
	for path, want := range map[string]string{dir: "not a regular file", os.DevNull: "not a regular file", filepath.Join(dir, "no", "f"): "cannot be opened"} {
		_, err := Open(path, Options{})
		var refused *fault.Error
		if !errors.As(err, &refused) || refused.Hint == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
