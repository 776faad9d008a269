// Package model sends the requests of a conversation to a chat-completions
// server: it builds them, reads whole and streamed replies, retries what may
// succeed later and explains what went wrong.
//
// Everything goes through openai-go and an [http.RoundTripper]. Servers differ
// from the reference in many ways, so replies are read leniently; a reply that
// is not complete is always an error, never a shorter answer.
package model

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Defaults of [Server] and [Limits].
const (
	DefaultRetries   = 2
	DefaultReply     = 32 << 20
	DefaultIdle      = 2 * time.Minute
	DefaultReplyTime = 30 * time.Minute
)

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

// Server says where a chat-completions server is and how to talk to it.
type Server struct {
	// BaseURL is the address up to and including the version, for example
	// https://api.openai.com/v1 or http://localhost:11434/v1.
	BaseURL string
	// APIKey is sent as a bearer token; empty sends no Authorization header,
	// which is right for most local servers.
	APIKey string
	// Transport carries the requests; nil means a private default transport.
	// A recording or a playback is a transport.
	Transport http.RoundTripper
	// Proxy says through which proxy the requests go; nil means the
	// environment's, [http.ProxyFromEnvironment]. A Transport chooses its own
	// and has to agree.
	Proxy     func(*http.Request) (*url.URL, error)
	UserAgent string
	// Retries is how often a failed request is sent again; negative means
	// never, zero the default of 2.
	Retries int
}

// Limits bound a reply; zero means the default named at each field.
type Limits struct {
	Reply int64 // bytes, default 32 MiB
	// Idle is the longest time without a byte, default 2 minutes; negative
	// means none. Five times as long may pass before a reply that is not
	// streamed, which comes at once when it is complete, and without an event
	// of a stream of which only comments or single bytes come.
	Idle  time.Duration
	Total time.Duration // of one reply, default 30 minutes; negative means none
}

// Options are the configuration of a client.
type Options struct {
	Server
	Limits
	Model  string // for messages
	Stream bool   // ask for server-sent events

	// Wait sleeps before a retry and returns early with the context's error;
	// nil waits on the real clock. Jitter returns a random number from 0 to 1
	// that spreads the waits; nil is the runtime's. Now is the clock; nil is
	// the real one.
	Wait   func(ctx context.Context, d time.Duration) error
	Jitter func() float64
	Now    func() time.Time
}

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	options Options
	service openai.Client
	base    *url.URL
	host    string // scheme and host, for messages
	key     secret // keeps the key out of messages
	close   func()
	// noUsage is set once the server refused stream_options, noStream once it
	// refused to stream.
	noUsage, noStream atomic.Bool
}

// New returns a client, or an error that says what is wrong with the address.
func New(o Options) (*Client, error) {
	base, err := parseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	o.setDefaults()
	c := &Client{options: o, base: base, host: base.Scheme + "://" + base.Host, key: newSecret(o.APIKey), close: func() {}}
	transport := o.Transport
	if transport == nil {
		own := &http.Transport{Proxy: o.Proxy, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 30 * time.Second}
		transport, c.close = own, own.CloseIdleConnections
	}
	query := base.Query()
	address := *base
	address.RawQuery, address.Fragment = "", ""
	options := []option.RequestOption{
		option.WithBaseURL(strings.TrimRight(address.String(), "/") + "/"),
		option.WithHTTPClient(&http.Client{Transport: transport, CheckRedirect: checkRedirect}),
		option.WithMaxRetries(0), // retries are events, so they are ours
		option.WithHeader("User-Agent", o.UserAgent),
		option.WithMiddleware(c.intercept),
	}
	// The library drops the query of a base URL; some servers take a version there.
	for name, values := range query {
		for _, value := range values {
			options = append(options, option.WithQueryAdd(name, value))
		}
	}
	if o.APIKey != "" {
		options = append(options, option.WithAPIKey(o.APIKey))
	}
	// Not NewClient, which reads keys, hosts and headers from the environment.
	c.service = openai.Client{Options: options}
	return c, nil
}

