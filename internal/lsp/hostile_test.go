package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"

	"skills/internal/fault"
	"skills/internal/lint"
	"skills/internal/lsp/protocol"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`

// raw sends messages as they are, and returns what the server answers and how it ends.
func raw(t *testing.T, messages ...string) (out []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var in strings.Builder
	for _, m := range messages {
		if strings.HasPrefix(m, "\x00") {
			in.WriteString(m)
			continue
		}
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	fromServer, serverOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, strings.NewReader(in.String()), serverOut, Options{})
		serverOut.Close()
	}()
	answers := protocol.NewFrames(fromServer, io.Discard)
	for {
		m, err := answers.Recv()
		if err != nil || strings.Contains(string(m), `"method":"exit"`) {
			break
		}
		out = append(out, string(m))
	}
	return out, <-done
}

// TestHostile sends malformed messages, in an order that no editor uses.
func TestHostile(t *testing.T) {
	shutdown, exit := `{"jsonrpc":"2.0","id":9,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q,"params":%s}`, method, params)
	}
	for _, tt := range []struct {
		name     string
		messages []string
		want     string // in an answer
		err      string // of the session
	}{
		{"proper", []string{initialize, shutdown, exit}, `"id":9,"result":null`, ""},
		{"end of input after shutdown", []string{initialize, shutdown}, `"id":9,"result":null`, ""},
		{"end of input", []string{initialize}, `"positionEncoding":"utf-16"`, "without shutdown"},
		{"nothing", nil, "", "without shutdown"},
		{"exit first", []string{exit}, "", "without shutdown"},
		{"before initialize", []string{request("textDocument/hover", "{}"), initialize, shutdown}, `"code":-32002`, ""},
		{"shutdown before initialize", []string{shutdown, exit}, `"code":-32002`, "without shutdown"},
		{"notification before initialize", []string{`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}`, initialize, shutdown}, `"id":9,"result":null`, ""},
		{"initialize twice", []string{initialize, strings.Replace(initialize, `"id":1`, `"id":2`, 1), shutdown}, `"id":2,"error":{"code":-32600`, ""},
		{"after shutdown", []string{initialize, shutdown, request("textDocument/hover", "{}")}, `"id":5,"error":{"code":-32600`, ""},
		{"unknown method", []string{initialize, request("textDocument/magic", "{}"), shutdown}, `"code":-32601`, ""},
		{"unknown notification", []string{initialize, `{"jsonrpc":"2.0","method":"$/magic"}`, shutdown}, `"id":9,"result":null`, ""},
		{"bad JSON", []string{initialize, `{"jsonrpc":`, shutdown}, `"code":-32700`, ""},
		{"not an object", []string{initialize, `42`, shutdown}, `"code":-32700`, ""},
		{"empty batch", []string{initialize, `[]`, shutdown}, `"code":-32600`, ""},
		{"no version", []string{`{"id":1,"method":"initialize","params":{}}`, initialize, shutdown}, `"code":-32600`, ""},
		{"wrong types", []string{initialize, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":7}}`, `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[[[]]]}`, shutdown}, `"id":9,"result":null`, ""},
		{"deep JSON", []string{initialize, request("shutdown", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)), shutdown}, `"code":-32700`, ""},
		{"answer to nothing", []string{initialize, `{"jsonrpc":"2.0","id":77,"result":{}}`, shutdown}, `"id":9,"result":null`, ""},
		{"wrong processId", []string{strings.Replace(initialize, `"processId":null`, `"processId":-5`, 1), shutdown}, `"id":9,"result":null`, ""},
		{"not a frame", []string{initialize, "\x00\x01\x02\n"}, "", "Content-Length"},
		{"too large", []string{initialize, strings.Repeat(" ", protocol.MaxMessage+1)}, "", "was skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := raw(t, tt.messages...)
			if all := strings.Join(out, "\n"); !strings.Contains(all, tt.want) {
				t.Errorf("got %s, want %s", all, tt.want)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got the error %v, want %q", err, tt.err)
			}
			if f := fault.Coded(err); err != nil && (f == nil || f.Code != fault.Failed) {
				t.Errorf("the exit code of %v is not 1", err)
			}
		})
	}
}

// TestDocumentsElsewhere opens what is not a file of a skill.
func TestDocumentsElsewhere(t *testing.T) {
	dir, file := goodSkill(t)
	e := start(t, options{folders: []string{t.TempDir()}})
	for _, uri := range []string{
		"untitled:Untitled-1", "git:/x/SKILL.md?HEAD", "file://host/SKILL.md", "%", "", "file:///%00/SKILL.md",
		"file:///" + strings.Repeat("x/", 3000) + "notes.md", protocol.URI(filepath.Join(t.TempDir(), "notes.md")),
	} {
		e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": good}})
		e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2}, "contentChanges": []any{map[string]any{"text": "x"}}})
		e.notify("textDocument/didClose", protocol.DocumentParams{Document: protocol.DocumentID{URI: uri}})
	}
	e.open(file, strings.Replace(good, "guide.md", "nothing.md", 1)) // outside the workspace
	if got := ids(e.findings(file, 1)); !strings.Contains(got, "link-target") {
		t.Errorf("got %s", got)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for uri := range e.latest {
		if !strings.HasPrefix(uri, protocol.URI(dir)) {
			t.Errorf("got findings of %s", uri)
		}
	}
}

