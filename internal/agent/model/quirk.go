package model

// Servers refuse requests for their form: a field that they do not know, a role, an order,
// a schema. Each such quirk is a row: the words with which servers refuse, and what is
// changed. A refused request is sent once more for each row whose words are in the answer
// and that changes the request. What was accepted is remembered for all further requests,
// and by the session, so that each quirk costs one retry only.
//
// The words are those that servers were seen to use; see docs/servers.md.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"

	"github.com/openai/openai-go/v3/option"

	"skills/internal/lazyregexp"
)

// quirk is a form of requests that a server refuses.
type quirk struct {
	name   string                // in sessions
	change string                // what is changed, after "sending again"
	words  func() *regexp.Regexp // in the answer, in lower case
	status func(status int) bool // nil for any that may be about the form
	adapt  func(Request) Request // nil if fields say it all
	fields func(*envelope)       // what is changed outside of the conversation; may be nil
	warn   string                // a warning in addition to the retry; may be ""
}

// envelope is how a request is sent, besides the conversation and its tools.
type envelope struct {
	api            string // [ChatAPI], [ResponsesAPI], or [AutoAPI] for chat that may change
	stream, usage  bool
	keyHeader      string // a header with the key in addition to the bearer token, or ""
	include, store bool   // fields of the Responses API
}

// adaptations is a set of rows of [quirks], by their index.
type adaptations uint64

func (a adaptations) has(row int) bool { return a&(1<<row) != 0 }

const noStreamText = "the server does not support streaming; requesting complete replies"

// quirks are all rows. The first one that fits is tried first.
var quirks = slices.Concat(formQuirks, responsesQuirks)

