// Package traces sends the steps of a run to a collector of OpenTelemetry, as spans by its
// conventions for generative AI: one of the run, and in it one for each request to the
// model and each tool call. It does so only where the user's environment names a collector.
package traces

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"skills/internal/agent"
	"skills/internal/agent/model"
)

// The variables that decide whether anything is sent, and what.
const (
	endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
	protocolVariable = "OTEL_EXPORTER_OTLP_PROTOCOL"
	headersVariable  = "OTEL_EXPORTER_OTLP_HEADERS"
	disabledVariable = "OTEL_SDK_DISABLED"
	serviceVariable  = "OTEL_SERVICE_NAME"
	// ContentVariable is the switch for prompts, answers, arguments and results.
	ContentVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
)

// flushTime is how long the end of a run waits for the collector.
const flushTime = 5 * time.Second

// Options describe a run.
type Options struct {
	Getenv  func(name string) string
	Version string
	RunID   string
	BaseURL string                   // of the model's server
	Session string                   // "" for none
	Mask    func(text string) string // hides keys in contents
	// HideReplies keeps replies out of the spans of requests, because an answer may still
	// be changed or withheld.
	HideReplies bool
}

// Tracer makes the spans of one run.
type Tracer struct {
	o        Options
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	exporter *exporter
	content  bool // with the contents of messages
}

// Wanted reports whether the environment names a collector.
func Wanted(getenv func(string) string) bool {
	return getenv(endpointVariable) != "" && !strings.EqualFold(getenv(disabledVariable), "true")
}

// headers returns those of a variable: NAME=VALUE, separated by commas, with the escapes of
// URLs.
func headers(text string) map[string]string {
	out := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(entry, "=")
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			out[strings.TrimSpace(name)] = plain
		}
	}
	return out
}

// New returns a tracer.
func New(ctx context.Context, o Options) (*Tracer, error) {
	address := o.Getenv(endpointVariable)
	u, err := url.Parse(address)
	isHTTP := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	switch {
	case !isHTTP || u.Host == "":
		return nil, fmt.Errorf("%s is not the URL of a collector, such as http://localhost:4318", endpointVariable)
	case o.Getenv(protocolVariable) != "" && o.Getenv(protocolVariable) != "http/protobuf":
		return nil, fmt.Errorf("%s is %q, and only http/protobuf is supported", protocolVariable, o.Getenv(protocolVariable))
	}
	client, err := otlptrace.New(ctx, newUploader(u.JoinPath("v1/traces").String(), headers(o.Getenv(headersVariable))))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", endpointVariable, err)
	}
	about, err := resource.New(ctx, resource.WithFromEnv(), resource.WithAttributes(
		attribute.String("service.name", cmp.Or(o.Getenv(serviceVariable), "skills")), attribute.String("service.version", o.Version),
	))
	if err != nil {
		about = resource.Empty()
	}
	t := &Tracer{o: o, exporter: &exporter{SpanExporter: client}}
	t.provider = sdk.NewTracerProvider(sdk.WithBatcher(t.exporter), sdk.WithResource(about))
	t.tracer = t.provider.Tracer("skills", trace.WithInstrumentationVersion(o.Version))
	switch strings.ToLower(o.Getenv(ContentVariable)) {
	case "true", "1", "span_only", "span_and_event":
		t.content = true
	}
	return t, nil
}

// exporter keeps the first error, so that the library does not print it.
type exporter struct {
	sdk.SpanExporter
	mu  sync.Mutex
	err error
}

// ExportSpans sends spans.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = cmp.Or(e.err, err)
	return nil
}

// Close sends what is left, for a few seconds at most. The error is the first one of the
// run.
func (t *Tracer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	failed := t.provider.Shutdown(ctx)
	t.exporter.mu.Lock()
	defer t.exporter.mu.Unlock()
	return cmp.Or(t.exporter.err, failed)
}

// The names of attributes.
const (
	operation   = attribute.Key("gen_ai.operation.name")
	provider    = attribute.Key("gen_ai.provider.name")
	modelName   = attribute.Key("gen_ai.request.model")
	inputTokens = attribute.Key("gen_ai.usage.input_tokens")
	outTokens   = attribute.Key("gen_ai.usage.output_tokens")
	errorType   = attribute.Key("error.type")
)

// protocol is the provider of servers that speak the protocols of OpenAI, whoever they are.
const protocol = "openai"

// Run returns the middleware of the run's span.
func (t *Tracer) Run() agent.RunMiddleware {
	return func(next agent.RunHandler) agent.RunHandler {
		return func(ctx context.Context, run *agent.RunRequest) (agent.Result, error) {
			ctx, span := t.tracer.Start(ctx, "invoke_agent skills", trace.WithAttributes(
				operation.String("invoke_agent"), provider.String(protocol), modelName.String(run.Agent.Model()),
				attribute.String("gen_ai.agent.name", "skills"), attribute.String("gen_ai.agent.version", t.o.Version),
				attribute.String("gen_ai.conversation.id", cmp.Or(t.o.Session, t.o.RunID)),
			))
			defer span.End()
			result, err := next(ctx, run)
			usage(span, result.Usage)
			t.contents(span, "gen_ai.input.messages", []part{{Role: "user", Parts: text(run.Prompt)}})
			if result.Text != "" {
				t.contents(span, "gen_ai.output.messages", []part{{Role: "assistant", Parts: text(result.Text), Finish: "stop"}})
			}
			span.SetAttributes(attribute.String("skills.run.id", t.o.RunID), attribute.String("skills.run.status", string(result.Status)))
			t.fail(span, err, cmp.Or(result.Limit, string(result.Status)))
			return result, err
		}
	}
}

