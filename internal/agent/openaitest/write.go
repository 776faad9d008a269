package openaitest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// write sends the reply in the requested form.
func (p Reply) write(w http.ResponseWriter, r *http.Request, request Request) {
	if p.Drop {
		panic(http.ErrAbortHandler)
	}
	if p.Silent {
		<-r.Context().Done()
		return
	}
	if p.NoStreamOptions && request.StreamOptions {
		writeError(w, http.StatusBadRequest, "Unrecognized request argument supplied: stream_options")
		return
	}
	status := cmp.Or(p.Status, http.StatusOK)
	body, pieces, kind := p.body(status, request)
	w.Header().Set("Content-Type", kind)
	for name, value := range p.Headers {
		w.Header().Set(name, value)
	}
	if p.Cut > 0 && p.Cut < len(body) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body[:p.Cut]))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	for i, piece := range pieces {
		_, _ = w.Write([]byte(piece))
		_ = http.NewResponseController(w).Flush()
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
	body, _, _ := p.body(http.StatusOK, Request{Stream: true, StreamOptions: true, Model: model})
	return body
}

// Completion returns the reply as one JSON body.
func (p Reply) Completion(model string) string {
	body, _, _ := p.body(http.StatusOK, Request{Model: model})
	return body
}

// body returns the complete body, the pieces to send it in, and its content
// type.
func (p Reply) body(status int, request Request) (body string, pieces []string, kind string) {
	switch {
	case p.SSE != "":
		return p.SSE, []string{p.SSE}, "text/event-stream"
	case p.Body != "":
		kind = "application/json"
		if strings.HasPrefix(strings.TrimSpace(p.Body), "<") {
			kind = "text/html; charset=utf-8"
		}
		return p.Body, []string{p.Body}, kind
	case status >= 400:
		body = errorBody(p.Text)
	case request.Stream && !p.JSONForStream:
		pieces = p.events(request)
		return strings.Join(pieces, ""), pieces, "text/event-stream"
	default:
		body = p.completion(request)
	}
	return body, []string{body}, "application/json"
}

// completion returns the body of a reply that is not streamed.
func (p Reply) completion(request Request) string {
	message := map[string]any{"role": "assistant", "content": p.Text, "refusal": nil}
	if p.Text == "" && (p.NullContent || len(p.Calls) > 0) {
		message["content"] = nil
	}
	if p.Reasoning != "" {
		message["reasoning_content"] = p.Reasoning
	}
	if len(p.Calls) > 0 {
		calls := make([]any, len(p.Calls))
		for i, c := range p.Calls {
			calls[i] = p.call(c, c.Arguments, true)
		}
		message["tool_calls"] = calls
	}
	out := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "created": 1, "model": request.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": p.finish()}},
	}
	if p.Usage != nil {
		out["usage"] = p.usage()
	}
	if p.NullError {
		out["error"] = nil
	}
	return encode(out)
}

// call returns a call, or a fragment of one; head is true for the first
// fragment.
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
	case p.Finish != "":
		return p.Finish
	case len(p.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
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

func errorBody(message string) string {
	return encode(map[string]any{"error": map[string]any{
		"message": message, "type": "test_error", "code": nil, "param": nil,
	}})
}

func writeError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(errorBody(message)))
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
	chunk := func(delta map[string]any, finish any) {
		event(encode(p.chunk(request, []any{
			map[string]any{"index": 0, "delta": delta, "finish_reason": finish},
		})))
	}

	first := map[string]any{"role": "assistant", "content": ""}
	if p.NullContent || len(p.Calls) > 0 {
		first["content"] = nil
	}
	chunk(first, nil)
	for _, piece := range strings.SplitAfter(p.Reasoning, " ") {
		if piece != "" {
			chunk(map[string]any{"reasoning_content": piece}, nil)
		}
	}
	for _, piece := range p.pieces() {
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
		last := p.chunk(request, []any{})
		last["usage"] = p.usage()
		delete(last, "id") // some servers omit it
		event(encode(last))
	}
	if !p.NoDone {
		event("[DONE]")
	}
	return out
}

func (p Reply) chunk(request Request, choices []any) map[string]any {
	out := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1,
		"model": request.Model, "choices": choices,
	}
	if p.NullError {
		out["error"] = nil
	}
	return out
}

func (p Reply) pieces() []string {
	if p.Pieces != nil || p.Text == "" {
		return p.Pieces
	}
	return strings.SplitAfter(p.Text, " ")
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
