package traces

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// sink is a collector.
type sink struct {
	mu      sync.Mutex
	spans   []*spans.Span
	headers http.Header
	path    string
}

func (s *sink) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in spans.TracesData
	if proto.Unmarshal(body, &in) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headers, s.path = r.Header, r.URL.Path
	for _, r := range in.ResourceSpans {
		for _, scope := range r.ScopeSpans {
			s.spans = append(s.spans, scope.Spans...)
		}
	}
}

// attributes returns those of a span as NAME=VALUE.
func attributes(s *spans.Span) string {
	var out []string
	for _, a := range s.Attributes {
		out = append(out, a.Key+"="+strings.TrimSpace(a.Value.String()))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// TestSpans checks the spans of a run with a tool call, with and without contents.
func TestSpans(t *testing.T) {
	for _, content := range []string{"", "true"} {
		got := &sink{}
		server := httptest.NewServer(got)
		defer server.Close()
		env := map[string]string{endpointVariable: server.URL + "/base", headersVariable: "x-team=a%20b", ContentVariable: content}
		tracer, err := New(t.Context(), Options{
			Getenv: func(name string) string { return env[name] }, Version: "1", RunID: "r1", BaseURL: "http://model.example:8080/v1",
			Mask: func(text string) string { return strings.ReplaceAll(text, "sk-1", "hidden") },
		})
		if err != nil {
			t.Fatal(err)
		}
		model := openaitest.New(t, openaitest.Do(openaitest.Call{ID: "c1", Name: "look", Arguments: `{"at":"sk-1"}`}), openaitest.Text("all is secret"))
		look := agent.NewTool("look", "Looks.", map[string]any{"type": "object"}, func(context.Context, *agent.Invocation, struct {
			At string `json:"at"`
		}) (agent.Action, error) {
			return agent.Answer(agent.Summary{Kind: agent.KindOther}, agent.ToolResult{Text: "seen", Failed: true}), nil
		})
		a, err := agent.New(agent.Config{
			Server: agent.Server{BaseURL: model.URL}, Model: "m1", Params: agent.Params{"temperature": []byte("0.5"), "seed": []byte("7")}, Providers: []agent.ContextProvider{provides{look}},
			Middleware: []agent.Middleware{tracer.Call()}, RunMiddleware: []agent.RunMiddleware{tracer.Run()},
			Replies: agent.Replies{Mediation: agent.Mediation{ModelMiddleware: []agent.ModelMiddleware{tracer.Model()}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Run(t.Context(), nil, "what is there?")
		if err != nil {
			t.Fatal(err)
		}
		err = tracer.Close()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		all := ""
		for _, s := range got.spans {
			names = append(names, s.Name)
			all += "\n" + s.Name + "\n" + attributes(s)
			if root := got.spans[len(got.spans)-1]; s != root && (string(s.ParentSpanId) != string(root.SpanId) || string(s.TraceId) != string(root.TraceId)) {
				t.Errorf("%s is not in the span of the run", s.Name)
			}
		}
		if want := []string{"chat m1", "execute_tool look", "chat m1", "invoke_agent skills"}; !slices.Equal(names, want) {
			t.Errorf("got %q, want %q", names, want)
		}
		if got.path != "/base/v1/traces" || got.headers.Get("x-team") != "a b" {
			t.Errorf("got %s with %v", got.path, got.headers)
		}
		for _, want := range []string{"gen_ai.operation.name", "gen_ai.request.temperature", "gen_ai.request.seed", "server.address", "gen_ai.tool.call.id", "error.type", "gen_ai.response.finish_reasons", "gen_ai.conversation.id"} {
			if !strings.Contains(all, want) {
				t.Errorf("no span has %s:\n%s", want, all)
			}
		}
		for _, text := range []string{"what is there?", "all is secret", "seen", "hidden"} {
			if strings.Contains(all, text) != (content != "") {
				t.Errorf("with %s=%s: %q in %s", ContentVariable, content, text, all)
			}
		}
		if strings.Contains(all, "sk-1") {
			t.Errorf("a key is in\n%s", all)
		}
	}
}

// provides is a context provider with tools.
type provides []agent.Tool

func (provides) Name() string { return "test" }
func (p provides) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	return agent.Context{Tools: p}, nil
}
func (provides) Invoked(context.Context, *agent.Invoked) error { return nil }

// TestWanted checks that nothing is sent without the variable, and what a wrong one is.
func TestWanted(t *testing.T) {
	of := func(pairs ...string) func(string) string {
		return func(name string) string {
			if i := slices.Index(pairs, name); i >= 0 {
				return pairs[i+1]
			}
			return ""
		}
	}
	if Wanted(of()) || !Wanted(of(endpointVariable, "http://x")) || Wanted(of(endpointVariable, "http://x", disabledVariable, "true")) {
		t.Error("wanted without a collector, or not with one")
	}
	for _, pairs := range [][]string{{endpointVariable, "localhost:4317"}, {endpointVariable, "http://x", protocolVariable, "grpc"}} {
		if _, err := New(t.Context(), Options{Getenv: of(pairs...)}); err == nil || !strings.Contains(err.Error(), "OTEL_") {
			t.Errorf("%q: got %v", pairs, err)
		}
	}
}

// TestUploadRefused checks that an answer other than success is an error with the address
// and the status, and that headers are sent.
func TestUploadRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "a" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("headers %v", r.Header)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	err := newUploader(server.URL, map[string]string{"x-team": "a"}).UploadTraces(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), server.URL) || !strings.Contains(err.Error(), "503") {
		t.Errorf("got %v", err)
	}
}