func (o *Options) setDefaults() {
	switch {
	case o.Retries == 0:
		o.Retries = DefaultRetries
	case o.Retries < 0:
		o.Retries = 0
	}
	o.Reply = cmp.Or(o.Reply, DefaultReply)
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	o.Total = cmp.Or(o.Total, DefaultReplyTime)
	o.UserAgent = cmp.Or(o.UserAgent, "skills")
	if o.Proxy == nil {
		o.Proxy = http.ProxyFromEnvironment
	}
	if o.Wait == nil {
		o.Wait = sleep
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// parseBaseURL checks and parses the address of a server.
func parseBaseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("no base URL is given")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// The text of a parse error repeats the whole address, and with it
		// what somebody may have put in as user and password.
		return nil, errors.New("the base URL cannot be parsed; it looks like https://host/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the base URL %q has no http:// or https://", u.Redacted())
	case u.Host == "":
		return nil, fmt.Errorf("the base URL %q names no host", u.Redacted())
	}
	return u, nil
}

// Close ends the idle connections of the client's own transport.
func (c *Client) Close() { c.close() }

// intercept removes what the library sends about the machine, and turns the
// status of a refusal into an error while its body is still whole: the library
// loses both for bodies of an unusual form.
func (c *Client) intercept(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			r.Header.Del(name)
		}
	}
	response, err := next(r)
	if err != nil || response.StatusCode < 400 {
		return response, err
	}
	defer response.Body.Close()
	// Of a body that breaks off, what has come is shown.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	return nil, c.statusError(response.StatusCode, response.Header, body)
}

// once sends a request and reads its reply; delta receives the pieces of a
// streamed text. The error is a Final one or an *Error; where ctx is done, any.
func (c *Client) once(ctx context.Context, r Request, delta func(string)) (Reply, error) {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, ephemeralKey{}, r.Ephemeral))
	defer cancel(nil)
	stream, usage := c.form()
	timeouts := newTimeouts(c.host, c.options.Limits, stream, cancel)
	defer timeouts.stop()
	var options []option.RequestOption
	if stream {
		options = append(options, option.WithHeader("Accept", "text/event-stream"))
	}
	// The response is taken raw in both modes: servers answer a request for a
	// stream with plain JSON, or send a content type that is wrong.
	var response *http.Response
	if err := c.service.Post(ctx, "chat/completions", newParams(r, stream, usage), &response, options...); err != nil {
		err = c.explain(ctx, err)
		c.adapt(err, stream, usage)
		return Reply{}, err
	}
	defer response.Body.Close()
	reader := replyReader{
		body: bufio.NewReaderSize(&boundedReader{response.Body, c.options.Reply, timeouts}, 16<<10),
		host: c.host, delta: delta, timeouts: timeouts,
	}
	reply, err := reader.read()
	if err != nil {
		return Reply{}, c.explain(ctx, err)
	}
	return reply, nil
}

// form says whether a reply is asked for as a stream, and its usage with it.
func (c *Client) form() (stream, usage bool) {
	stream = c.options.Stream && !c.noStream.Load()
	return stream, stream && !c.noUsage.Load()
}

// adapt notes, once each, that the server may take the request in another form:
// without stream_options, or not streamed.
func (c *Client) adapt(err error, stream, usage bool) {
	var failure *Error
	if !errors.As(err, &failure) {
		return
	}
	failure.withoutUsage = failure.withoutUsage && usage
	failure.withoutStream = failure.withoutStream && stream && !failure.withoutUsage
	if failure.withoutUsage {
		c.noUsage.Store(true)
	}
	if failure.withoutStream {
		c.noStream.Store(true)
	}
}

// ephemeralKey is the key of [Request.Ephemeral] in a request's context.
type ephemeralKey struct{}

// EphemeralMessages returns [Request.Ephemeral] of the request that a transport
// carries under ctx.
func EphemeralMessages(ctx context.Context) int {
	n, _ := ctx.Value(ephemeralKey{}).(int)
	return n
}
