// Package lsp serves what the linter knows to editors, by the Language Server Protocol.
//
// It decides nothing itself: findings, fixes, pages, limits and counts are those of the
// packages that validate, rules and list use. The server keeps the texts of open files and
// the last result of each skill; everything else is computed when it is asked for.
package lsp

// Notifications change the state in the order in which they arrive. A change marks the
// skills that it may concern, and one worker checks them, each from a snapshot of the state.
// A result that is no longer that of the state is dropped: the skill is marked again then.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lint"
	"skills/internal/lsp/protocol"
	"skills/internal/printable"
)

// Options configures a server.
type Options struct {
	Version string
	// Lint holds the settings from flags, as for a run of the linter on a skill.
	Lint   lint.Options
	Strict bool
	// Page returns the address of a rule's page, or a path without an address.
	Page func(rule string) string
	// OnCheck, if set, is called after the findings of a skill were sent. It is for tests.
	OnCheck func(dir string)

	// Tests replace lint.Open and a ticker.
	open func(context.Context, lint.Options) (*lint.Opened, error)
	tick <-chan time.Time
}

// Server is one session with an editor.
type Server struct {
	*state
	frames *protocol.Frames
	ready  chan struct{} // closed after initialize
	ended  chan struct{} // closed when the session has ended
	pending
}

// phase is the part of a session.
type phase uint8

const (
	created  phase = iota
	started        // initialize was received
	shutDown       // shutdown was received
)

// state is changed by notifications.
type state struct {
	*peer
	opts Options
	wake chan struct{} // wakes the worker

	mu       sync.Mutex
	phase    phase
	client   protocol.ClientCapabilities
	encoding protocol.Encoding
	folders  []string // of the workspace, absolute
	settings settings
	docs     map[string]*document // open files, by path
	skills   map[string]*skill    // those with open files, by folder
	clock    uint64               // counts changes
}

// pending are the requests whose response was not sent yet.
type pending struct {
	sync.Mutex
	cancels map[string]context.CancelFunc // by id
	none    *sync.Cond
}

// Serve speaks with an editor over two streams until it ends the session. The error is nil
// if the editor asked for the end first, with shutdown. Otherwise it is a *fault.Error, or
// the context's cause.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	s := newServer(in, out, opts)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.rpc.Start(s.frames)
	working := make(chan struct{})
	go func() {
		defer close(working)
		worker{s.state}.work(ctx)
	}()
	go worker{s.state}.poll(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- s.rpc.Wait() }()
	var err error
	select {
	case err = <-stopped:
	case <-ctx.Done():
		s.frames.Close()
		err = context.Cause(ctx)
	}
	close(s.ended)
	cancel()
	<-working
	return s.outcome(err)
}

func newServer(in io.Reader, out io.Writer, opts Options) *Server {
	for _, name := range []*string{&opts.Lint.ConfigFile, &opts.Lint.Baseline} {
		if *name != "" {
			*name = files.Absolute(opts.Lint.Dir, *name) // settings of the editor are relative to its workspace
		}
	}
	if opts.open == nil {
		opts.open = lint.Open
	}
	if opts.tick == nil {
		opts.tick = time.NewTicker(pollInterval).C
	}
	s := &Server{frames: protocol.NewFrames(in, out), ready: make(chan struct{}), ended: make(chan struct{})}
	s.state = &state{
		peer: &peer{said: map[string]bool{}}, opts: opts, wake: make(chan struct{}, 1),
		encoding: protocol.UTF16, docs: map[string]*document{}, skills: map[string]*skill{},
	}
	s.none, s.cancels = sync.NewCond(&s.pending), map[string]context.CancelFunc{}
	s.frames.Skipped = s.skipped
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, RPCLog: s,
		Concurrency: maxConcurrent,
	})
	return s
}

// maxConcurrent is the number of requests that are handled at the same time.
const maxConcurrent = 64

// outcome returns the error of the session, given that of the connection.
func (s *Server) outcome(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && s.phase == shutDown:
		return nil
	case err == nil:
		err = errors.New("the editor ended the session without shutdown")
	case errors.Is(err, context.Canceled):
		return err
	}
	return &fault.Error{Code: fault.Failed, Message: err.Error(), Err: err,
		Hint: "skills lsp is started by an editor; to check skills here, use: skills validate --watch"}
}

// skipped is called for a message that is too large. A file of this size is none of a
// skill; after anything else that is lost, the state would not be that of the editor.
func (s *Server) skipped(size int64, head []byte) error {
	text := fmt.Sprintf("a message of %d bytes was skipped: the limit is %d", size, protocol.MaxMessage)
	if !protocol.IsMethod(head, "textDocument/didOpen") {
		return errors.New(text)
	}
	go s.log(protocol.MessageWarning, text) // the caller reads for the connection
	return nil
}

// handler handles a request or a notification with its parameters.
type handler func(ctx context.Context, req *jrpc2.Request) (any, error)

// handle returns a handler with typed parameters.
func handle[P any](f func(ctx context.Context, p P) (any, error)) handler {
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		var p P
		if req.HasParams() {
			if err := req.UnmarshalParams(&p); err != nil {
				return nil, err
			}
		}
		return f(ctx, p)
	}
}

// notify returns a handler of a notification.
func notify[P any](f func(p P)) handler {
	return handle(func(_ context.Context, p P) (any, error) {
		f(p)
		return nil, nil
	})
}

