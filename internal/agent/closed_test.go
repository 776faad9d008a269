package agent_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// closing is a connection that turns out to be closed when a second request is
// sent over it.
type closing struct {
	net.Conn
	taken int // so many writes of that request seem to go well, 0 for all of them

	heard atomic.Bool // whether a reply has come
	once  sync.Once
	wrote int
}

func (c *closing) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.Store(true)
	}
	if err != nil {
		err = io.EOF
	}
	return n, err
}

func (c *closing) Write(p []byte) (int, error) {
	if !c.heard.Load() {
		return c.Conn.Write(p)
	}
	c.once.Do(func() { c.Conn.Close() })
	if c.wrote++; c.taken > 0 && c.wrote > c.taken {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}
	}
	return len(p), nil
}

// A server that closes its connections without saying so is asked over a new
// one, at once and without a word: nothing was wrong.
func TestClosedConnections(t *testing.T) {
	for name, taken := range map[string]int{"before a reply": 0, "within the request": 2} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				server := openaitest.New(t, openaitest.Do(call("c1", "one", "{}")), openaitest.Do(call("c2", "one", "{}")), openaitest.Say("done"))
				var dials atomic.Int32
				transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					dials.Add(1)
					conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
					return &closing{Conn: conn, taken: taken}, err
				}}
				defer transport.CloseIdleConnections()
				s := start(t, server, func(c *agent.Config) {
					c.Stream, c.Server.Transport, c.Server.Retries, c.Providers = stream, transport, -1, tools(echo("one"))
				})
				result, err := s.run(t, strings.Repeat("long ", 50_000))
				if err != nil || result.Text != "done" || dials.Load() != 3 {
					t.Errorf("got %q, %v, over %d connections", result.Text, err, dials.Load())
				}
				for _, r := range server.Requests() {
					if r.Header["Idempotency-Key"] != nil {
						t.Error("the key was sent")
					}
				}
			})
		})
	}
}
