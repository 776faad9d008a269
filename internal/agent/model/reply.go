package model

import (
	"bufio"
	"bytes"
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
	return newReplyReader(r, "", func(string) {}, func(bool) {}).read()
}

type replyReader struct {
	body    *bufio.Reader
	host    string
	onEvent func(complete bool)
	reply   accumulator
}

// newReplyReader returns the reader of a body. delta receives the pieces of a
// streamed text; onEvent is called for every event with content, and whether
// the reply is then complete.
func newReplyReader(body io.Reader, host string, delta func(string), onEvent func(complete bool)) *replyReader {
	return &replyReader{body: bufio.NewReaderSize(body, 16<<10), host: host, onEvent: onEvent, reply: accumulator{delta: delta}}
}

var streamStart = lazyregexp.New(`^(data|event|id|retry)?:`)

// read reads a reply in the format of its first characters, because servers
// often ignore the requested format and send a wrong content type.
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
	r.reply.delta = func(string) {}
	if err := r.add("", data); err != nil {
		return Reply{}, err
	}
	if !gjson.GetBytes(data, "choices.0").IsObject() {
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
				break // the answer was already complete
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

// add adds the data of an event, or a complete reply.
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

// complete returns the collected reply, unless the server reported a failure.
func (r *replyReader) complete() (Reply, error) {
	out := r.reply.reply()
	if classifyFinish(out.Finish, len(out.Calls)) == finishFailed {
		return Reply{}, r.incomplete(fmt.Sprintf("the server ended the reply with the reason %q", out.Finish))
	}
	return out, nil
}

// skipSpace skips white space and returns the next byte without consuming it.
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

// finish classifies a server's finish reason.
type finish int

const (
	finishComplete  finish = iota // the reply is complete
	finishTruncated               // the reply is truncated, and a retry would be too
	finishFailed                  // the server failed, and a retry may succeed
)

// classifyFinish classifies a finish reason. The protocol has five; servers
// also send those of their models. An unknown reason counts as truncated, so
// that an incomplete answer does not look complete.
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

// Truncated reports whether the server ended the reply early.
func (r Reply) Truncated() bool { return classifyFinish(r.Finish, len(r.Calls)) == finishTruncated }

// FinishReason returns why a reply was truncated, after a colon, or "".
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
