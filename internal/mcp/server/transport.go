package server

// The library cancels open calls at the end of the input, and ends the session at a line
// that is not a message. A client may send its last request and close its end, and one bad
// line must not end a session. So this transport delays the end of the input until all
// requests are answered, and answers bad lines itself.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTimeout is the time for the remaining answers after the end of the input.
const drainTimeout = 5 * time.Second

// Transport is an [mcp.IOTransport] that answers what it has read before the session
// ends, and lines that are not messages with an error.
type Transport struct {
	Reader io.Reader
	Writer io.Writer
}

// Connect implements [mcp.Transport].
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	out := &writer{Writer: t.Writer}
	in := &messages{in: bufio.NewReader(t.Reader), out: out}
	inner, err := (&mcp.IOTransport{Reader: io.NopCloser(in), Writer: out}).Connect(ctx)
	return &connection{Connection: inner, ctx: ctx, changed: make(chan struct{}, 1)}, err
}

// connection ends its input only when all requests are answered, because the library
// cancels open calls at the end of the input.
type connection struct {
	mcp.Connection
	ctx      context.Context  // of the session
	deadline <-chan time.Time // ends the wait for answers; nil before the end of the input

	mu       sync.Mutex
	pending  int           // number of the client's requests without an answer
	outgoing []jsonrpc.ID  // requests to the client without an answer
	changed  chan struct{} // receives a value when one of them changes
}

// Read also ends with the session's context, so that its end cancels the calls.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	if c.deadline == nil {
		message, err := c.Connection.Read(c.ctx)
		c.count(message)
		if !errors.Is(err, io.EOF) {
			return message, err
		}
		c.deadline = time.After(drainTimeout)
	}
	for {
		c.mu.Lock()
		pending, outgoing := c.pending, c.outgoing
		if len(outgoing) > 0 {
			c.outgoing = outgoing[1:]
		}
		c.mu.Unlock()
		switch {
		case pending <= 0:
			return nil, io.EOF
		case len(outgoing) > 0: // answers for the client
			return &jsonrpc.Response{ID: outgoing[0], Error: errors.New("the input has ended")}, nil
		}
		select {
		case <-c.changed:
		case <-c.ctx.Done():
			return nil, io.EOF
		case <-c.deadline:
			return nil, io.EOF
		}
	}
}

// count counts what was received.
func (c *connection) count(message jsonrpc.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := message.(type) {
	case *jsonrpc.Request:
		if m.IsCall() {
			c.pending++
		}
	case *jsonrpc.Response:
		c.outgoing = slices.DeleteFunc(c.outgoing, func(id jsonrpc.ID) bool { return id == m.ID })
	}
}

func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.outgoing = append(c.outgoing, r.ID)
		c.mu.Unlock()
	}
	err := c.Connection.Write(ctx, message)
	if _, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		c.pending--
		c.mu.Unlock()
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
	return err
}

// messages is a reader of the lines that are messages. It answers all others with an
// error, because the library would end the session.
type messages struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the line that is being read
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		if len(line) == 0 && err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		_, fault := jsonrpc.DecodeMessage(line)
		valid := json.Valid(line)
		switch {
		case len(line) == 0:
		case len(line) >= mcp.DefaultMaxLineLength: // with its line feed
			m.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message is at most %d MiB long", mcp.DefaultMaxLineLength>>20))
		case fault == nil:
			m.rest = append(line, '\n')
		case valid && line[0] == '[': // they are only part of protocol 2025-03-26
			m.refuse(jsonrpc.CodeInvalidRequest, "batches are not supported")
		case valid:
			m.refuse(jsonrpc.CodeInvalidRequest, "not a JSON-RPC message")
		default:
			m.refuse(jsonrpc.CodeParseError, "not valid JSON: a message is one line")
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// line reads a line. Of one that is longer than a message may be, it returns a part that is
// too long as well.
func (m *messages) line() (line []byte, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if len(line) <= mcp.DefaultMaxLineLength {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (m *messages) refuse(code int, why string) {
	fmt.Fprintf(m.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
}

// writer writes one message at a time.
type writer struct {
	mu sync.Mutex
	io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(p)
}

func (*writer) Close() error { return nil }
