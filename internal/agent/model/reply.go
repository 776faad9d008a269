package model

// Replies are read in the form in which they come, whatever was asked for. A reply is
// complete only if the server said so: a stream that was cut must not look like an answer.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"

	"skills/internal/lazyregexp"
)

// maxCalls is the maximum number of calls in a reply: a failing model may not
// stop.
const maxCalls = 1024

// ReadReply reads a reply, complete or streamed; an incomplete one is an error.
func ReadReply(r io.Reader) (Reply, error) {
	return (&replyReader{onEvent: func(bool) {}}).read(r)
}

// replyReader collects the chunks of a streamed reply, or a complete one. It ignores fields
// of the wrong type.
type replyReader struct {
	host, model string
	address     string              // what to check of the base URL if this is no reply; "" is the usual hint
	api         string              // name of the protocol, "" for chat completions
	observer    Observer            // receives the pieces of a stream
	onEvent     func(complete bool) // called for every event with content

	body  *bufio.Reader
	text  strings.Builder
	size  int // size of the content, to detect events that add something
	calls []*callBuilder

	response *responseReader // nil unless the reply is of the Responses API
	inputCounts
	finish string

	thoughts
	pieces
}

// thoughts are what the model thought.
type thoughts struct {
	reasoning      strings.Builder
	reasoningField string // where it is from, see [Message]
	reported       int    // bytes of it that were reported
	think          thinkSplitter
	unopened       bool // whether it had no opening tag
	fields         map[string]*fieldBuilder
}

// pieces is what is known of the pieces of a stream.
type pieces struct {
	streamed bool
	tokens   int64 // of the pieces, estimated
	loops    struct{ text, reasoning, arguments loop }
	looping  string // what is repeated without end, or ""
}

// inputCounts are the server's counts of tokens, see [Reply].
type inputCounts struct {
	usage *Usage
	apart int64
}

var streamStart = lazyregexp.New(`^(data|event|id|retry)?:`)

// read reads a reply in the format of its first characters, because servers
// often ignore the requested format and send a wrong content type.
func (r *replyReader) read(body io.Reader) (Reply, error) {
	r.body = bufio.NewReaderSize(body, 16<<10)
	first, err := r.body.ReadByte()
	for err == nil && strings.IndexByte(" \t\r\n\ufeff", first) >= 0 {
		first, err = r.body.ReadByte()
	}
	if err == nil {
		err = r.body.UnreadByte()
	}
	switch {
	case errors.Is(err, io.EOF):
		return Reply{}, r.incomplete("the reply is empty")
	case err != nil:
		return Reply{}, r.broken(err)
	case first == '<':
		return Reply{}, r.unexpected("it sent an HTML page")
	case first == '{' || first == '[':
		return r.whole()
	}
	if start, err := r.body.Peek(6); err != nil || streamStart().Match(start) {
		return r.stream()
	}
	rest, err := io.ReadAll(io.LimitReader(r.body, maxServerText))
	if err != nil {
		return Reply{}, r.broken(err)
	}
	return Reply{}, r.unexpected("the reply is not JSON: " + clean(string(rest)))
}

// whole reads a reply that is not streamed.
func (r *replyReader) whole() (Reply, error) {
	data, err := io.ReadAll(r.body)
	if err != nil {
		return Reply{}, r.broken(err)
	}
	if err := r.add("", data); err != nil {
		return Reply{}, err
	}
	if r.response == nil && !gjson.GetBytes(data, "choices.0").IsObject() {
		return Reply{}, r.incomplete("the reply contains no choices")
	}
	return r.complete()
}

// stream reads server-sent events. It uses only the library's decoder, because
// its stream type and accumulator accept a truncated stream as complete, treat
// "error": null as an error, drop chunks with another id and merge calls
// without an index.
//
// A stream is complete after a finish reason or [DONE]. Everything else is an
// error.
func (r *replyReader) stream() (Reply, error) {
	// Accept a last event without an empty line after it.
	body := io.MultiReader(r.body, strings.NewReader("\n\n"))
	events := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(body)})
	r.streamed = true
	for events.Next() {
		event := events.Event()
		data := bytes.TrimSpace(event.Data)
		if len(data) == 0 {
			continue
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return r.complete()
		}
		before, ended := r.size, r.finish != ""
		if err := r.add(event.Type, data); err != nil {
			if ended {
				break // the answer was already complete
			}
			return Reply{}, err
		}
		if r.looping != "" {
			return Reply{}, r.endless()
		}
		if more := r.size > before; more || !ended {
			r.onEvent(r.finish != "" && !ended)
		}
	}
	if r.finish != "" {
		return r.complete()
	}
	if err := events.Err(); err != nil {
		return Reply{}, r.broken(err)
	}
	return Reply{}, r.incomplete("the stream ended early")
}

