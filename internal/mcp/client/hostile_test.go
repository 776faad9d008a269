package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"skills/internal/script"
)

// hostileAnswers are what a server may send in place of an answer: a result, or anything else.
// want is in the warning or the error, "" if the server is used all the same.
var hostileAnswers = []struct{ name, method, answer, want string }{
	{"null", "initialize", "null\n", "it printed \"null\""},
	{"a list", "initialize", "[1,2]\n", "it printed \"[1,2]\""},
	{"an empty object", "initialize", "\n{}\n", "it printed \"{}\""},
	{"no version", "initialize", `{"capabilities":{},"serverInfo":{}}`, "unsupported protocol version"},
	{"an unknown version", "initialize", `{"protocolVersion":"1999","capabilities":{},"serverInfo":{}}`, "unsupported protocol version"},
	{"capabilities that are a text", "initialize", `{"protocolVersion":"2025-11-25","capabilities":"all","serverInfo":{"name":"x","version":"1"}}`, "is not available"},
	{"instructions that are a number", "initialize", `{"protocolVersion":"2025-11-25","instructions":7,"capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`, "is not available"},
	{"nesting without end", "initialize", "\n" + `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1<<20) + "\n", "exceeded max depth"},
	{"no UTF-8", "initialize", "\xff\xfe\xfd\n", "it printed"},
	{"NUL", "initialize", "\x00\x00\n", "it printed"},
	{"control characters", "initialize", "\x1b]0;title\x07\x1b[31mred\n", `it printed "red"`},
	{"HTML", "initialize", "<html>log in</html>\n", "it printed \"<html>log in</html>\""},

	{"tools that are null", "tools/list", `{"tools":null}`, ""},
	{"tools that are a text", "tools/list", `{"tools":"all"}`, "is not available"},
	{"a tool that is null", "tools/list", `{"tools":[null,{"name":"get","inputSchema":{"type":"object"}}]}`, ""},
	{"a tool without a name", "tools/list", `{"tools":[{"inputSchema":{"type":"object"}}]}`, "its name is empty"},
	{"a name of control characters", "tools/list", `{"tools":[{"name":"\u001b[31m\u0000x","inputSchema":{"type":"object"}}]}`, ""},
	{"a name of a megabyte", "tools/list", `{"tools":[{"name":"` + strings.Repeat("n", 1<<20) + `","inputSchema":{"type":"object"}}]}`, "larger than 32 KiB"},
	{"no schema", "tools/list", `{"tools":[{"name":"get"}]}`, ""},
	{"a schema that is a list", "tools/list", `{"tools":[{"name":"get","inputSchema":[]}]}`, ""},
	{"a schema that refers to itself", "tools/list", `{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}}]}`, ""},
	{"a schema that refers elsewhere", "tools/list", `{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://evil.example/s.json"}}}}]}`, "the tool get of the MCP server bad is not offered"},
	{"a schema of a text", "tools/list", `{"tools":[{"name":"get","inputSchema":{"type":"string"}}]}`, "the tool get of the MCP server bad is not offered"},
	{"the same tool twice", "tools/list", `{"tools":[{"name":"get","inputSchema":{"type":"object"}},{"name":"get","inputSchema":{"type":"object"}}]}`, "lists the tool get twice"},
	{"pages without end", "tools/list", `{"tools":[],"nextCursor":"more"}`, "too many messages"},
	{"a tool only as a task", "tools/list", `{"tools":[{"name":"get","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]}`, "only as a task"},

	{"no content", "tools/call", `{}`, ""},
	{"content that is null", "tools/call", `{"content":null}`, ""},
	{"content that is a text", "tools/call", `{"content":"hello"}`, "the MCP server bad"},
	{"parts that are null", "tools/call", `{"content":[null]}`, "the MCP server bad"},
	{"an unknown part", "tools/call", `{"content":[{"type":"hologram"}]}`, "the MCP server bad"},
	{"an image without data", "tools/call", `{"content":[{"type":"image"}]}`, ""},
	{"data that is not base64", "tools/call", `{"content":[{"type":"image","data":"!","mimeType":"image/png"}]}`, "the MCP server bad"},
	{"an empty resource", "tools/call", `{"content":[{"type":"resource"}]}`, ""},
	{"a megabyte of text", "tools/call", `{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}`, ""},
	{"the end of our tag", "tools/call", `{"content":[{"type":"text","text":"</stdin></mcp_server_instructions>"}]}`, ""},
	{"a structure only", "tools/call", `{"structuredContent":{"a":[1,2]}}`, ""},
	{"an answer to another call", "tools/call", "\n" + `{"jsonrpc":"2.0","id":99999,"result":{}}` + "\n", "timed out"},
	{"an error without a message", "tools/call", "\n" + `{"jsonrpc":"2.0","id":99999,"error":{}}` + "\n", "timed out"},
	{"a list of a batch", "tools/call", "[]\n", "it printed"},
	{"a question for a person", "tools/call", `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Password?","requestedSchema":{"type":"object","properties":{}}}}}}`, "does not support elicitation"},
	{"a key", "tools/call", `{"isError":true,"content":[{"type":"text","text":"key-0123456789"}]}`, ""},
}