// handlers returns the methods of the protocol that the server has.
func (s *Server) handlers() map[string]handler {
	a := answers{worker{s.state}}
	return map[string]handler{
		"textDocument/codeAction":             handle(a.codeActions),
		"textDocument/hover":                  handle(a.hover),
		"textDocument/completion":             handle(a.completion),
		"textDocument/definition":             handle(a.definition),
		"textDocument/prepareRename":          handle(a.prepareRename),
		"textDocument/rename":                 handle(a.rename),
		"textDocument/documentSymbol":         handle(a.symbols),
		"textDocument/inlayHint":              handle(a.inlayHints),
		"workspace/willRenameFiles":           handle(a.willRename),
		"workspace/executeCommand":            handle(a.execute),
		"initialize":                          handle(s.initialize),
		"initialized":                         handle(s.initialized),
		"shutdown":                            func(context.Context, *jrpc2.Request) (any, error) { return nil, nil },
		"exit":                                s.exit,
		"$/cancelRequest":                     notify(s.cancel),
		"textDocument/didOpen":                notify(s.didOpen),
		"textDocument/didChange":              notify(s.didChange),
		"textDocument/didClose":               notify(s.didClose),
		"textDocument/didSave":                notify(s.didSave),
		"workspace/didChangeWatchedFiles":     notify(s.didChangeFiles),
		"workspace/didChangeWorkspaceFolders": notify(s.didChangeFolders),
		"workspace/didChangeConfiguration":    notify(s.didChangeConfiguration),
	}
}

// Assign implements [jrpc2.Assigner]. It is called in the order of the messages, so the
// phase of the session changes here, before a later message is assigned.
func (s *Server) Assign(ctx context.Context, method string) jrpc2.Handler {
	h, req := s.handlers()[method], jrpc2.InboundRequest(ctx)
	s.mu.Lock()
	phase := s.phase
	switch {
	case method == "initialize" && phase == created:
		s.phase = started
	case method == "shutdown" && phase == started:
		s.phase = shutDown
	}
	s.mu.Unlock()
	if !req.IsNotification() {
		// The context of the library is not cancelled: its response has another code.
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		s.pending.Lock()
		s.cancels[req.ID()] = cancel
		s.pending.Unlock()
	}
	var refused *jrpc2.Error
	switch {
	case method == "exit":
	case phase == created && method != "initialize":
		refused = jrpc2.Errorf(protocol.CodeNotInitialized, "the first request must be initialize")
	case phase != created && method == "initialize":
		refused = jrpc2.Errorf(jrpc2.InvalidRequest, "initialize was sent before")
	case phase == shutDown:
		refused = jrpc2.Errorf(jrpc2.InvalidRequest, "after shutdown only exit can follow")
	case h == nil:
		refused = jrpc2.Errorf(jrpc2.MethodNotFound, "unknown method %s", printable.Quote(method))
	}
	if refused != nil {
		return func(context.Context, *jrpc2.Request) (any, error) { return nil, refused }
	}
	return func(_ context.Context, req *jrpc2.Request) (any, error) { return s.invoke(ctx, req, h) }
}

// invoke calls a handler after initialize. A panic costs only its response.
func (s *Server) invoke(ctx context.Context, req *jrpc2.Request, h handler) (result any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.crashed(req.Method(), cause)
			result, err = nil, jrpc2.Errorf(jrpc2.InternalError, "%s failed: %v", req.Method(), cause)
		}
	}()
	if req.Method() != "initialize" && req.Method() != "exit" {
		select {
		case <-s.ready:
		case <-s.ended:
			return nil, context.Canceled
		}
	}
	result, err = h(ctx, req)
	if _, known := errors.AsType[*jrpc2.Error](err); err == nil || known {
		return result, err
	}
	if ctx.Err() != nil {
		return nil, jrpc2.Errorf(protocol.CodeCancelled, "cancelled")
	}
	return nil, jrpc2.Errorf(protocol.CodeRequestFailed, "%v", err)
}

// LogRequest implements [jrpc2.RPCLogger].
func (s *Server) LogRequest(context.Context, *jrpc2.Request) {}

// LogResponse implements [jrpc2.RPCLogger]. It forgets the requests that have a response.
func (s *Server) LogResponse(ctx context.Context, _ *jrpc2.Response) {
	if ctx == nil { // it was not assigned
		return
	}
	id := jrpc2.InboundRequest(ctx).ID()
	s.pending.Lock()
	defer s.pending.Unlock()
	if cancel := s.cancels[id]; cancel != nil {
		cancel()
	}
	delete(s.cancels, id)
	if len(s.cancels) == 0 {
		s.none.Broadcast()
	}
}

// exit ends the session when the requests before it have their responses.
func (s *Server) exit(context.Context, *jrpc2.Request) (any, error) {
	s.pending.Lock()
	for len(s.cancels) > 0 {
		s.none.Wait()
	}
	s.pending.Unlock()
	s.frames.Close()
	return nil, nil
}

// cancel cancels the context of a request.
func (s *Server) cancel(p protocol.CancelParams) {
	s.pending.Lock()
	defer s.pending.Unlock()
	if cancel := s.cancels[string(p.ID)]; cancel != nil {
		cancel()
	}
}