// add adds the data of an event, or a complete reply.
func (r *replyReader) add(kind string, data []byte) error {
	if !json.Valid(data) { // unlike gjson.ValidBytes it limits the depth, and so the stack
		return r.incomplete("the reply contains something that is not valid JSON")
	}
	v := gjson.ParseBytes(data)
	switch {
	case isResponses(kind, v):
		if r.response == nil {
			r.response = &responseReader{reply: r}
		}
		if err := r.response.addEvent(kind, v); err != nil {
			return err
		}
	case eventType(kind, v) == "error" && v.Get("code").Exists():
		return r.responseError(v)
	case eventType(kind, v) == "error" || v.IsArray() || isError(v):
		return r.serverError(v)
	case !v.IsObject():
		return r.unexpected("the stream contains something other than a part of a reply")
	default:
		r.addChunk(v)
	}
	if len(r.calls) > maxCalls || r.response.tooMany() {
		return &Error{
			Message: fmt.Sprintf("the reply of the server at %s contains more than %d tool calls", r.host, maxCalls),
			Hint:    "the model repeats itself: ask for less at once, or choose another with -m",
		}
	}
	return nil
}

// complete returns the collected reply, unless the server reported a failure.
func (r *replyReader) complete() (Reply, error) {
	if r.response != nil && r.finish == "" { // also if the stream was ended in the way of the other protocol
		return Reply{}, r.incomplete("the stream ended early")
	}
	out := Reply{Usage: r.usage, Apart: r.apart, Finish: r.finish, Items: r.response.order()}
	for _, b := range r.calls {
		out.Calls = append(out.Calls, b.call())
	}
	if failed, _ := out.classify(); failed {
		return Reply{}, r.incomplete(fmt.Sprintf("the server ended the reply with the reason %q", out.Finish))
	}
	r.keepText(r.split(r.think.end(out.Truncated())))
	out.Text = r.text.String()
	if !r.think.found && r.reasoning.Len() == 0 {
		reasoning, text, tag, ok := splitUnopened(out.Text)
		if ok {
			r.keepThought(reasoning, thinkTags[tag].open)
			out.Text, r.unopened, r.think.tag = text, true, tag
		}
	}
	r.reportReasoning(r.unopened)
	out.Reasoning, out.ReasoningField, out.Fields = r.reasoning.String(), r.reasoningField, r.kept()
	if strings.TrimSpace(out.Reasoning) == "" {
		out.Reasoning, out.ReasoningField = "", ""
	}
	if out.ReasoningField == defaultReasoning {
		out.ReasoningField = ""
	}
	return out, nil
}

// classify returns whether the server failed, so that a retry may succeed, and why the
// reply is not complete, after a colon, or "". The protocol has five reasons; servers also
// send those of their models. An unknown reason counts as truncated, so that an incomplete
// answer does not look complete.
func (r Reply) classify() (failed bool, why string) {
	switch strings.ToLower(r.Finish) {
	case "", "stop", "end_turn", "stop_sequence", "stop_token", "eos", "eos_token", "end", "done", "complete", "completed", "finished":
		return false, ""
	case "tool_calls", "tool_call", "tool_use", "function_call":
		if len(r.Calls) > 0 {
			return false, ""
		}
		return false, ": it announces tool calls but contains none"
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return false, ": the server's limit on its length was reached"
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal":
		return false, ": the server's content filter stopped it"
	case "error", "failed", "abort", "aborted", "cancelled", "canceled", "timeout", "overloaded",
		"insufficient_system_resource", "malformed_function_call", "unexpected_tool_call":
		failed = true
	}
	return failed, fmt.Sprintf(": the server gives the reason %q", r.Finish)
}

// FinishReason returns why a reply is not complete, after a colon, or "".
func (r Reply) FinishReason() string {
	_, why := r.classify()
	return why
}

// Truncated reports whether the server ended the reply early, as it would end a retry.
func (r Reply) Truncated() bool {
	failed, why := r.classify()
	return !failed && why != ""
}
