package openaitest

// A scripted reply is sent as one body or as an event stream, whichever the request asks
// for, with the quirks of servers that deviate from the reference.

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// write sends the reply in the requested form.
func (p Reply) write(w http.ResponseWriter, r *http.Request, request Request) {
	switch {
	case p.Drop:
		panic(http.ErrAbortHandler)
	case p.Silent:
		<-r.Context().Done()
		return
	case p.NoStreamOptions && request.StreamOptions:
		p = failure(http.StatusBadRequest, "Unrecognized request argument supplied: stream_options")
	}
	if p.Repeat > 0 {
		p.Text = strings.Repeat(p.Text, p.Repeat)
	}
	pieces, kind := p.body(request)
	w.Header().Set("Content-Type", kind)
	for name, value := range p.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(cmp.Or(p.Status, http.StatusOK))
	send := func(text string) {
		_, _ = w.Write([]byte(text))
		_ = http.NewResponseController(w).Flush()
	}
	if body := strings.Join(pieces, ""); p.Cut > 0 && p.Cut < len(body) {
		send(body[:p.Cut])
		panic(http.ErrAbortHandler)
	}
	for i, piece := range pieces {
		send(piece)
		// The first piece contains the role, the second the start of the text.
		if i == 1 && p.Stall {
			<-r.Context().Done()
		}
		if i == 1 && !wait(r, p.Hold) {
			return
		}
	}
}

// Stream returns the reply as an event stream with usage.
func (p Reply) Stream(model string) string {
	pieces, _ := p.body(Request{Stream: true, StreamOptions: true, Model: model})
	return strings.Join(pieces, "")
}

// Completion returns the reply as one JSON body.
func (p Reply) Completion(model string) string {
	pieces, _ := p.body(Request{Model: model})
	return strings.Join(pieces, "")
}

// body returns the pieces to send the body in, and its content type.
func (p Reply) body(request Request) (pieces []string, kind string) {
	switch {
	case p.SSE != "":
		return []string{p.SSE}, "text/event-stream"
	case strings.HasPrefix(strings.TrimSpace(p.Body), "<"):
		return []string{p.Body}, "text/html; charset=utf-8"
	case p.Body != "":
		return []string{p.Body}, "application/json"
	case p.Status >= 400:
		content := map[string]any{"message": p.Text, "type": "test_error", "code": nil, "param": nil}
		return []string{encode(map[string]any{"error": content})}, "application/json"
	case request.Responses && request.Stream && !p.JSONForStream:
		return p.responseEvents(request), "text/event-stream"
	case request.Responses:
		return []string{encode(p.response(request, "completed", p.output(request)))}, "application/json"
	case request.Stream && !p.JSONForStream:
		return p.events(request), "text/event-stream"
	}
	return []string{encode(p.completion(request))}, "application/json"
}

