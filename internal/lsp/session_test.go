package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"skills/internal/lsp/protocol"
)

// limit bounds what a test waits for; nothing takes a noticeable part of it.
const limit = 30 * time.Second

// editor is a client that speaks with a server in memory.
type editor struct {
	t      testing.TB
	ctx    context.Context
	client *jrpc2.Client
	served chan error // the result of Serve
	hangUp func()     // closes the stream to the server
	result json.RawMessage

	mu       sync.Mutex
	changed  *sync.Cond
	latest   map[string]protocol.PublishParams // by URI
	messages []string                          // shown or logged
	requests []string                          // of the server, with their parameters
	answers  map[string]func(params string) any
	checks   int
}

// options configure a session of a test.
type options struct {
	Options
	client  string // capabilities, as JSON
	init    string // initializationOptions, as JSON
	folders []string
	answers map[string]func(params string) any
}

// start starts a session with a server.
func start(t testing.TB, o options) *editor {
	t.Helper()
	e := connect(t, o)
	if o.client == "" {
		o.client = "{}"
	}
	if o.init == "" {
		o.init = "null"
	}
	folders := []protocol.Folder{}
	for _, dir := range o.folders {
		folders = append(folders, protocol.Folder{URI: protocol.URI(dir), Name: filepath.Base(dir)})
	}
	e.call("initialize", map[string]any{
		"processId": nil, "workspaceFolders": folders,
		"capabilities": json.RawMessage(o.client), "initializationOptions": json.RawMessage(o.init),
	}, &e.result)
	e.notify("initialized", struct{}{})
	return e
}

// connect connects to a server without initialize.
func connect(t testing.TB, o options) *editor {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	e := &editor{t: t, ctx: ctx, served: make(chan error, 1), latest: map[string]protocol.PublishParams{}, answers: o.answers}
	e.changed = sync.NewCond(&e.mu)
	context.AfterFunc(ctx, e.changed.Broadcast)
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	e.hangUp = func() { toServer.Close() }
	own := o.Options.OnCheck
	o.Options.OnCheck = func(dir string) {
		if own != nil {
			own(dir)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.checks++
		e.changed.Broadcast()
	}
	go func() {
		e.served <- Serve(ctx, serverIn, serverOut, o.Options)
		serverOut.Close()
		serverIn.Close()
	}()
	e.client = jrpc2.NewClient(protocol.NewFrames(fromServer, toServer), &jrpc2.ClientOptions{OnNotify: e.onNotify, OnCallback: e.onCallback})
	t.Cleanup(func() {
		e.hangUp()
		e.client.Close()
	})
	return e
}

func (e *editor) onNotify(req *jrpc2.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch req.Method() {
	case "textDocument/publishDiagnostics":
		var p protocol.PublishParams
		if err := req.UnmarshalParams(&p); err != nil {
			e.t.Error(err)
		}
		e.latest[p.URI] = p
	case "window/logMessage", "window/showMessage":
		var p protocol.MessageParams
		if err := req.UnmarshalParams(&p); err != nil {
			e.t.Error(err)
		}
		e.messages = append(e.messages, p.Message)
	}
	e.changed.Broadcast()
}

func (e *editor) onCallback(_ context.Context, req *jrpc2.Request) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, req.Method()+" "+req.ParamString())
	e.changed.Broadcast()
	if answer := e.answers[req.Method()]; answer != nil {
		return answer(req.ParamString()), nil
	}
	return nil, nil
}

// call sends a request, and decodes its result.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	answer, err := e.client.Call(e.ctx, method, params)
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	if result != nil {
		if err := answer.UnmarshalResult(result); err != nil {
			e.t.Fatalf("%s: %v in %s", method, err, answer.ResultString())
		}
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.client.Notify(e.ctx, method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// wait waits until the condition, which is called with the lock, holds.
func (e *editor) wait(what string, holds func() bool) {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !holds() {
		if e.ctx.Err() != nil {
			e.t.Fatalf("waiting for %s: %v\nfindings: %v\nmessages: %q\nrequests: %q", what, e.ctx.Err(), e.latest, e.messages, e.requests)
		}
		e.changed.Wait()
	}
}

// open opens a file with a text, as version 1.
func (e *editor) open(path, text string) {
	e.t.Helper()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": protocol.URI(path), "languageId": "markdown", "version": 1, "text": text,
	}})
}

// change replaces the whole text of an open file.
func (e *editor) change(path string, version int, text string) {
	e.t.Helper()
	e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": protocol.URI(path), "version": version}, "contentChanges": []any{map[string]any{"text": text}},
	})
}

// close closes a file.
func (e *editor) close(path string) {
	e.t.Helper()
	e.notify("textDocument/didClose", protocol.DocumentParams{Document: protocol.DocumentID{URI: protocol.URI(path)}})
}

// findings waits for the findings of a version of a file, 0 for one that is not open, and
// returns them.
func (e *editor) findings(path string, version int32) []protocol.Diagnostic {
	e.t.Helper()
	var got protocol.PublishParams
	e.wait("findings of "+path, func() bool {
		p, ok := e.latest[protocol.URI(path)]
		got = p
		return ok && (version == 0 && p.Version == nil || p.Version != nil && *p.Version == version)
	})
	return got.Diagnostics
}

// ids returns the rules of findings.
func ids(found []protocol.Diagnostic) string {
	var all []string
	for _, d := range found {
		all = append(all, d.Code)
	}
	return strings.Join(all, " ")
}

// end ends the session as an editor does, and returns the error of the server.
func (e *editor) end() error {
	e.t.Helper()
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	return e.ended()
}

// ended waits for the end of the server.
func (e *editor) ended() error {
	e.t.Helper()
	select {
	case err := <-e.served:
		return err
	case <-e.ctx.Done():
		e.t.Fatal("the server does not end")
	}
	return nil
}

// write writes files below a folder, by slash path, and returns the folder.
func write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// skillDir writes a skill named pdf in a folder of that name, and returns the folder.
func skillDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(dir, "pdf"), files)
}

const good = `---
name: pdf
description: Fills PDF forms. Use when a task names a PDF form.
---
# PDF

Read [the guide](references/guide.md), then run ` + "`scripts/fill.py`" + `.
`

// barrier returns when the notifications before it are handled.
func (e *editor) barrier() {
	_, err := e.client.Call(e.ctx, "initialize", nil)
	if err == nil {
		e.t.Error("initialize twice is not an error")
	}
}