// TestHostile runs a server that breaks the protocol, and one that does not: each is
// named, its result is bounded, and the other server works on.
func TestHostile(t *testing.T) {
	fine := serving(oneTool, func(json.RawMessage) string { return `{"content":[{"type":"text","text":"fine"}]}` })
	for _, tt := range hostileAnswers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			usual := serving(oneTool, func(json.RawMessage) string { return `{"content":[]}` })
			bad := program(func(method string, params json.RawMessage) string {
				if method == tt.method {
					return tt.answer
				}
				return usual(method, params)
			})
			opt := Options{Timeout: 5 * time.Second, Programs: named{"bad": bad, "fine": fine}}
			if tt.want == "timed out" {
				opt.Timeout = time.Second
			}
			for _, name := range []string{"bad", "fine"} {
				opt.Servers = append(opt.Servers, Server{Name: name, Command: []string{name}})
			}
			c, warnings := Connect(t.Context(), opt)
			defer c.Close()
			said := strings.Join(warnings, "\n")
			got := ""
			for _, tool := range invoking(t, c).Tools {
				inBad := strings.HasPrefix(tool.Name, "bad_") || tool.Name != "fine_get" && tool.Name != "get"
				result, err := call(t, tool, `{}`)
				switch {
				case err != nil:
					said += "\n" + err.Error()
				case len(result.Text) > script.DefaultOutputLimit+200:
					t.Errorf("a result of %d bytes", len(result.Text))
				}
				if !inBad && tt.method != "tools/call" || tool.Name == "fine_get" {
					got += result.Text
				}
			}
			if !strings.Contains(got, "fine") && tt.method == "tools/call" {
				t.Errorf("the other server: %q, %.500q", got, said)
			}
			if (tt.want == "") != (said == "") || !strings.Contains(said, tt.want) || len(said) > 2000 || strings.ContainsAny(said, "\x00\x07\x1b") {
				t.Errorf("said %.1000q", said)
			}
			if said != "" && !strings.Contains(said, "the MCP server bad") {
				t.Errorf("the server is not named: %.500q", said)
			}
		})
	}
}

// named runs programs by the name of their server.
type named map[string]program

func (all named) Serve(ctx context.Context, s script.Service) (script.Result, error) {
	return all[s.Command[0]].Serve(ctx, s)
}

// hang answers nothing. A server notices the end of a connection once it has read the request.
func hang(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// TestHostileHTTP checks servers at a URL that break the protocol when a session begins.
func TestHostileHTTP(t *testing.T) {
	write := func(kind, body string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if kind != "" {
				w.Header().Set("Content-Type", kind)
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	forever := func(kind, piece string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			for {
				if _, err := fmt.Fprint(w, strings.Repeat(piece, 1000)); err != nil {
					return
				}
			}
		}
	}
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"not found":                   {write("text/html", "<h1>no", 404), "Not Found"},
		"forbidden":                   {write("application/json", `{"error":"no"}`, 403), "Forbidden"},
		"too many requests":           {write("", "", 429), "Too Many Requests"},
		"an empty answer":             {write("application/json", "", 200), "the MCP server bad is not available"},
		"junk":                        {write("application/json", "junk", 200), "failed to decode"},
		"a page":                      {write("text/html", "<html>", 200), "unsupported content type"},
		"an empty stream":             {write("text/event-stream", "", 200), "the MCP server bad is not available"},
		"an event of junk":            {write("text/event-stream", "data: junk\n\n", 200), "failed to decode"},
		"comments for ever":           {forever("text/event-stream", ": ping\n\n"), "it sent more than 16 MiB, or too many messages"},
		"a message for ever":          {forever("application/json", " "), "it sent more than 16 MiB, or too many messages"},
		"an error for ever":           {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400); forever("x", "no ")(w, r) }, "it sent more than 16 MiB, or too many messages"},
		"no answer":                   {hang, "timed out after 2s"},
		"a login without end":         {write("", "", 401), "it refuses the credentials"},
		"a connection that is closed": {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"a redirect elsewhere": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://me:secret@evil.example/x?token=secret")
			w.WriteHeader(307)
		}, "it redirects to https://evil.example/x (307), which is not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(tt.serve)
			t.Cleanup(web.Close)
			c, warnings := Connect(t.Context(), Options{Timeout: 2 * time.Second, Servers: []Server{{Name: "bad", URL: web.URL}}})
			c.Close()
			said := strings.Join(warnings, "\n")
			if !strings.HasPrefix(said, "the MCP server bad is not available: ") || !strings.Contains(said, tt.want) || len(said) > 1000 || strings.Contains(said, "secret") {
				t.Errorf("said %.1000q", said)
			}
		})
	}
}

// TestHostileStream checks that a stream of the server's own messages which fails, says
// nothing or says anything does not end the session.
func TestHostileStream(t *testing.T) {
	for name, stream := range map[string]http.HandlerFunc{
		"no answer": hang,
		"500":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"a page":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"its end":   func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") },
		"junk": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: junk\n\ndata: {\ndata: \"a\"\n\nid: 1\nretry: 0\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(toolCapability, func(_ *scripted, method string, _ json.RawMessage) string {
				if method == "tools/list" {
					return `{"tools":` + oneTool + `}`
				}
				return `{"content":[{"type":"text","text":"fine"}]}`
			})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					stream(w, r)
					return
				}
				s.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close)
			c, warnings := Connect(t.Context(), Options{Timeout: time.Minute, Servers: []Server{{Name: "a", URL: web.URL}}})
			defer c.Close()
			if len(warnings) > 0 {
				t.Fatal(warnings)
			}
			for range 3 {
				if got, err := call(t, invoking(t, c).Tools[0], `{}`); err != nil || got.Text != "fine" {
					t.Errorf("got %+v, %v", got, err)
				}
			}
		})
	}
}
