package agent

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

// lingering is how long a stream is read on after its answer is whole.
const lingering = 2 * time.Second

// aside tells what happens beside the result of an attempt, as it happens.
type aside struct {
	delta func(string) // a piece of a streamed text
	part  func()       // a part of the reply has come
	whole func()       // all that may still come of a stream is its usage and its end
	more  func()       // so it was said, and yet a part came
}

// complete puts something in the place of what is nil.
func (a aside) complete() aside {
	if a.delta == nil {
		a.delta = func(string) {}
	}
	if a.part == nil {
		a.part = func() {}
	}
	if a.whole == nil {
		a.whole = func() {}
	}
	if a.more == nil {
		a.more = func() {}
	}
	return a
}

// client sends single requests to one server.
type client struct {
	service openai.Client
	base    *url.URL
	host    string // scheme and host, for messages
	proxy   func(*http.Request) (*url.URL, error)
	key     string
	secret  secret // keeps the key out of messages
	config  Config
	encoder encoder
	readers sync.Pool // of *bufio.Reader, for one reply after the other
	// plain is set once the server refused stream_options, unstreamed once it
	// refused to stream.
	plain, unstreamed atomic.Bool
}

func newClient(c Config, base *url.URL, transport http.RoundTripper) *client {
	cl := &client{base: base, proxy: c.Server.Proxy, host: base.Scheme + "://" + base.Host, key: c.Server.APIKey, secret: newSecret(c.Server.APIKey), config: c}
	agent := c.Server.UserAgent
	if agent == "" {
		agent = "skills"
	}
	options := []option.RequestOption{
		option.WithBaseURL(address(base)),
		option.WithHTTPClient(&http.Client{Transport: transport, CheckRedirect: checkRedirect}),
		option.WithMaxRetries(0), // retries are events, so they are ours
		option.WithHeader("User-Agent", agent),
		option.WithHeader("Content-Type", "application/json"),
		option.WithMiddleware(cl.look),
	}
	// The library drops the query of a base URL; some servers take a version there.
	query := base.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			options = append(options, option.WithQueryAdd(name, value))
		}
	}
	if c.Server.APIKey != "" {
		options = append(options, option.WithAPIKey(c.Server.APIKey))
	}
	// Not NewClient, which reads keys, hosts and headers from the environment.
	cl.service = openai.Client{Options: options}
	return cl
}

// address returns the base URL without query, with the slash at its end that
// keeps its last segment.
func address(base *url.URL) string {
	u := *base
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimRight(u.String(), "/") + "/"
}

// look stands between the library and the transport. It leaves out what the
// library tells of the machine and turns the status of a refusal into an error
// while its body is still whole: the library loses both for bodies of an
// unusual form.
func (c *client) look(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
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
	// A body that breaks off is told as far as it came.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	return nil, c.refused(response.StatusCode, response.Header, body)
}

// once sends a request and reads its reply. delta receives pieces of a
// streamed text. The error is the context's or an *Error or *ReplayError.
func (c *client) once(run context.Context, r Request, tails int, delta func(string)) (reply, error) {
	if run.Err() != nil {
		return reply{}, ended(run)
	}
	ctx, cancel := context.WithCancelCause(run)
	defer cancel(nil)
	stream, usage := c.form()
	patience := newPatience(c.config.Limits, stream, cancel)
	defer patience.stop()
	body, err := c.encoder.encode(r, tails, stream, usage)
	if err != nil {
		return reply{}, err
	}
	var response *http.Response
	options := []option.RequestOption{option.WithMiddleware(body.send)}
	if stream {
		options = append(options, option.WithHeader("Accept", "text/event-stream"))
	}
	// The response is taken raw in both modes: servers answer a request for a
	// stream with plain JSON, or name a type that is not what they send, and
	// the library takes the one for an empty stream and refuses the other.
	err = c.service.Post(withTails(ctx, tails), "chat/completions", nil, &response, options...)
	if err != nil {
		err = c.explain(run, ctx, err)
		c.instead(err, stream, usage)
		return reply{}, err
	}
	defer response.Body.Close()
	heard := heardReader{&limitedReader{r: response.Body, left: c.config.Limits.Reply}, patience}
	b, _ := c.readers.Get().(*bufio.Reader)
	if b == nil {
		b = bufio.NewReaderSize(nil, replyBuffer)
	}
	b.Reset(heard)
	defer func() {
		b.Reset(nil)
		c.readers.Put(b)
	}()
	rep, err := readBuffered(b, aside{delta: delta, part: patience.part, whole: patience.whole, more: patience.more})
	if err != nil {
		return reply{}, c.explain(run, ctx, err)
	}
	return rep, nil
}

// form says whether a reply is asked for as a stream, and its usage with it.
func (c *client) form() (stream, usage bool) {
	stream = c.config.Stream && !c.unstreamed.Load()
	return stream, stream && !c.plain.Load()
}

// instead notes, once each, that the server may take the request in another
// form: without stream_options, or not streamed.
func (c *client) instead(err error, stream, usage bool) {
	var failure *Error
	if !errors.As(err, &failure) {
		return
	}
	failure.plain = failure.plain && usage
	failure.unstreamed = failure.unstreamed && stream && !failure.plain
	if failure.plain {
		c.plain.Store(true)
	}
	if failure.unstreamed {
		c.unstreamed.Store(true)
	}
}

// errTooLarge is what reading over the limit of a reply returns.
var errTooLarge = errors.New("the reply is larger than the limit")

// limitedReader is an [io.LimitedReader] that fails at its limit: cut JSON
// must not look like the end of a reply.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if int64(len(p))-1 > l.left {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		return 0, errTooLarge
	}
	l.left -= int64(n)
	return n, err
}

// tailsKey is the key under which a request's context carries how many of its
// last messages are tails, which a recording leaves out.
type tailsKey struct{}

func withTails(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, tailsKey{}, n)
}

func tailsOf(ctx context.Context) int {
	n, _ := ctx.Value(tailsKey{}).(int)
	return n
}
