package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"
)

// maxCalls is the most calls of a reply: lost models write for ever.
const maxCalls = 1024

// ReadReply reads a reply, whole or as a stream; an incomplete one is an error.
func ReadReply(r io.Reader) (Reply, error) {
	return newReplyReader(r, "", func(string) {}, func(bool) {}).read()
}

type replyReader struct {
	body    *bufio.Reader
	host    string
	onEvent func(complete bool)
	reply   accumulator
}

// newReplyReader returns the reader of a body. delta receives the pieces of a
// text that is streamed; onEvent is called for every event that brings something,
// and learns whether the reply is complete with it.
func newReplyReader(body io.Reader, host string, delta func(string), onEvent func(complete bool)) *replyReader {
	return &replyReader{body: bufio.NewReaderSize(body, 16<<10), host: host, onEvent: onEvent, reply: accumulator{delta: delta}}
}

var streamStart = regexp.MustCompile(`^(data|event|id|retry)?:`)

// read reads a reply in the form that its first characters show: what the request asked for
// and the content type are often wrong.
func (r *replyReader) read() (Reply, error) {
	first, err := r.skipSpace()
	switch {
	case errors.Is(err, io.EOF):
		return Reply{}, r.incomplete("the reply is empty")
	case err != nil:
		return Reply{}, r.broken(err)
	case first == '<':
		return Reply{}, r.unexpected("it sent a web page")
	case first == '{' || first == '[':
		return r.whole()
	}
	if start, err := r.body.Peek(6); err != nil || streamStart.Match(start) {
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
	r.reply.delta = func(string) {}
	if err := r.add("", data); err != nil {
		return Reply{}, err
	}
	if !gjson.GetBytes(data, "choices.0").IsObject() {
		return Reply{}, r.incomplete("the reply contains no choices")
	}
	return r.complete()
}

// stream reads server-sent events. The library's stream type and accumulator
// take a stream that was cut for a complete one, an "error": null for an error,
// drop chunks whose id differs and merge calls without an index; so only its
// decoder is used.
//
// A stream is complete when a reason for its end came, or [DONE]. Everything
// else is an error, never an answer.
func (r *replyReader) stream() (Reply, error) {
	// A last event without an empty line after it counts.
	body := io.MultiReader(r.body, strings.NewReader("\n\n"))
	events := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(body)})
	for events.Next() {
		event := events.Event()
		data := bytes.TrimSpace(event.Data)
		if len(data) == 0 {
			continue
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return r.complete()
		}
		before, ended := r.reply.size, r.reply.finish != ""
		if err := r.add(event.Type, data); err != nil {
			if ended {
				break // the answer was complete before
			}
			return Reply{}, err
		}
		if more := r.reply.size > before; more || !ended {
			r.onEvent(r.reply.finish != "" && !ended)
		}
	}
	if r.reply.finish != "" {
		return r.complete()
	}
	if err := events.Err(); err != nil {
		return Reply{}, r.broken(err)
	}
	return Reply{}, r.incomplete("the stream ended early")
}

// add takes the data of an event, or a whole reply.
func (r *replyReader) add(kind string, data []byte) error {
	if !gjson.ValidBytes(data) {
		return r.incomplete("the reply contains something that is not valid JSON")
	}
	v := gjson.ParseBytes(data)
	if kind == "error" || v.IsArray() || isError(v) {
		return r.serverError(v)
	}
	if !v.IsObject() {
		return r.unexpected("the stream contains something other than a chat completion chunk")
	}
	if r.reply.add(v); len(r.reply.calls) > maxCalls {
		return &Error{
			Message: fmt.Sprintf("the reply of the server at %s contains more than %d tool calls", r.host, maxCalls),
			Hint:    "the model repeats itself: ask for less at once, or choose another with -m",
		}
	}
	return nil
}

// complete returns what was collected, unless the server says it failed.
func (r *replyReader) complete() (Reply, error) {
	out := r.reply.reply()
	if classifyFinish(out.Finish, len(out.Calls)) == finishFailed {
		return Reply{}, r.incomplete(fmt.Sprintf("the server ended the reply with the reason %q", out.Finish))
	}
	return out, nil
}

// skipSpace skips white space and returns the first byte without consuming it.
func (r *replyReader) skipSpace() (byte, error) {
	for {
		c, err := r.body.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n\ufeff", c) < 0 {
			return c, r.body.UnreadByte()
		}
	}
}

// finish is what a server's reason for the end of a reply says about it.
type finish int

const (
	finishComplete  finish = iota // the model had said what it wanted
	finishTruncated               // the reply is not whole, and another attempt would not make it so
	finishFailed                  // the server failed, and may do better the next time
)

// classifyFinish reads a reason. The protocol has five; servers send those of
// the models behind them too. An unknown reason counts as truncated: an answer
// that is not whole must not look like one.
func classifyFinish(reason string, calls int) finish {
	switch strings.ToLower(reason) {
	case "", "stop", "end_turn", "stop_sequence", "stop_token", "eos", "eos_token", "end", "done", "complete", "completed", "finished":
		return finishComplete
	case "tool_calls", "tool_call", "tool_use", "function_call":
		if calls > 0 {
			return finishComplete
		}
	case "error", "failed", "abort", "aborted", "cancelled", "canceled", "timeout", "overloaded",
		"insufficient_system_resource", "malformed_function_call", "unexpected_tool_call":
		return finishFailed
	}
	return finishTruncated
}

// Truncated reports whether the server ended the reply before it was whole.
func (r Reply) Truncated() bool { return classifyFinish(r.Finish, len(r.Calls)) == finishTruncated }

// FinishReason says, after a colon, why a reply was truncated; "" where it was not.
func (r Reply) FinishReason() string {
	if classifyFinish(r.Finish, len(r.Calls)) == finishComplete {
		return ""
	}
	switch strings.ToLower(r.Finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return ": the server's limit on its length was reached"
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal":
		return ": the server's content filter stopped it"
	case "tool_calls", "tool_call", "tool_use", "function_call":
		return ": it announces tool calls but contains none"
	}
	return fmt.Sprintf(": the server gives the reason %q", r.Finish)
}
