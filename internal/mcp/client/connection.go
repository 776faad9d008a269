package client

// A connection lasts from the start of a server to its end. All requests to it are limited
// in time, bytes and messages, because the server is not trusted. What goes wrong is a
// warning: a run continues without the tools of a server that failed. Requests of the server
// are refused at once.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/params"
	"skills/internal/printable"
)

// olderVersion is that of the handshake which every program knows.
const olderVersion = "2025-11-25"

const (
	maxReply  = 16 << 20        // bytes that a server may send until the next request to it
	lineCost  = 1 << 10         // what a line counts in addition, because each message takes time
	maxText   = 500             // characters of an error's text
	closeTime = 2 * time.Second // for a server to end by itself
)

var errTooMuch = fmt.Errorf("it sent more than %d MiB, or too many messages", maxReply>>20)

// connection is a server, from its start to its end.
type connection struct {
	Server
	opt      *Options
	session  *mcp.ClientSession // nil if it failed
	tools    []*tool
	skills   []Skill
	warnings []string // of the last list of tools, or why there is no session

	life context.Context // ends with the connection
	end  context.CancelFunc
	left atomic.Int64 // bytes that it may still send
	process

	changed  atomic.Bool // whether the list of tools has changed
	tasks    sync.Map    // names of tools that can be called only as tasks
	progress sync.Map    // from the token of a call to a func(*mcp.ProgressNotificationParams)
	known    sync.Map    // URIs of resources that the server named
	calls    atomic.Int64
}

// tool is a tool of a server, with the schema that the model gets.
type tool struct {
	*connection
	def    *mcp.Tool
	schema map[string]any
	nulls  []string // parameters that the server requires, and that the model may omit: they are null then
}

