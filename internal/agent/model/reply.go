package model

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
)

// Bounds of a reply. Models that lose their way write for ever; what a tool can
// use is far below.
const (
	maxText    = 8 << 20
	maxCalls   = 1024
	maxChoices = 128     // that are looked at; one is asked for
	maxTokens  = 1 << 40 // more than a reply can cost

	// deltaBytes is how much text is held back while more keeps coming: many
	// small chunks that come at once are few deltas.
	deltaBytes = 4 << 10
)

// ReadReply reads a reply, whole or as a stream of events. It returns an error
// for one that is not complete.
func ReadReply(r io.Reader) (Reply, error) {
	return (&replyReader{body: bufio.NewReader(r), delta: func(string) {}}).read()
}

// replyReader reads one reply of a server.
type replyReader struct {
	body     *bufio.Reader
	host     string
	delta    func(string) // receives the pieces of a streamed text
	timeouts *timeouts    // nil for none
}

// read reads a reply in the form it has, recognised by its first character and
// not by what the request asked for or the content type says: servers are wrong
// about both.
func (r *replyReader) read() (Reply, error) {
	first, err := r.skipSpace()
	switch {
	case errors.Is(err, io.EOF):
		return Reply{}, r.incomplete("the reply is empty")
	case err != nil:
		return Reply{}, r.broken(err)
	case first == '<':
		return Reply{}, &Error{
			Message: "the server at " + r.host + " answered with a web page instead of a reply",
			Hint:    "check the base URL: it usually ends in /v1; a proxy or a login page may be in between",
		}
	case first == '{' || first == '[':
		data, err := io.ReadAll(r.body)
		if err != nil {
			return Reply{}, r.broken(err)
		}
		a := newAccumulator(func(string) {})
		if err := r.add(&a, "", data); err != nil {
			return Reply{}, err
		}
		if !a.chosen {
			return Reply{}, r.incomplete("the reply contains no choices")
		}
		return r.complete(&a)
	}
	start, err := r.body.Peek(6)
	for _, field := range []string{"data", "event", ":", "id", "retry"} {
		if strings.HasPrefix(string(start), field) || err != nil && strings.HasPrefix(field, string(start)) {
			return r.stream()
		}
	}
	rest, err := io.ReadAll(io.LimitReader(r.body, maxServerText))
	if err != nil {
		return Reply{}, r.broken(err)
	}
	return Reply{}, r.unexpected("the reply is not JSON: " + clean(string(rest)))
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
	body := io.MultiReader(&lineReader{r.body}, strings.NewReader("\n\n"))
	events := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(body)})
	a := newAccumulator(r.delta)
	for events.Next() {
		event := events.Event()
		data := bytes.TrimSpace(event.Data)
		if len(data) == 0 {
			continue
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return r.complete(&a)
		}
		before, ended := a.size, a.finish != ""
		if err := r.add(&a, event.Type, data); err != nil {
			if ended {
				break // the answer was complete before
			}
			return Reply{}, err
		}
		if more := a.size > before; more || !ended {
			r.timeouts.onEvent(a.finish != "" && !(ended && more))
		}
		if a.text.Len()-a.shown >= deltaBytes || !r.buffered() {
			a.show(false)
		}
	}
	if a.finish != "" {
		return r.complete(&a)
	}
	a.show(true)
	if err := events.Err(); err != nil {
		return Reply{}, r.broken(err)
	}
	return Reply{}, r.incomplete("the stream ended early")
}

// add takes the data of an event, or a whole reply.
func (r *replyReader) add(a *accumulator, kind string, data []byte) error {
	if !json.Valid(data) {
		return r.incomplete("the reply contains something that is not valid JSON")
	}
	v := gjson.ParseBytes(data)
	if kind == "error" || v.IsArray() || isError(v) {
		return r.serverError(v)
	}
	if !v.IsObject() {
		return r.unexpected("the stream contains something other than a chat completion chunk")
	}
	a.add(v)
	switch {
	case a.text.Len()+a.refusal.Len()+a.reasoning.Len() > maxText:
		return r.excessive(fmt.Sprintf("more than %d bytes of text", maxText))
	case len(a.calls) > maxCalls:
		return r.excessive(fmt.Sprintf("more than %d tool calls", maxCalls))
	}
	return nil
}

// complete returns what was collected, or the error of a reply that the server
// says failed.
func (r *replyReader) complete(a *accumulator) (Reply, error) {
	out := a.reply()
	if classifyFinish(out.Finish, len(out.Calls)) == finishFailed {
		return Reply{}, r.incomplete(fmt.Sprintf("the server ended the reply with the reason %q", out.Finish))
	}
	return out, nil
}

// skipSpace skips a byte order mark and white space, and returns the first byte
// after it without consuming it.
func (r *replyReader) skipSpace() (byte, error) {
	for {
		c, err := r.body.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
		default:
			return c, r.body.UnreadByte()
		}
	}
}

// buffered reports whether the next line has come already.
func (r *replyReader) buffered() bool {
	data, err := r.body.Peek(r.body.Buffered())
	return err == nil && bytes.IndexByte(data, '\n') >= 0
}

// lineReader returns at most one line a Read, so that the decoder behind it
// does not take what it does not need yet.
type lineReader struct{ r *bufio.Reader }

func (l *lineReader) Read(p []byte) (int, error) {
	if _, err := l.r.Peek(1); err != nil {
		return 0, err
	}
	data, _ := l.r.Peek(min(len(p), l.r.Buffered()))
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i+1]
	}
	n := copy(p, data)
	_, err := l.r.Discard(n)
	return n, err
}

// isError reports whether there is an error in place of a reply. An error
// without words beside a reply is none.
func isError(v gjson.Result) bool {
	failure := v.Get("error")
	switch failure.Raw {
	case "", "null", "{}", `""`, "false":
		return false
	}
	return !v.Get("choices.0").Exists() || messageIn(failure, 0) != ""
}
