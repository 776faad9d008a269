package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestHTTP: a server at a URL is used like a program, and its replies are bounded.
func TestHTTP(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, nil)
	size := 3
	mcp.AddTool(server, &mcp.Tool{Name: "get"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("y", size)}}}, nil, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close) // after the client
	c, warnings, tools := start(t, Options{Servers: []Server{{Name: "h", URL: web.URL}, {Name: "gone", URL: web.URL + "/\x7f"}}})
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "the MCP server gone is not available: ") || !slices.Equal(names(tools), []string{"get"}) {
		t.Fatal(warnings, names(tools))
	}
	if result, err := call(t, tools[0], `{}`); err != nil || result.Text != "yyy" {
		t.Errorf("got %+v, %v", result, err)
	}
	size = maxReply + 1
	if _, err := call(t, tools[0], `{}`); err == nil || !strings.Contains(err.Error(), "it sent more than 16 MiB") {
		t.Errorf("got %v", err)
	}
	c.Close()
}

// TestHTTPFailures: a server at a URL that answers with status 500, with a page or not at
// all, at its start or in a call, is an error with its name, within the timeout.
func TestHTTPFailures(t *testing.T) {
	for name, of := range map[string]struct {
		fail http.HandlerFunc
		want string
	}{
		"500":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of \x1b[31morder", 500) }, "Internal Server Error"},
		"page": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, "unsupported content type"},
		"hangs": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "timed out after 300ms"},
	} {
		t.Run(name, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, nil)
			mcp.AddTool(server, &mcp.Tool{Name: "get"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{}, nil, nil
			})
			works := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
			var failing atomic.Bool // the stream is opened in another goroutine
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if failing.Load() || r.URL.Path == "/fails" {
					of.fail(w, r)
					return
				}
				works.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close) // after the client
			opt := Options{Timeout: time.Minute, Servers: []Server{{Name: "fine", URL: web.URL}, {Name: "bad", URL: web.URL + "/fails"}}}
			if name == "hangs" {
				opt.Timeout = 300 * time.Millisecond
			}
			_, warnings, tools := start(t, opt)
			if len(tools) != 1 || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "the MCP server bad is not available: ") || !strings.Contains(warnings[0], of.want) {
				t.Fatal(names(tools), warnings)
			}
			failing.Store(true)
			if _, err := call(t, tools[0], `{}`); err == nil || !strings.HasPrefix(err.Error(), "the MCP server fine: ") || !strings.Contains(err.Error(), of.want) {
				t.Errorf("in a call: %v", err)
			}
		})
	}
}
