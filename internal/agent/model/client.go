// Package model sends requests to a chat-completions server: it builds them,
// reads complete and streamed replies, retries temporary failures and explains
// errors.
//
// It uses openai-go and an [http.RoundTripper]. Servers differ from the
// reference in many ways, so replies are read leniently; an incomplete reply is
// always an error, never a shorter answer.
package model

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"skills/internal/httpclient"
)

// Usual values of [Options].
const (
	defaultReply = 32 << 20
	DefaultIdle  = -1 // 5 minutes for a reply to begin, 2 within a stream
)

// Server is the address of a chat-completions server and how to connect to it.
type Server struct {
	// BaseURL is the address up to and including the version, for example
	// https://api.openai.com/v1 or http://localhost:11434/v1.
	BaseURL string
	// APIKey is sent as a bearer token. If it is empty, there is no
	// Authorization header, which most local servers accept.
	APIKey string
	// API is the protocol: [ChatAPI], [ResponsesAPI], or [AutoAPI] or "" for chat
	// completions unless the model needs the other.
	API string
	// Headers are sent with every request. An Authorization header replaces the key.
	Headers []Header
	// Transport sends the requests; nil means a new default transport with the
	// proxy of the environment. Recording and playback are transports.
	Transport http.RoundTripper
	UserAgent string
	Retries   int // how often a failed request is sent again
	// NoStream is true for a server that is known to refuse streams. Without it, a stream
	// is requested until the server refuses one.
	NoStream bool
}

// Header is a header of a request. Its value may be a key.
type Header struct{ Name, Value string }

// Options configures a client.
type Options struct {
	Server
	Model    string        // for messages
	MaxReply int64         // maximum size of a reply in bytes, default 32 MiB
	Idle     time.Duration // idle timeout, see [timeouts]; 0 for none

	// Wait sleeps before a retry and returns early with the context's error; nil
	// uses the real clock. Now returns the time; nil uses the real clock.
	Wait func(ctx context.Context, d time.Duration) error
	Now  func() time.Time
}

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	options Options
	// post is the method of [openai.Client]. A field of that type would put the
	// whole library into the export data of this package, and make each package
	// that imports it five times slower to compile.
	post func(ctx context.Context, path string, params, result any, options ...option.RequestOption) error
	http *http.Client
	host string // scheme and host, for messages
	name string // address and model
	// server holds the header Server of the last response.
	server atomic.Value
	// adapted holds the [adaptations] to what the server refused.
	adapted atomic.Uint64
	// thinks is set once the server sent reasoning without an opening tag, to the index
	// of the tag and one.
	thinks atomic.Int32
}

// New returns a client. The error describes what is wrong with the address.
func New(o Options) (*Client, error) {
	base, err := parseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	o.MaxReply = cmp.Or(o.MaxReply, defaultReply)
	if o.Wait == nil {
		o.Wait = sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Transport == nil {
		o.Transport = httpclient.NewTransport()
	}
	c := &Client{options: o, host: base.Scheme + "://" + base.Host, http: httpclient.New(o.Transport)}
	query := base.Query()
	base.RawQuery, base.Fragment = "", ""
	public := *base
	public.User = nil
	c.name = strings.TrimRight(public.String(), "/") + " " + o.Model
	options := []option.RequestOption{
		option.WithBaseURL(strings.TrimRight(base.String(), "/") + "/"),
		option.WithHTTPClient(c.http),
		option.WithMaxRetries(0), // the client retries itself, because retries are events
		option.WithHeader("User-Agent", cmp.Or(o.UserAgent, "skills")),
		option.WithMiddleware(c.intercept),
	}
	// The library drops the query of a base URL; some servers expect a version
	// there.
	for name, values := range query {
		for _, value := range values {
			options = append(options, option.WithQueryAdd(name, value))
		}
	}
	if o.APIKey != "" {
		options = append(options, option.WithAPIKey(o.APIKey))
	}
	for _, h := range o.Headers {
		options = append(options, option.WithHeader(h.Name, h.Value))
	}
	// NewClient would read keys, hosts and headers from the environment.
	service := openai.Client{Options: options}
	c.post = service.Post
	return c, nil
}

func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return nil, errors.New("no base URL is given")
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		// The address is omitted because it may contain a user and a password.
		return nil, errors.New("the base URL cannot be used; it looks like http://localhost:11434/v1")
	}
	return u, nil
}

// Name returns the address of the server, without user and query, and the model.
func (c *Client) Name() string { return c.name }

// Close closes the idle connections of the transport, if supported.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// intercept removes the library's headers about the machine, and converts an
// error status to an error while the body is complete: the library loses both
// for bodies of an unusual form.
func (c *Client) intercept(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			r.Header.Del(name)
		}
	}
	response, err := next(r)
	if err != nil || response.StatusCode < 300 {
		return response, err
	}
	defer response.Body.Close()
	return nil, c.statusError(response)
}

// once sends a request with adaptations and reads the reply; o receives the pieces of a
// stream. The error is a Final one or an *Error; if ctx is done, it may be any.
func (c *Client) once(ctx context.Context, r Request, adapted adaptations, o Observer) (Reply, error) {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, requestKey{}, r))
	defer cancel(nil)
	sent, envelope := adapted.apply(r.encoded(), c.envelope())
	timeouts := newTimeouts(c.host, c.options.Idle, envelope.stream, cancel)
	defer timeouts.stop()
	protocol := envelope.protocol()
	request, fields := protocol.request(sent, envelope)
	options := envelope.options(c.options.APIKey)
	for _, field := range fields {
		options = append(options, option.WithJSONSet(field.path, field.value))
	}
	// Both modes use the raw response: servers answer a streaming request with
	// plain JSON, or send a wrong content type.
	var response *http.Response
	if err := c.post(ctx, protocol.path(), request, &response, options...); err != nil {
		return Reply{}, c.explain(ctx, err)
	}
	defer response.Body.Close()
	c.server.Store(response.Header.Get("Server"))
	body := io.TeeReader(http.MaxBytesReader(nil, response.Body, c.options.MaxReply), timeouts)
	reader := &replyReader{host: c.host, address: addressHint(c.options.BaseURL), api: protocol.name(), model: c.options.Model, observer: o, onEvent: timeouts.onEvent}
	if tag := c.thinks.Load(); tag > 0 {
		reader.think.expect(int(tag) - 1)
	}
	reply, err := reader.read(body)
	if err != nil {
		return Reply{}, c.explain(ctx, err)
	}
	if reader.unopened {
		c.thinks.Store(int32(reader.think.tag) + 1)
	}
	return r.named(reply), nil
}

// sleep waits up to a quarter longer, so that runs that failed together do not
// retry together.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d + rand.N(d/4+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Before is a transport that calls the function before each request it sends. Its error
// ends the request; a [Final] one is not retried.
type Before func() error

// RoundTrip implements [http.RoundTripper].
func (f Before) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := f(); err != nil {
		return nil, err
	}
	return httpclient.Shared().RoundTrip(r)
}
