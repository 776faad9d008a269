// Package openaitest is an in-memory chat-completions server for tests. It uses
// real HTTP, sends scripted replies in order, records every request and checks
// it like a strict server; an invalid request gets status 400 and fails the
// test.
//
// It imports no other package of the project, so that it checks the wire format
// independently.
package openaitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"skills/internal/httpclient"
)

const maxBody = 64 << 20

// TB is the part of [testing.TB] used by New.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Server is a running chat-completions server, safe for concurrent use.
type Server struct {
	// URL is the base URL for clients, including the version:
	// http://127.0.0.1:PORT/v1.
	URL string

	server  *httptest.Server
	arrived chan struct{}

	mu       sync.Mutex
	key      string
	profile  Profile
	replies  []Reply
	next     int
	requests []Request
	problems []string
	issued   issued
	pages    map[string]string // bodies of GET requests by path; nil if these are errors
}

// New starts a server for one test, which fails if a request was invalid or
// unexpected, or if scripted replies are left.
func New(t TB, replies ...Reply) *Server {
	t.Helper()
	s := Start(replies...)
	t.Cleanup(func() {
		s.Close()
		if err := s.Check(); err != nil {
			t.Errorf("openaitest: %v", err)
		}
	})
	return s
}

// Start starts a server; the caller must call Close, and Check for errors.
func Start(replies ...Reply) *Server {
	s := &Server{replies: replies, arrived: make(chan struct{}, 4096)}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL + "/v1"
	return s
}

// Close stops the server and closes all connections.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// RequireKey makes requests without this bearer token fail with status 401.
func (s *Server) RequireKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// Add appends replies to the script.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Skip drops the next reply of the script.
func (s *Server) Skip() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
}

// Requests returns the requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Arrived receives a value for every request, before the server waits for its
// reply's gate.
func (s *Server) Arrived() <-chan struct{} { return s.arrived }

// Problems returns what a strict server would have rejected.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Check returns an error with all problems and the number of replies left, or
// nil.
func (s *Server) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := slices.Clone(s.problems)
	if rest := len(s.replies) - s.next; rest > 0 {
		problems = append(problems, fmt.Sprintf("%d scripted replies were never asked for", rest))
	}
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, "\n"))
}

// Pages makes the server answer GET requests with the bodies of their paths, and with the
// status 404 for others. They are not recorded.
func (s *Server) Pages(pages map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = pages
}

// page answers a GET request, and reports whether it did.
func (s *Server) page(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method != http.MethodGet || s.pages == nil {
		return false
	}
	body, found := s.pages[r.URL.Path]
	switch {
	case s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key:
		http.Error(w, "Incorrect API key provided", http.StatusUnauthorized)
	case !found:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
	return true
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.page(w, r) {
		return
	}
	// Read the body first: net/http detects a closed connection only after that.
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client is gone
	}
	request, reply := s.take(r, body)
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	switch {
	case !wait(r, reply.Gate):
	case reply.Handler != nil:
		reply.Handler(w, r)
	default:
		reply.write(w, r, request)
	}
}

// failure returns the reply to a request that is refused.
func failure(status int, problem string) Reply { return Reply{Status: status, Text: problem} }

// take records the request and returns the next reply, or a failure.
func (s *Server) take(r *http.Request, body []byte) (Request, Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.profile.route(r)
	request, problems := s.decode(r, body)
	request.number = len(s.requests) + 1
	s.requests = append(s.requests, request)
	if s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key {
		return request, failure(http.StatusUnauthorized, "Incorrect API key provided")
	}
	if reply, refused := s.profile.refused(r.Header, body); refused {
		return request, reply
	}
	if len(problems) == 0 && s.next >= len(s.replies) {
		problems = []string{"no reply is scripted for it"}
	}
	if len(problems) > 0 {
		for _, p := range problems {
			s.problems = append(s.problems, fmt.Sprintf("request %d: %s", len(s.requests), p))
		}
		return request, failure(http.StatusBadRequest, strings.Join(problems, "; "))
	}
	reply := s.replies[s.next]
	if reply.NoStream && request.Stream {
		return request, failure(http.StatusBadRequest, "streaming is not supported by this server")
	}
	if refused, is := reply.refusedForm(request); is {
		return request, refused
	}
	s.next++
	if s.profile.shape != nil {
		reply = s.profile.shape(reply, request)
	}
	s.issue(request, reply)
	return request, reply
}

// wait reports whether the client is still connected when the gate opens.
func wait(r *http.Request, gate <-chan struct{}) bool {
	if gate == nil {
		return true
	}
	select {
	case <-gate:
		return true
	case <-r.Context().Done():
		return false
	}
}

// Post sends the bodies to the server at a base URL, one after another over one
// connection, and reads the replies. Benchmarks use it as the minimum cost of a
// conversation.
func Post(baseURL string, bodies [][]byte) error {
	client := httpclient.New(httpclient.NewTransport())
	defer client.CloseIdleConnections()
	for _, body := range bodies {
		response, err := client.Post(baseURL+"/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("sending a request: %w", err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil {
			return fmt.Errorf("reading a reply: %w", err)
		}
	}
	return nil
}