// completion returns the body of a reply that is not streamed.
func (p Reply) completion(request Request) map[string]any {
	message := map[string]any{"role": "assistant", "content": p.Text, "refusal": nil}
	if p.Text == "" && (p.NullContent || len(p.Calls) > 0) {
		message["content"] = nil
	}
	if p.Reasoning != "" {
		message["reasoning_content"] = p.Reasoning
	}
	var calls []any
	for _, c := range p.Calls {
		calls = append(calls, p.call(c, c.Arguments, true))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := p.object(request, "chat.completion", map[string]any{"index": 0, "message": message, "finish_reason": p.finish()})
	if p.Usage != nil {
		out["usage"] = p.usage()
	}
	return out
}

// object returns what a body and each chunk of a stream consist of.
func (p Reply) object(request Request, kind string, choices ...map[string]any) map[string]any {
	out := map[string]any{
		"id": "chatcmpl-test", "object": kind, "created": 1, "model": request.Model, "choices": slices.Concat([]map[string]any{}, choices),
	}
	if p.NullError {
		out["error"] = nil
	}
	return out
}

// call returns a call, or a fragment of one, with its name and id if head is true.
func (p Reply) call(c Call, arguments string, head bool) map[string]any {
	function := map[string]any{"arguments": arguments}
	if p.ObjectArguments && json.Valid([]byte(arguments)) {
		function["arguments"] = json.RawMessage(arguments)
	}
	call := map[string]any{"function": function}
	if head {
		function["name"] = c.Name
		if c.Extra != "" {
			call["extra_content"] = json.RawMessage(c.Extra)
		}
		if !p.NoIDs {
			call["id"] = c.ID
		}
		call["type"] = "function"
	}
	return call
}

// finish returns the finish reason, or nil.
func (p Reply) finish() any {
	switch {
	case p.Finish == "none":
		return nil
	case len(p.Calls) > 0:
		return cmp.Or(p.Finish, "tool_calls")
	}
	return cmp.Or(p.Finish, "stop")
}

func (p Reply) usage() map[string]any {
	usage := map[string]any{
		"prompt_tokens": p.Usage.Input, "completion_tokens": p.Usage.Output,
		"total_tokens": p.Usage.Input + p.Usage.Output,
	}
	if n := p.Usage.Cached; n != 0 {
		usage["prompt_tokens_details"] = map[string]any{"cached_tokens": n}
	}
	if n := p.Usage.Reasoning; n != 0 {
		usage["completion_tokens_details"] = map[string]any{"reasoning_tokens": n}
	}
	return usage
}

// encode returns v as JSON; v must be encodable.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("openaitest: encoding a reply: " + err.Error())
	}
	return string(data)
}

// pieceRunes is the number of characters of arguments per fragment.
const pieceRunes = 6

// events returns the reply as encoded events of a stream.
func (p Reply) events(request Request) []string {
	var out []string
	event := func(data string) {
		end := "\n"
		if p.CRLF {
			end = "\r\n"
		}
		text := "data: " + data + end + end
		if p.KeepAlive {
			text = ": keep-alive" + end + end + text
		}
		out = append(out, text)
	}
	const kind = "chat.completion.chunk"
	chunk := func(delta map[string]any, finish any) {
		event(encode(p.object(request, kind, map[string]any{"index": 0, "delta": delta, "finish_reason": finish})))
	}

	first := map[string]any{"role": "assistant", "content": ""}
	if p.NullContent || len(p.Calls) > 0 {
		first["content"] = nil
	}
	chunk(first, nil)
	for _, piece := range words(p.Reasoning) {
		chunk(map[string]any{"reasoning_content": piece}, nil)
	}
	pieces := p.Pieces
	if pieces == nil {
		pieces = words(p.Text)
	}
	for _, piece := range pieces {
		chunk(map[string]any{"content": piece}, nil)
	}
	for i, c := range p.Calls {
		for _, fragment := range p.fragments(i, c) {
			chunk(map[string]any{"tool_calls": []any{fragment}}, nil)
		}
	}
	if finish := p.finish(); finish != nil {
		chunk(map[string]any{}, finish)
	}
	if p.Usage != nil && request.StreamOptions {
		last := p.object(request, kind)
		last["usage"] = p.usage()
		delete(last, "id") // some servers omit it
		event(encode(last))
	}
	if !p.NoDone {
		event("[DONE]")
	}
	return out
}

// words splits a text after its spaces; an empty one has none.
func words(text string) []string {
	return slices.DeleteFunc(strings.SplitAfter(text, " "), func(word string) bool { return word == "" })
}

func (p Reply) fragments(position int, c Call) []map[string]any {
	parts := []string{c.Arguments}
	if !p.ObjectArguments && !p.WholeCalls && c.Arguments != "" {
		parts = []string{""} // the name comes first, alone
		for piece := range slices.Chunk([]rune(c.Arguments), pieceRunes) {
			parts = append(parts, string(piece))
		}
	}
	var out []map[string]any
	for i, part := range parts {
		fragment := p.call(c, part, i == 0 || p.RepeatName)
		switch {
		case p.NoIndex:
		case p.IndexGaps:
			fragment["index"] = 3 + 7*position
		case p.SameIndex:
			fragment["index"] = 0
		default:
			fragment["index"] = position
		}
		out = append(out, fragment)
	}
	return out
}
