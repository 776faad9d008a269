package server

// Streamable HTTP is served by the library's handlers, one for sessions and one for the
// protocol without them. What is around them bounds what a client can hold: requests,
// sessions, and the time for headers, bodies and single writes. A page in a browser cannot
// reach the server: an Origin that is neither this server's nor local is refused.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the server answers.
const Path = "/mcp"

// Limits of the HTTP server. Messages are as long as those over standard input.
const (
	maxSessions = 64
	maxRequests = 256 // at once, including streams
	maxHeader   = 64 << 10
	maxBody     = mcp.DefaultMaxLineLength

	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute // of a connection
	endTimeout    = 5 * time.Second // for the answers at the end
	sessionTime   = time.Hour       // of a session without requests
)

const sessionHeader = "Mcp-Session-Id"

// HTTP configures [Server.ServeHTTP].
type HTTP struct {
	Listener net.Listener
	Token    string // that clients send as bearer token; "" for none
}

// ServeHTTP serves sessions over HTTP until the context is cancelled, and ends them.
func (s *Server) ServeHTTP(ctx context.Context, o HTTP) error {
	s.shared = true
	served := &http.Server{
		Handler: s.handler(o), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ErrorLog:    log.New(io.Discard, "", 0), // clients that break off
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.Watch(watching)
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(o.Listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.calls.cancelAll(errServerEnds)
	for session := range s.sdk.Sessions() {
		go session.Close()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	return errors.Join(served.Shutdown(last), served.Close())
}

var errServerEnds = errors.New("the server ends")

// handler returns what answers requests.
func (s *Server) handler(o HTTP) http.Handler {
	get := func(*http.Request) *mcp.Server { return s.sdk }
	sessions := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTime, MaxRequestBodyBytes: maxBody})
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	var inner http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(sessionHeader)
		switch {
		case id == "" && r.Header.Get("Mcp-Protocol-Version") >= newProtocol:
			stateless.ServeHTTP(w, r)
			return
		case id == "" && r.Method == http.MethodPost && s.full():
			http.Error(w, fmt.Sprintf("%d sessions are open; end one", maxSessions), http.StatusServiceUnavailable)
			return
		case id != "" && r.Method == http.MethodDelete:
			s.calls.cancel(id, errSessionEnded) // the library waits for them
		}
		sessions.ServeHTTP(w, r)
	})
	inner = bounded(inner)
	if o.Token != "" {
		inner = auth.RequireBearerToken(tokenVerifier(o.Token), &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(inner)
	}
	slots := make(chan struct{}, maxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
			return
		}
		switch {
		case r.URL.Path != Path:
			http.Error(w, "the address of the server ends in "+Path, http.StatusNotFound)
		case !originAllowed(r):
			http.Error(w, "requests of pages from elsewhere are refused", http.StatusForbidden)
		default:
			w.Header().Set("X-Content-Type-Options", "nosniff")
			inner.ServeHTTP(&timedWriter{w, http.NewResponseController(w)}, r)
		}
	})
}

// full reports whether no more sessions may begin.
func (s *Server) full() bool {
	n := 0
	for range s.sdk.Sessions() {
		n++
	}
	return n >= maxSessions
}

// tokenVerifier accepts one token, in a time that tells nothing about it.
func tokenVerifier(token string) auth.TokenVerifier {
	want := sha256.Sum256([]byte(token))
	return func(_ context.Context, given string, _ *http.Request) (*auth.TokenInfo, error) {
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			return nil, fmt.Errorf("%w: it is not the server's", auth.ErrInvalidToken)
		}
		return &auth.TokenInfo{UserID: "owner"}, nil
	}
}

// originAllowed reports whether the page that makes a request is this server's or local.
// Programs send no Origin.
func originAllowed(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" {
			return false
		}
		if !local(u.Hostname()) && !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// bounded reads the body first, in a limited time.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.SetReadDeadline(time.Now().Add(bodyTimeout))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		_ = c.SetReadDeadline(time.Time{})
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			http.Error(w, fmt.Sprintf("a message is at most %d MiB long", maxBody>>20), http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// timedWriter gives up on a client that does not read.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *timedWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.ResponseWriter.Write(p)
}

// WriteHeader adds what a client without a token has to send.
func (w *timedWriter) WriteHeader(status int) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