var formQuirks = []quirk{
	{
		name: "stream_options", change: "without stream_options",
		words:  lazyregexp.New(`stream_options|include_usage`),
		fields: func(e *envelope) { e.usage = false },
	},
	{
		name: "stream", change: "without streaming", warn: noStreamText,
		// All forms of the word, but not stream_options or upstream.
		words:  lazyregexp.New(`\bstream(s|ed|ing)?\b`),
		status: mayRefuseStream,
		fields: func(e *envelope) { e.stream, e.usage = false, false },
	},
	{
		name: "stream_with_tools", change: "without streaming", warn: noStreamText,
		words:  lazyregexp.New(`cannot use tools with stream|stream(ing)? (is )?not supported with tools`),
		fields: func(e *envelope) { e.stream, e.usage = false, false },
	},
	{
		name: "stream_status", change: "without streaming", warn: noStreamText,
		words:  lazyregexp.New(``),
		status: refusesStream,
		fields: func(e *envelope) { e.stream, e.usage = false, false },
	},
	{
		name: "key_header", change: "with the key in the header api-key",
		words:  lazyregexp.New(`subscription key|api[-_ ]key header|header.{0,20}api-key`),
		status: func(status int) bool { return status == http.StatusUnauthorized },
		fields: func(e *envelope) { e.keyHeader = "api-key" },
	},
	{
		name: "system", change: "with the system text in the first message",
		words: lazyregexp.New(`system role (is )?not supported|does not support 'system'|(system|developer) (message|role|prompt|instruction)s? (is |are )?not (supported|enabled|allowed)|` +
			`unexpected role '?system|only 'user' and 'assistant'|only user and assistant roles are supported`),
		adapt: withoutSystem,
	},
	{
		name: "images", change: "without the images that tools returned",
		words:  lazyregexp.New(`image|vision|multi-?modal|mmproj|content\b.{0,60}must be a string`),
		status: mayRefuseImages,
		adapt:  withoutImages,
	},
	{
		name: "single_calls", change: "with one tool call a message",
		words: lazyregexp.New(`single tool[- ]calls?|(multiple|parallel) (tool|function)[- ]calls? (is|are) not (supported|allowed)|(only )?one (tool|function)[- ]call (at a time|per|a message)|` +
			`multiple tool[- ]calls in (one|a single)`),
		adapt: withSingleCalls,
	},
	{
		name: "call_ids", change: "with short ids of tool calls",
		words: lazyregexp.New(`must be a-z, a-z, 0-9, with a length of 9|tool_calls\[\d+\]\.id|tool_call_id.{0,80}(too long|length|pattern)|tool_use\.id|invalid tool[ _]call[ _]id`),
		adapt: withShortIDs,
	},
	{
		name: "text_with_calls", change: "without the text beside tool calls",
		words: lazyregexp.New(`either content or tool_calls, but not both|both content and (thinking|tool_calls|tool calls)`),
		adapt: withoutTextBesideCalls,
	},
	{
		name: "result_names", change: "with the tools' names in their results",
		words: lazyregexp.New(`function_response\.name|name cannot be empty|tool messages?.{0,40}(need|require|must have).{0,20}name`),
		adapt: func(r Request) Request { r.wire.names = true; return r },
	},
	{
		name: "empty_content", change: "without empty content",
		words: lazyregexp.New(`content blocks? must be non-empty|\bcontent\b.{0,60}(must not|cannot|can't|should not) be (empty|an empty)|non-empty content|` +
			`contentblock object.{0,60}is blank|content is empty|empty (text )?content`),
		adapt: func(r Request) Request { r.wire.noEmpty = true; return r },
	},
	{
		name: "reasoning_content", change: "with reasoning_content in each message with tool calls",
		words: lazyregexp.New(`missing .?reasoning_content|reasoning_content.{0,60}(is missing|is required|must be (passed|sent|provided))`),
		adapt: func(r Request) Request { r.wire.reasoning = true; return r },
	},
	{
		name: "thought_signature", change: "with a placeholder for missing thought signatures",
		words: lazyregexp.New(`missing .{0,10}thought_signature`),
		adapt: withSignatures,
	},
	{
		name: "no_reasoning", change: "without the reasoning of earlier replies",
		words: lazyregexp.New(`\b(reasoning|reasoning_content|reasoning_details|thinking|extra_content|thought_signature)\b.{0,120}(unsupported|not (supported|permitted|allowed)|forbidden|unknown|unexpected|unrecognized)|` +
			`(forbidden|not permitted|unknown|unexpected|unrecognized|additional propert|unsupported).{0,120}\b(reasoning|reasoning_content|reasoning_details|thinking|extra_content)\b`),
		adapt: withoutReasoning,
	},
	{
		name: "tools_required", change: "with the tools, and without a choice of them",
		words: lazyregexp.New(`toolconfig field must be defined|expects the .?tools=?.? param|requests? which include .?tool_use.? or .?tool_result.? blocks must define tools`),
		adapt: withWithheldTools,
	},
	{
		name: "tool_names", change: "with names of tools in English letters",
		words: lazyregexp.New(`function\.name|\.name\b.{0,80}(pattern|match)|invalid (function|tool) name|(function|tool) names? .{0,60}(must|invalid|pattern|only|can only|should)`),
		adapt: withPlainNames,
	},
	{
		name: "schemas", change: "with plainer schemas of the tools",
		words: lazyregexp.New(`additionalproperties|unrecognized schema|schema conversion failed|failed to parse tools|invalid (json )?schema|schema.{0,60}(type field|missing field|type must)|` +
			`function_declarations|input_schema|\bjson schema\b|invalid tool|\btools?[.\[]\d|anyof|oneof|allof`),
		adapt: withBasicSchemas,
	},
	{
		name: "json_schema", change: "with JSON that no schema describes",
		words: lazyregexp.New(`response_format|json_schema|json schema|structured output|grammar|guided`),
		adapt: withoutAnswerSchema,
	},
	{
		name: "response_format", change: "without response_format",
		words: lazyregexp.New(`response_format|json_schema|json mode|json_object|response mime type`),
		adapt: without("response_format"),
	},
	{
		name: "parallel_tool_calls", change: "without parallel_tool_calls",
		words: lazyregexp.New(`parallel_tool_calls|parallel tool calls`),
		adapt: without("parallel_tool_calls"),
	},
	{
		name: "max_completion_tokens", change: "with max_completion_tokens instead of max_tokens",
		words: lazyregexp.New(`\bmax_tokens\b.{0,120}max_completion_tokens`),
		adapt: renamed("max_tokens", "max_completion_tokens"),
	},
	{
		name: "max_tokens", change: "with max_tokens instead of max_completion_tokens",
		words: lazyregexp.New(`max_completion_tokens`),
		adapt: renamed("max_completion_tokens", "max_tokens"),
	},
	{
		name: "temperature", change: "without temperature",
		words: lazyregexp.New(`\btemperature\b.{0,120}(unsupported|not support|deprecated|cannot|only the default)|unsupported.{0,40}\btemperature\b`),
		adapt: without("temperature"),
	},
	{
		name: "top_p", change: "without top_p",
		words: lazyregexp.New(`\btop_p\b.{0,120}(unsupported|not support|deprecated|cannot|only the default)|unsupported.{0,40}\btop_p\b`),
		adapt: without("top_p"),
	},
}

