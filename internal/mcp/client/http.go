package client

// Over HTTP, a server may send requests and notifications on a stream of its own. The library
// waits for its head when a session begins, which some servers send with the first event only,
// and ends the session if the stream fails. It is therefore opened separately from the session, and
// its failure is its end.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/httpclient"
)

// How often the stream is opened, and how long after its end.
const (
	maxStreams = 50
	firstDelay = time.Second
	maxDelay   = 30 * time.Second
)

// transport returns the transport to the server, whose program it starts.
func (c *connection) transport(ctx context.Context) (mcp.Transport, error) {
	switch {
	case c.URL == "":
		return c.start()
	case c.SSE:
		return &mcp.SSEClientTransport{Endpoint: c.URL, HTTPClient: httpclient.New(&roundTripper{c: c})}, nil
	}
	return &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: httpclient.New(&roundTripper{c: c}), OAuthHandler: c.Login}, nil
}

// roundTripper sends the requests of a connection: with its headers, until its end, and with
// a limit on the bytes of all replies.
type roundTripper struct{ c *connection }

// RoundTrip implements [http.RoundTripper].
func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	c := t.c
	r = r.Clone(r.Context())
	for _, h := range c.Headers {
		if strings.EqualFold(h.Name, "Host") {
			r.Host = h.Value
		}
		r.Header.Set(h.Name, h.Value)
	}
	opens := r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == ""
	if opens && !c.SSE && strings.Contains(r.Header.Get("Accept"), eventStream) {
		return c.openStream(r), nil
	}
	return c.send(r)
}

const eventStream = "text/event-stream"

// send sends a request.
func (c *connection) send(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(c.life, cancel)
	ended := func() {
		stop()
		cancel()
	}
	reply, err := httpclient.Shared().RoundTrip(r.WithContext(ctx))
	if err != nil {
		ended()
		return nil, err
	}
	if target := httpclient.Target(reply); target != "" { // the library would name only the status
		ended()
		reply.Body.Close()
		return nil, fmt.Errorf("it redirects to %s (%d), which is not followed; pass the final address as its URL", target, reply.StatusCode)
	}
	reply.Body = &noted{ReadCloser: limited{reply.Body, c}, c: c, stream: isStream(reply), ended: ended}
	return reply, nil
}

func isStream(r *http.Response) bool {
	return strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), eventStream)
}

// openStream returns at once a stream of the server's own messages, whatever the server does.
func (c *connection) openStream(r *http.Request) *http.Response {
	read, write := io.Pipe()
	go func() {
		defer write.Close()
		delay := firstDelay
		for range maxStreams {
			if !c.copyStream(write, r) {
				break
			}
			select {
			case <-r.Context().Done():
				return
			case <-c.life.Done():
				return
			case <-time.After(delay):
			}
			delay = min(2*delay, maxDelay)
		}
		select { // the library would end the session
		case <-r.Context().Done():
		case <-c.life.Done():
		}
	}()
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {eventStream}}, Body: read, Request: r,
	}
}

// copyStream copies the complete events of the server's stream that are messages. It reports
// whether there was a stream.
func (c *connection) copyStream(to io.Writer, r *http.Request) bool {
	reply, err := c.send(r)
	if err != nil {
		return false
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK || !isStream(reply) {
		return false
	}
	from := bufio.NewReader(reply.Body)
	var data []byte
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return true
		}
		line = bytes.TrimRight(line, "\r\n")
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
		}
		if len(line) > 0 {
			continue
		}
		if _, err := jsonrpc.DecodeMessage(data); err == nil {
			var message bytes.Buffer
			_ = json.Compact(&message, data) // it is JSON
			fmt.Fprintf(to, "data: %s\n\n", message.Bytes())
		}
		data = data[:0]
	}
}
