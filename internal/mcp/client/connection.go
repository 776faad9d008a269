package client

// A connection lasts from the start of a server to its end. All requests to it are limited
// in bytes and messages, because the server is not trusted. What goes wrong is a warning: a
// run continues without the tools of a server that failed.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/httpclient"
	"skills/internal/params"
	"skills/internal/printable"
)

const (
	maxReply  = 16 << 20        // bytes that a server may send until the next request to it
	lineCost  = 1 << 10         // what a line counts in addition, because each message takes time
	maxText   = 500             // characters of an error's text
	maxLine   = 100             // characters of a line that is not a message
	closeTime = 2 * time.Second // for a server to end by itself
)

var errTooMuch = fmt.Errorf("it sent more than %d MiB, or too many messages", maxReply>>20)

// connection is a server, from its start to its end.
type connection struct {
	Server
	opt      *Options
	session  *mcp.ClientSession // nil if it failed
	tools    []*tool
	warnings []string
	left     atomic.Int64           // bytes that it may still send
	stray    atomic.Pointer[string] // the first line of a program that is not a message; nil without one
	cancel   context.CancelFunc     // ends the program; nil before its start
	done     chan struct{}          // closed at the end of the program
	end      string                 // how the program ended, valid once done is closed
	started  bool                   // whether there was a program, likewise
}

// open starts the server and lists its tools.
func (c *connection) open(ctx context.Context) {
	err := c.within(ctx, func(ctx context.Context) error {
		// A program may ignore a method that it does not know, or end, so it is asked for
		// the newer handshake only after it has refused the older one.
		older := &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
		var err error
		if c.URL != "" {
			err = c.connect(ctx, nil)
		} else {
			err = c.connect(ctx, older)
			if errors.As(err, new(*jsonrpc.Error)) {
				c.close()
				err = c.connect(ctx, nil)
			}
		}
		if err != nil {
			return err
		}
		for t, err := range c.session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			if size := len(printable.JSONText(t)); size > maxDefinition || t.Name == "" {
				c.warnings = append(c.warnings, fmt.Sprintf("a tool of the MCP server %s is not offered: its name is empty, or its definition is larger than %d KiB", c.Name, maxDefinition>>10))
				continue
			}
			if len(c.tools) == maxTools {
				c.warnings = append(c.warnings, fmt.Sprintf("the MCP server %s has more than %d tools; the rest is not offered", c.Name, maxTools))
				break
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
	})
	if err != nil {
		c.close()
		c.session, c.tools = nil, nil
		text := fmt.Sprintf("the MCP server %s is not available: %v", c.Name, err)
		if c.started && c.opt.Stderr == nil {
			text += "; -v prints its standard error"
		}
		c.warnings = []string{text}
	}
}

// connect starts the server and a session with it.
func (c *connection) connect(ctx context.Context, opt *mcp.ClientSessionOptions) error {
	transport, err := c.transport(ctx)
	if err != nil {
		return err
	}
	// No handlers and no roots: the server gets nothing but calls.
	client := mcp.NewClient(&mcp.Implementation{Name: "skills", Version: c.opt.Version}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, transport, opt)
	if err == nil {
		c.session = session
	}
	return err
}

// within calls f with the limits of one request, and explains its error.
func (c *connection) within(ctx context.Context, f func(context.Context) error) error {
	c.left.Store(maxReply)
	ctx, cancel := context.WithTimeoutCause(ctx, c.opt.Timeout, fmt.Errorf("timed out after %s", c.opt.Timeout))
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
			return errors.New(c.end)
		default:
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if line := c.stray.Load(); line != nil && !errors.As(err, new(*jsonrpc.Error)) {
		return fmt.Errorf("it printed %q, but an MCP server must print only protocol messages on standard output", *line)
	}
	return errors.New(oneLine(err.Error()))
}

// oneLine returns the start of a server's text on one line.
func oneLine(text string) string { return printable.Truncate(printable.Line(stripped(text)), maxText) }

// transport returns the transport to the server, whose program it starts.
func (c *connection) transport(ctx context.Context) (mcp.Transport, error) {
	if c.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: httpclient.New(c), DisableStandaloneSSE: true}, nil
	}
	theirs, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	output, ours, err := os.Pipe()
	if err != nil {
		theirs.Close()
		input.Close()
		return nil, err
	}
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx)) // until the run is closed
	c.done = make(chan struct{})
	log, lines := io.Pipe()
	go c.log(log)
	go func() {
		got, err := c.opt.Programs.Serve(ctx, c.Command, theirs, ours, lines)
		c.started = err == nil
		switch {
		case err != nil:
			c.end = err.Error()
		case got.Signal != "":
			c.end = "its program was terminated by " + got.Signal
		default:
			c.end = fmt.Sprintf("its program ended with exit code %d", got.ExitCode)
		}
		close(c.done)
		for _, file := range []io.Closer{lines, theirs, ours} { // the session notices the end last
			file.Close()
		}
	}()
	watched := struct {
		io.Reader
		io.Closer
	}{io.TeeReader(output, &watcher{c: c}), output}
	return &mcp.IOTransport{Reader: limited{watched, c}, Writer: deadline{input, c.opt.Timeout}, MaxLineLength: -1}, nil
}

// watcher looks for a line in what a program prints that is not a message. The library
// then ends the session, without naming the line.
type watcher struct {
	c    *connection
	line []byte
}

func (w *watcher) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		w.line = append(w.line, part...)
		line := bytes.TrimSpace(w.line)
		whole := bytes.HasSuffix(part, []byte("\n"))
		mayBeMessage := len(line) == 0 || line[0] == '{' || line[0] == '['
		if !whole && mayBeMessage {
			break
		}
		if len(line) > 0 {
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				text := printable.Truncate(printable.Line(stripped(string(line))), maxLine)
				w.c.stray.CompareAndSwap(nil, &text)
			}
		}
		w.line = w.line[:0]
	}
	return len(p), nil
}

// log reads the standard error of the program to its end.
func (c *connection) log(from io.Reader) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if c.opt.Stderr != nil {
			c.opt.Stderr(c.Name, oneLine(lines.Text()))
		}
	}
	io.Copy(io.Discard, from) // after a line that is too long
}

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
	if c.cancel != nil {
		c.cancel()
		<-c.done
	}
}

// RoundTrip implements [http.RoundTripper] with a limit on the bytes of all replies.
func (c *connection) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := httpclient.Shared().RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if target := httpclient.Target(reply); target != "" { // the library would name only the status
		reply.Body.Close()
		return nil, fmt.Errorf("it redirects to %s (%d), which is not followed; pass the final address as its URL", target, reply.StatusCode)
	}
	reply.Body = limited{reply.Body, c}
	return reply, nil
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

// deadline writes to a program that may have stopped reading.
type deadline struct {
	*os.File
	limit time.Duration
}

func (d deadline) Write(p []byte) (int, error) {
	d.SetWriteDeadline(time.Now().Add(d.limit)) // pipes of Windows have none
	return d.File.Write(p)
}
