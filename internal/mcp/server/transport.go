package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	in := &messages{in: bufio.NewScanner(t.Reader), out: out}
	in.in.Buffer(nil, mcp.DefaultMaxLineLength)
	inner, err := (&mcp.IOTransport{Reader: io.NopCloser(in), Writer: out}).Connect(ctx)
	return &connection{Connection: inner, ctx: ctx, outgoing: make(chan jsonrpc.ID)}, err
}

// connection ends its input only when all requests are answered, because the library
// cancels open calls at the end of the input.
type connection struct {
	mcp.Connection
	ctx      context.Context // of the session
	mu       sync.Mutex
	pending  int              // number of requests without an answer
	drained  chan struct{}    // closed when none is pending; nil before the end of the input
	deadline <-chan time.Time // ends the wait for drained; nil before the end of the input
	outgoing chan jsonrpc.ID  // requests to the client; received after the end of the input only
}

// Read also ends with the session's context, so that its end cancels the calls.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	m, err := jsonrpc.Message(nil), io.EOF
	if c.deadline == nil {
		m, err = c.Connection.Read(c.ctx)
	}
	c.mu.Lock()
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.pending++
	}
	wait := errors.Is(err, io.EOF) && c.pending > 0
	if wait && c.drained == nil {
		c.drained, c.deadline = make(chan struct{}), time.After(drainTimeout)
	}
	drained := c.drained
	c.mu.Unlock()
	if wait {
		select {
		case <-drained:
		case <-c.ctx.Done():
		case <-c.deadline:
		case id := <-c.outgoing: // answers for the client; the library ignores a second answer
			return &jsonrpc.Response{ID: id, Error: errors.New("the input has ended")}, nil
		}
	}
	return m, err
}

func (c *connection) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		go func() {
			select {
			case c.outgoing <- r.ID:
			case <-c.ctx.Done():
			}
		}()
	}
	err := c.Connection.Write(ctx, m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := m.(*jsonrpc.Response); ok && c.pending > 0 {
		if c.pending--; c.pending == 0 && c.drained != nil {
			close(c.drained)
			c.drained = nil
		}
	}
	return err
}

// messages is a reader of the lines that are messages. It answers all others with an
// error, because the library would end the session.
type messages struct {
	in   *bufio.Scanner
	out  io.Writer
	rest []byte // of the line that is being read
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if !m.in.Scan() {
			return 0, cmp.Or(m.in.Err(), io.EOF)
		}
		line := bytes.TrimSpace(m.in.Bytes())
		_, err := jsonrpc.DecodeMessage(line)
		valid := json.Valid(line)
		switch {
		case len(line) == 0:
		case err == nil:
			m.rest = append(bytes.Clone(line), '\n')
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