// TestCrash loses the findings of a rule or a check that crashes, logs it once, and goes on.
func TestCrash(t *testing.T) {
	_, file := goodSkill(t)
	crash := ""
	e := start(t, options{Options: Options{open: func(ctx context.Context, o lint.Options) (*lint.Opened, error) {
		switch crash {
		case "rule":
			o.Crashed("link-target", "index out of range")
		case "check":
			panic("a check that crashes")
		}
		return lint.Open(ctx, o)
	}}})
	bad := strings.Replace(good, "guide.md", "nothing.md", 1)
	e.open(file, bad)
	before := ids(e.findings(file, 1))
	e.wait("the first check", func() bool { return e.checks > 0 })
	for i, next := range []string{"rule", "rule", "check", "check", ""} {
		crash = next
		e.change(file, 2+i, bad)
		got := ids(e.findings(file, int32(2+i)))
		if want := map[bool]string{true: before}[crash != "check"]; got != want {
			t.Errorf("%s: got %q, want %q", next, got, want)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range []string{"internal error in link-target: index out of range", "internal error in a check: a check that crashes"} {
		n := 0
		for _, m := range e.messages {
			if strings.HasPrefix(m, text+"\n") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%q was logged %d times: %q", text, n, e.messages)
		}
	}
}

// TestMemory compares the memory after ten edits with that after a thousand.
func TestMemory(t *testing.T) {
	dir, file := goodSkill(t)
	e := start(t, options{folders: []string{dir}})
	e.open(file, good)
	version := 1
	edit := func(times int) uint64 {
		for range times {
			version++
			e.notify("textDocument/didChange", map[string]any{
				"textDocument": map[string]any{"uri": protocol.URI(file), "version": version},
				"contentChanges": []any{protocol.ContentChange{
					Range: &protocol.Range{Start: protocol.Position{Line: 6}, End: protocol.Position{Line: 6, Character: uint32(min(version-2, 1) * 3)}},
					Text:  []string{"abc", "d中e"}[version%2],
				}},
			})
		}
		e.findings(file, int32(version))
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	few := edit(10)
	many := edit(1000)
	const tolerance = 1 << 20
	if many > few+tolerance {
		t.Errorf("%d bytes after 10 edits, %d after 1010", few, many)
	}
}

// TestSlowCheck drops the result for a text that has changed while it was checked.
func TestSlowCheck(t *testing.T) {
	_, file := goodSkill(t)
	begun, release := make(chan struct{}), make(chan struct{})
	first := true
	e := start(t, options{Options: Options{open: func(ctx context.Context, o lint.Options) (*lint.Opened, error) {
		if first {
			first = false
			begun <- struct{}{}
			<-release
		}
		return lint.Open(ctx, o)
	}}})
	e.open(file, strings.Replace(good, "guide.md", "nothing.md", 1))
	<-begun
	e.change(file, 2, good)
	e.change(file, 3, good)
	e.barrier() // the changes are handled
	release <- struct{}{}
	e.findings(file, 3)
	e.wait("the result", func() bool { return e.checks > 0 })
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.checks != 1 {
		t.Errorf("%d results were sent, want only the last", e.checks)
	}
}

// TestCancel answers a cancelled request with the code of the protocol.
func TestCancel(t *testing.T) {
	e := start(t, options{})
	s := &Server{ready: make(chan struct{}), ended: make(chan struct{})}
	close(s.ready)
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	_, err := s.invoke(ctx, new(jrpc2.Request), func(ctx context.Context, _ *jrpc2.Request) (any, error) { return nil, ctx.Err() })
	if e, ok := errors.AsType[*jrpc2.Error](err); !ok || e.Code != protocol.CodeCancelled {
		t.Errorf("got %v", err)
	}
}

// TestCancelledCheck keeps no result of a check that was cancelled with its request.
func TestCancelledCheck(t *testing.T) {
	_, file := goodSkill(t)
	s := newServer(strings.NewReader(""), io.Discard, Options{})
	var p protocol.DidOpenParams
	p.Document.URI, p.Document.Text = protocol.URI(file), good
	s.didOpen(p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	called := false
	_, err := answers{worker{s.state}}.with(ctx, p.Document.URI, func(q *query) (any, error) {
		called = true
		return nil, q.err
	})
	if err != nil || !called {
		t.Errorf("got %v, called %v", err, called)
	}
}

// TestCrashOfFindings survives findings that cannot be shown.
func TestCrashOfFindings(t *testing.T) {
	_, file := goodSkill(t)
	e := start(t, options{Options: Options{Page: func(string) string { panic("no page") }}})
	e.open(file, strings.Replace(good, "guide.md", "nothing.md", 1))
	if got := e.findings(file, 1); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	e.wait("the log", func() bool {
		return strings.HasPrefix(strings.Join(e.messages, "\n"), "internal error in the findings: no page")
	})
	if err := e.end(); err != nil {
		t.Error(err)
	}
}