// Model returns the middleware of the spans of requests. It must be the outermost: then it
// sees a request as it was sent, and a reply as it was let through.
func (t *Tracer) Model() agent.ModelMiddleware {
	return func(next agent.ModelHandler) agent.ModelHandler {
		return func(ctx context.Context, call *agent.ModelCall) (agent.Reply, error) {
			ctx, span := t.tracer.Start(ctx, "chat "+call.Request.Model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
				operation.String("chat"), provider.String(protocol), modelName.String(call.Request.Model), attribute.Int("skills.turn", call.Turn),
			))
			defer span.End()
			span.SetAttributes(t.server()...)
			span.SetAttributes(parameters(call.Request.Params)...)
			reply, err := next(ctx, call)
			usage(span, reply.Usage)
			if reply.Finish != "" {
				span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{reply.Finish}))
			}
			if call.Request.Instructions != "" {
				t.contents(span, "gen_ai.system_instructions", text(call.Request.Instructions))
			}
			t.contents(span, "gen_ai.input.messages", messages(call.Request.Messages))
			if err == nil && !t.o.HideReplies {
				t.contents(span, "gen_ai.output.messages", messages([]agent.Message{{Role: agent.Assistant, Text: reply.Text, Calls: reply.Calls}}))
			}
			t.fail(span, err, "failed")
			return reply, err
		}
	}
}

// Call returns the middleware of the spans of tool calls.
func (t *Tracer) Call() agent.Middleware {
	return func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			ctx, span := t.tracer.Start(ctx, "execute_tool "+inv.Call.Name, trace.WithAttributes(
				operation.String("execute_tool"), attribute.String("gen_ai.tool.name", inv.Call.Name),
				attribute.String("gen_ai.tool.call.id", inv.Call.ID), attribute.String("gen_ai.tool.type", "function"),
			))
			defer span.End()
			if inv.Tool != nil {
				span.SetAttributes(attribute.String("gen_ai.tool.description", inv.Tool.Description))
			}
			result, err := next(ctx, inv)
			if target := inv.Summary(ctx).Target(); target != "" {
				span.SetAttributes(attribute.String("skills.action", inv.Summary(ctx).Kind+" "+target))
			}
			if t.content {
				span.SetAttributes(
					attribute.String("gen_ai.tool.call.arguments", t.o.Mask(string(inv.Arguments))),
					attribute.String("gen_ai.tool.call.result", t.o.Mask(result.Text)),
				)
			}
			failed := err
			if failed == nil && result.Failed {
				failed = errors.New("the call failed")
			}
			t.fail(span, failed, "tool_error")
			return result, err
		}
	}
}

// fail marks a span as failed; kind is a word for the kind of error.
func (t *Tracer) fail(span trace.Span, err error, kind string) {
	if err == nil {
		return
	}
	span.SetAttributes(errorType.String(kind))
	description := kind
	if t.content {
		description = t.o.Mask(err.Error())
	}
	span.SetStatus(codes.Error, description)
}

// server returns the address of the model's server.
func (t *Tracer) server() []attribute.KeyValue {
	u, err := url.Parse(t.o.BaseURL)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	out := []attribute.KeyValue{attribute.String("server.address", u.Hostname())}
	port, err := strconv.Atoi(u.Port())
	if err == nil {
		out = append(out, attribute.Int("server.port", port))
	}
	return out
}

func usage(span trace.Span, u *agent.Usage) {
	if u == nil {
		return
	}
	span.SetAttributes(inputTokens.Int64(u.InputTokens), outTokens.Int64(u.OutputTokens))
}

// parameters returns the parameters of a request that have an attribute.
func parameters(params agent.Params) (out []attribute.KeyValue) {
	const prefix = "gen_ai.request."
	for _, name := range []string{"temperature", "top_p", "presence_penalty", "frequency_penalty"} {
		var f float64
		if len(params[name]) > 0 && json.Unmarshal(params[name], &f) == nil {
			out = append(out, attribute.Float64(prefix+name, f))
		}
	}
	for name, key := range map[string]string{"max_tokens": "max_tokens", "max_completion_tokens": "max_tokens", "seed": "seed"} {
		var n int64
		if len(params[name]) > 0 && json.Unmarshal(params[name], &n) == nil {
			out = append(out, attribute.Int64(prefix+key, n))
		}
	}
	return out
}

// part is a message in the form of the conventions.
type part struct {
	Role   string           `json:"role"`
	Parts  []map[string]any `json:"parts"`
	Finish string           `json:"finish_reason,omitempty"`
}

func text(content string) []map[string]any {
	return []map[string]any{{"type": "text", "content": content}}
}

// messages returns messages in the form of the conventions.
func messages(in []agent.Message) (out []part) {
	for _, m := range in {
		p := part{Role: string(m.Role), Parts: []map[string]any{}}
		switch {
		case m.Role == agent.ToolRole:
			p.Parts = append(p.Parts, map[string]any{"type": "tool_call_response", "id": m.CallID, "response": m.Text})
		case m.Text != "":
			p.Parts = text(m.Text)
		}
		for _, c := range m.Calls {
			p.Parts = append(p.Parts, map[string]any{"type": "tool_call", "id": c.ID, "name": c.Name, "arguments": model.JSONArguments(c.Arguments)})
		}
		out = append(out, p)
	}
	return out
}

// contents sets an attribute with contents, if these are wanted.
func (t *Tracer) contents(span trace.Span, name string, value any) {
	if !t.content {
		return
	}
	text, err := json.Marshal(value)
	if err == nil {
		span.SetAttributes(attribute.String(name, t.o.Mask(string(text))))
	}
}
