package server

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/httpclient"
)

// overHTTP serves on a port of its own, and returns the address and a function that ends
// the server.
func overHTTP(t *testing.T, s *Server, token string) (address string, end func() error) {
	t.Helper()
	l, err := Listen("0", token != "")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHTTP(ctx, HTTP{Listener: l, Token: token}) }()
	end = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}
	t.Cleanup(func() { _ = end() })
	return URL(l), end
}

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, address, token, version string, o *mcp.ClientOptions) (*mcp.ClientSession, error) {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: address, MaxRetries: -1}
	if token != "" {
		transport.HTTPClient = httpclient.New(bearer(token))
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		t.Cleanup(func() { session.Close() })
	}
	return session, err
}

// TestHTTP: both protocols work over HTTP with approval; several clients have sessions of
// their own, and no answer that holds for all of them.
func TestHTTP(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/x.sh": ""})
	const token = "0123456789abcdef"
	address, end := overHTTP(t, s, token)
	for _, wrong := range []string{"", "0123456789abcdeg"} {
		if _, err := dial(t, address, wrong, "", nil); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
			t.Errorf("token %q: got %v", wrong, err)
		}
	}
	for _, version := range []string{"2025-06-18", "2025-11-25", ""} {
		session, err := dial(t, address, token, version, &mcp.ClientOptions{
			ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if strings.Contains(r.Params.RequestedSchema.(map[string]any)["properties"].(map[string]any)["answer"].(map[string]any)["description"].(string), "always") {
					t.Error("one client could answer for all")
				}
				return accepts(ctx, r)
			},
		})
		must(t, err)
		if r, text := callScript(t, session, nil); r.IsError || text != "ran [--to 5 km]" {
			t.Errorf("protocol %q: got %q", version, text)
		}
		if text := session.InitializeResult().Instructions; !strings.Contains(text, "<name>a</name>") {
			t.Errorf("protocol %q: instructions %q", version, text)
		}
	}
	must(t, end())
}

// TestHTTPSessionEnds: the end of a session cancels its calls, and so does the end of the
// server.
func TestHTTPSessionEnds(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/x.sh": ""})
	address, end := overHTTP(t, s, "")
	asked := make(chan bool, 10)
	deleted := func(c *mcp.ClientSession) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, address, nil)
		must(t, err)
		r.Header.Set(sessionHeader, c.ID())
		response, err := http.DefaultClient.Do(r)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusNoContent {
			t.Errorf("got %s", response.Status)
		}
	}
	for _, finish := range []func(*mcp.ClientSession){deleted, func(*mcp.ClientSession) { must(t, end()) }} {
		session, err := dial(t, address, "", "2025-06-18", &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		must(t, err)
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "run_skill_script", Arguments: map[string]any{"skillName": "a", "scriptName": "x.sh"}})
			ended <- err
		}()
		<-asked
		finish(session)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the call did not end")
		}
	}
	for range s.sdk.Sessions() {
		t.Error("a session is left")
	}
}

// TestHTTPRefused: what a hostile client or a page in a browser sends is refused, and the
// server goes on.
func TestHTTPRefused(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a")})
	address, _ := overHTTP(t, s, "")
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	send := func(method, path, body string, header ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(address, Path)+path, strings.NewReader(body))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
			if header[i] == "Host" {
				r.Host = header[i+1]
			}
		}
		response, err := http.DefaultClient.Do(r)
		must(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		must(t, err)
		return response.StatusCode, string(text)
	}
	for _, test := range []struct {
		name, method, path, body string
		header                   []string
		want                     int
	}{
		{"good", "POST", Path, hello, nil, 200},
		{"local page", "POST", Path, hello, []string{"Origin", "http://localhost:6274"}, 200},
		{"page", "POST", Path, hello, []string{"Origin", "https://evil.example"}, 403},
		{"sandboxed page", "POST", Path, hello, []string{"Origin", "null"}, 403},
		{"rebound name", "POST", Path, hello, []string{"Host", "evil.example", "Origin", "http://evil.example"}, 403},
		{"rebound name without origin", "POST", Path, hello, []string{"Host", "evil.example"}, 403},
		{"form", "POST", Path, hello, []string{"Content-Type", "text/plain"}, 415},
		{"path", "POST", "/", hello, nil, 404},
		{"other path", "GET", "/mcp/../etc/passwd", "", nil, 404},
		{"preflight", "OPTIONS", Path, "", nil, 405},
		{"session", "POST", Path, hello, []string{sessionHeader, "AAAA"}, 404},
		{"end of a session", "DELETE", Path, "", []string{sessionHeader, "AAAA"}, 404},
		{"stream", "GET", Path, "", nil, 400},
		{"not JSON", "POST", Path, "{", nil, 400},
		{"empty", "POST", Path, "", nil, 400},
		{"version", "POST", Path, hello, []string{"Mcp-Protocol-Version", "1"}, 400},
		{"too long", "POST", Path, strings.Repeat(" ", maxBody+1), nil, 413},
	} {
		if got, text := send(test.method, test.path, test.body, test.header...); got != test.want {
			t.Errorf("%s: got %d %s, want %d", test.name, got, text, test.want)
		}
	}
	last := 0
	for range maxSessions + 5 {
		last, _ = send("POST", Path, hello)
	}
	if last != http.StatusServiceUnavailable {
		t.Errorf("after many sessions: %d", last)
	}
}

// TestListen: an address that other machines reach needs a token.
func TestListen(t *testing.T) {
	for address, good := range map[string]bool{
		"0": true, "127.0.0.1:0": true, "localhost:0": true, ":0": false, "0.0.0.0:0": false, "[::]:0": false, "x": false, "": false,
		"127.0.0.1": false, "127.0.0.1:99999": false, "http://localhost:0": false,
	} {
		l, err := Listen(address, false)
		if (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
		if l != nil {
			l.Close()
		}
	}
	l, err := Listen("0.0.0.0:0", true)
	must(t, err)
	if !strings.HasPrefix(URL(l), "http://localhost:") {
		t.Errorf("got %s", URL(l))
	}
	l.Close()
	for token, good := range map[string]bool{"": false, "short": false, "0123456789abcdef": true, "0123456789 abcdef": false, "0123456789abcdé": false} {
		if (CheckToken(token) == nil) != good {
			t.Errorf("token %q", token)
		}
	}
}

// TestSlowClients: a client that sends nothing keeps no request open for ever, and a client
// that does not read keeps nobody else waiting.
func TestSlowClients(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a")})
	address, _ := overHTTP(t, s, "")
	host := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), Path)
	for range 20 {
		c, err := net.Dial("tcp", host)
		must(t, err)
		defer c.Close()
		_, err = io.Copy(c, bytes.NewReader([]byte("POST /mcp HTTP/1.1\r\nHost: "+host+"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")))
		must(t, err)
	}
	session, err := dial(t, address, "", "2025-11-25", nil)
	must(t, err)
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