// mayBeForm reports whether a status may be about the form of a request; 0 is an error in
// a stream.
func mayBeForm(status int) bool {
	return status == 0 || isRefusal(status) || status >= http.StatusInternalServerError
}

// mayRefuseStream reports whether a status may be about streaming, if the answer says so.
func mayRefuseStream(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity}, status)
}

// refusesStream reports whether a status alone is about streaming.
func refusesStream(status int) bool {
	return slices.Contains([]int{http.StatusNotAcceptable, http.StatusUnsupportedMediaType, http.StatusNotImplemented}, status)
}

// refused reports whether an error has the words of the quirk.
func (q quirk) refused(e *Error) bool {
	isStatus := mayBeForm
	if q.status != nil {
		isStatus = q.status
	}
	return isStatus(e.Status) && !e.FullContext && q.words().MatchString(e.lower())
}

// apply changes a request and its form for the rows of a set.
func (a adaptations) apply(r Request, e envelope) (Request, envelope) {
	for i, q := range quirks {
		if a.has(i) && q.adapt != nil {
			r = q.adapt(r)
		}
		if a.has(i) && q.fields != nil {
			q.fields(&e)
		}
	}
	return r, e
}

// next returns the row whose change a server may accept that refused a request; tried are
// the rows that were changed before. ok is false if there is none.
func (c *Client) next(r Request, e *Error, tried adaptations) (row int, ok bool) {
	r = r.encoded()
	for i, q := range quirks {
		if !tried.has(i) && q.refused(e) && c.differs(r, tried, tried|1<<i) {
			return i, true
		}
	}
	return 0, false
}

// differs reports whether a request differs with other adaptations.
func (c *Client) differs(r Request, one, other adaptations) bool {
	first, firstEnvelope := one.apply(r, c.envelope())
	second, secondEnvelope := other.apply(r, c.envelope())
	return firstEnvelope != secondEnvelope || !bytes.Equal(bodyOf(first, firstEnvelope), bodyOf(second, secondEnvelope))
}

// bodyOf returns the body of a request, to be compared.
func bodyOf(r Request, e envelope) []byte {
	raw, fields := e.body(r)
	var body any
	_ = json.Unmarshal(raw, &body)
	raw, _ = json.Marshal(body) // the library writes fields of its own in any order
	for _, f := range fields {
		raw = append(append(raw, f.path...), f.value...)
	}
	return raw
}

// envelope returns how requests are sent without adaptations.
func (c *Client) envelope() envelope {
	e := envelope{api: cmp.Or(c.options.API, AutoAPI), stream: !c.options.NoStream, usage: !c.options.NoStream}
	if e.api == ResponsesAPI {
		overResponses(&e)
	}
	return e
}

// options returns the headers for the library.
func (e envelope) options(key string) (out []option.RequestOption) {
	if e.stream {
		out = append(out, option.WithHeader("Accept", "text/event-stream"))
	}
	if e.keyHeader != "" && key != "" {
		out = append(out, option.WithHeader(e.keyHeader, key))
	}
	return out
}

// Quirks returns the names of what the server was found to refuse.
func (c *Client) Quirks() (names []string) {
	known := adaptations(c.adapted.Load())
	for i, q := range quirks {
		if known.has(i) {
			names = append(names, q.name)
		}
	}
	return names
}

// Remember adapts further requests to what the server refused before. Unknown names are
// ignored.
func (c *Client) Remember(names []string) {
	for i, q := range quirks {
		if slices.Contains(names, q.name) {
			c.adapted.Or(1 << i)
		}
	}
}