func newConnection(s Server, opt *Options) *connection {
	c := &connection{Server: s, opt: opt}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// open starts the server and lists what it has. It returns the connection to use, which is
// another one if the program has more to offer by the newer handshake.
func (c *connection) open(ctx context.Context) *connection {
	err := c.within(ctx, func(ctx context.Context) error {
		// A program may ignore a method that it does not know, or end, so it is asked for
		// the newer handshake only after it has refused the older one.
		older := &mcp.ClientSessionOptions{ProtocolVersion: olderVersion}
		var err error
		if c.URL != "" {
			err = c.connect(ctx, nil)
		} else {
			err = c.connect(ctx, older)
			if errors.As(err, new(*jsonrpc.Error)) {
				c.close()
				c.life, c.end = context.WithCancel(context.Background())
				err = c.connect(ctx, nil)
			}
		}
		if err != nil {
			return err
		}
		return c.list(ctx)
	})
	if err != nil {
		c.close()
		c.session, c.tools = nil, nil
		text := fmt.Sprintf("the MCP server %s is not available: %v", c.Name, err)
		if c.started && c.opt.Stderr == nil {
			text += "; -v prints its standard error"
		}
		c.warnings = []string{text}
		return c
	}
	c = c.newer(ctx)
	library{c}.findSkills(ctx)
	return c
}

// newerTime is how long a program may take for the newer handshake after it has agreed to the
// older one.
const newerTime = 5 * time.Second

// newer asks a program without tools for the newer handshake too, as another process: some
// offer extensions only by it. It returns the connection that has more.
func (c *connection) newer(ctx context.Context) *connection {
	agreed := c.session.InitializeResult()
	isOlder := agreed != nil && agreed.ProtocolVersion <= olderVersion
	hasTools := len(c.tools) > 0 || len(c.warnings) > 0
	if c.URL != "" || hasTools || !isOlder {
		return c
	}
	other := newConnection(c.Server, c.opt)
	limited, cancel := context.WithTimeout(ctx, newerTime)
	defer cancel()
	err := other.within(limited, func(ctx context.Context) error {
		err := other.connect(ctx, nil)
		if err != nil {
			return err
		}
		return other.list(ctx)
	})
	if err == nil && (len(other.tools) > 0 || len(other.capabilities().Extensions) > 0) {
		c.close()
		return other
	}
	other.close()
	return c
}

// connect starts the server and a session with it. The library may wait for the server
// without a limit, so connect does not wait for it after the end of ctx.
func (c *connection) connect(ctx context.Context, opt *mcp.ClientSessionOptions) error {
	transport, err := c.transport(ctx)
	if err != nil {
		return err
	}
	type outcome struct {
		session *mcp.ClientSession
		err     error
	}
	done := make(chan outcome, 1)
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the stream of the older transport is part of it
	context.AfterFunc(c.life, cancel)
	go func() {
		session, err := c.client().Connect(lasting, transport, opt)
		done <- outcome{session, err}
	}()
	select {
	case out := <-done:
		if out.err == nil {
			c.session = out.session
		}
		return out.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// client returns the protocol's client. It answers nothing that a server could ask for:
// such requests are refused at once.
func (c *connection) client() *mcp.Client {
	capabilities := &mcp.ClientCapabilities{}
	capabilities.AddExtension(skillsExtension, nil)
	client := mcp.NewClient(&mcp.Implementation{Name: "skills", Version: c.opt.Version}, &mcp.ClientOptions{
		Logger:                     slog.New(slog.DiscardHandler),
		Capabilities:               capabilities,
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { c.changed.Store(true) },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) {}, // the library forgets its list
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if token, ok := r.Params.ProgressToken.(string); ok {
				if report, ok := c.progress.Load(token); ok {
					report.(func(*mcp.ProgressNotificationParams))(r.Params)
				}
			}
		},
	})
	_ = mcp.AddSendingCustomMethod[*skillsParams, *skillsResult](client, "skills/list") // fails for a method of the protocol
	return client
}

// list lists the tools. Its warnings are about tools that are not offered.
func (c *connection) list(ctx context.Context) error {
	c.tools, c.warnings = nil, nil
	c.tasks.Clear()
	listed := map[string]bool{}
	for t, err := range c.session.Tools(ctx, nil) {
		switch {
		case err != nil:
			return err
		case t.Name == "" || len(printable.JSONText(t)) > maxDefinition:
			c.warnings = append(c.warnings, fmt.Sprintf("a tool of the MCP server %s is not offered: its name is empty, or its definition is larger than %d KiB", c.Name, maxDefinition>>10))
			continue
		case listed[t.Name]:
			c.warnings = append(c.warnings, fmt.Sprintf("the MCP server %s lists the tool %s twice; the first one counts", c.Name, oneLine(t.Name)))
			continue
		}
		if len(c.tools) == maxTools {
			c.warnings = append(c.warnings, fmt.Sprintf("the MCP server %s has more than %d tools; the rest is not offered", c.Name, maxTools))
			break
		}
		listed[t.Name] = true
		if _, only := c.tasks.Load(t.Name); only {
			c.warnings = append(c.warnings, fmt.Sprintf("the tool %s of the MCP server %s is not offered, because it can be called only as a task", oneLine(t.Name), c.Name))
			continue
		}
		own, _ := t.InputSchema.(map[string]any)
		schema, nulls, err := params.Plain(own)
		if err != nil {
			c.warnings = append(c.warnings, fmt.Sprintf("the tool %s of the MCP server %s is not offered, because servers of models refuse its schema: %s", oneLine(t.Name), c.Name, oneLine(err.Error())))
			continue
		}
		c.tools = append(c.tools, &tool{connection: c, def: t, schema: schema, nulls: nulls})
	}
	slices.SortStableFunc(c.tools, func(a, b *tool) int { return cmp.Compare(a.def.Name, b.def.Name) })
	return nil
}

// within calls f with the limits of one request, and explains its error.
func (c *connection) within(ctx context.Context, f func(context.Context) error) error {
	c.left.Store(maxReply)
	ctx, cancel := withTimer(ctx, c.opt.Timeout)
	defer cancel()
	err := f(ctx)
	if err == nil {
		return nil
	}
	// What ended the session may have ended the program too.
	if c.left.Load() < 0 {
		return errTooMuch
	}
	if text := err.Error(); strings.HasSuffix(text, "EOF") || strings.Contains(text, syscall.EPIPE.Error()) { // the library does not wrap it
		select {
		case <-c.done: // nil without a program
			return errors.New(c.how)
		default:
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if line := c.stray.Load(); line != nil && !errors.As(err, new(*jsonrpc.Error)) {
		return fmt.Errorf("it printed %q, but an MCP server must print only protocol messages on standard output", *line)
	}
	if explained := c.explain(err); explained != "" {
		return errors.New(explained)
	}
	return errors.New(oneLine(c.opt.Mask(err.Error())))
}

// explain returns what an error of HTTP means, or "".
func (c *connection) explain(err error) string {
	var login *LoginError
	switch text := err.Error(); {
	case errors.As(err, &login):
		return oneLine(c.opt.Mask(login.Error()))
	case c.URL != "" && strings.HasSuffix(text, ": Unauthorized"):
		return "it refuses the credentials that are sent (401 Unauthorized)"
	}
	return ""
}

// LoginError is the reason why requests to a server could not be authorized.
type LoginError struct{ Err error }

func (e *LoginError) Error() string { return e.Err.Error() }
func (e *LoginError) Unwrap() error { return e.Err }

// close ends the session and the program.
func (c *connection) close() {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if c.session != nil {
			c.session.Close()
		}
		if c.session != nil && c.done != nil {
			<-c.done
		}
	}()
	select {
	case <-over:
	case <-time.After(closeTime):
	}
	c.end()
	if c.done != nil {
		<-c.done
	}
}

// limited reads what a server sends, up to the limit of its connection.
type limited struct {
	io.ReadCloser
	c *connection
}

func (l limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.c.left.Add(-int64(n+lineCost*bytes.Count(p[:n], []byte("\n")))) < 0 {
		return 0, errTooMuch
	}
	return n, err
}
