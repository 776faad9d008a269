package openaitest

// A scripted reply in the form of the Responses API: the output items of the reply, as one
// body or with the events that OpenAI sends about them.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ItemQuirks are deviations of servers with the Responses API.
type ItemQuirks struct {
	NoDeltas   bool   `json:"no_deltas,omitempty"`   // stream: items only when they are done
	EndOnly    bool   `json:"end_only,omitempty"`    // stream: items only at the end of the reply
	NoOutput   bool   `json:"no_output,omitempty"`   // stream: no items at the end of the reply
	Fails      string `json:"fails,omitempty"`       // code of a failure after the text
	ErrorEvent string `json:"error_event,omitempty"` // stream: the same, as an error event
}

// refusedForm returns the failure for a request in a form that the server refuses, and
// whether it is.
func (p Reply) refusedForm(request Request) (Reply, bool) {
	hasID := strings.Contains(string(request.Body), `"id":"`)
	switch {
	case p.ResponsesOnly && !request.Responses:
		return failure(404, "This model is only supported in v1/responses and not in v1/chat/completions."), true
	case p.NoInclude && request.Encrypted:
		return failure(400, "Encrypted content is not supported with this model."), true
	case p.NoItemIDs && request.Responses && hasID:
		return failure(404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."), true
	case p.NoReasoning && len(request.Reasoned) > 0:
		return failure(400, "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed."), true
	}
	return Reply{}, false
}

// issue remembers the items of a reply, which must come back as they are.
func (s *Server) issue(request Request, reply Reply) {
	if s.issued.encrypted == nil {
		s.issued = issued{map[string]string{}, map[string]string{}}
	}
	reasoning := ""
	for _, item := range reply.output(request) {
		id := item["id"].(string)
		switch content, encrypted := item["encrypted_content"].(string); {
		case item["type"] != "reasoning":
			s.issued.reasoning[id] = reasoning
		case encrypted:
			s.issued.encrypted[id], reasoning = content, id
		}
	}
}

// output returns the items of a reply: reasoning, the text and the calls.
func (p Reply) output(request Request) []map[string]any {
	var out []map[string]any
	id := func(kind string) string { return fmt.Sprintf("%s_%d_%d", kind, request.number, len(out)) }
	if p.Reasoning != "" {
		item := map[string]any{"id": id("rs"), "type": "reasoning", "summary": []any{map[string]any{"type": "summary_text", "text": p.Reasoning}}}
		if request.Encrypted {
			item["encrypted_content"] = "encrypted:" + id("rs")
		}
		out = append(out, item)
	}
	if p.Text != "" {
		content := map[string]any{"type": "output_text", "text": p.Text, "annotations": []any{}, "logprobs": []any{}}
		out = append(out, map[string]any{"id": id("msg"), "type": "message", "role": "assistant", "status": "completed", "content": []any{content}})
	}
	for _, c := range p.Calls {
		item := map[string]any{"id": id("fc"), "type": "function_call", "status": "completed", "call_id": c.ID, "name": c.Name, "arguments": c.Arguments}
		if p.NoIDs {
			delete(item, "call_id")
		}
		if p.ObjectArguments && json.Valid([]byte(c.Arguments)) {
			item["arguments"] = json.RawMessage(c.Arguments)
		}
		out = append(out, item)
	}
	return out
}

// response returns the response object with the items.
func (p Reply) response(request Request, status string, output []map[string]any) map[string]any {
	out := map[string]any{
		"id": fmt.Sprintf("resp_%d", request.number), "object": "response", "created_at": 1, "model": request.Model, "status": status,
		"output": slices.Concat([]map[string]any{}, output), "error": nil, "incomplete_details": nil, "usage": nil, "store": false,
	}
	switch {
	case status == "in_progress":
	case p.Fails != "":
		out["status"], out["error"] = "failed", map[string]any{"code": p.Fails, "message": "it failed"}
	case p.Finish == "length":
		out["status"], out["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case p.Finish != "" && p.Finish != "stop":
		out["status"], out["incomplete_details"] = "incomplete", map[string]any{"reason": p.Finish}
	}
	if p.Usage != nil && status != "in_progress" {
		out["usage"] = map[string]any{
			"input_tokens": p.Usage.Input, "output_tokens": p.Usage.Output, "total_tokens": p.Usage.Input + p.Usage.Output,
			"input_tokens_details":  map[string]any{"cached_tokens": p.Usage.Cached},
			"output_tokens_details": map[string]any{"reasoning_tokens": p.Usage.Reasoning},
		}
	}
	return out
}

// itemEvents collects the events of a stream.
type itemEvents struct {
	reply  Reply
	number int
	out    []string
	open   string // events that are sent with the next one
}

// add adds an event. One that is held is sent together with the one after it.
func (e *itemEvents) add(kind string, hold bool, fields map[string]any) {
	fields["type"], fields["sequence_number"] = kind, e.number
	e.number++
	end := "\n"
	if e.reply.CRLF {
		end = "\r\n"
	}
	text := "event: " + kind + end + "data: " + encode(fields) + end + end
	if e.reply.KeepAlive {
		text = ": keep-alive" + end + end + text
	}
	e.open += text
	if !hold {
		e.out, e.open = append(e.out, e.open), ""
	}
}

// responseEvents returns the reply as encoded events of a stream. The first piece is
// everything before the start of the text.
func (p Reply) responseEvents(request Request) []string {
	e := &itemEvents{reply: p}
	output := p.output(request)
	start := p.response(request, "in_progress", nil)
	e.add("response.created", true, map[string]any{"response": start})
	e.add("response.in_progress", p.Text != "", map[string]any{"response": start})
	for i, item := range output {
		if !p.EndOnly {
			p.itemEvents(e, i, item)
		}
	}
	if p.ErrorEvent != "" {
		e.add("error", false, map[string]any{"code": p.ErrorEvent, "message": "it failed", "param": nil})
		return e.out
	}
	if p.NoOutput {
		output = nil
	}
	if p.Finish != "none" {
		end := p.response(request, "completed", output)
		e.add(fmt.Sprintf("response.%s", end["status"]), false, map[string]any{"response": end})
	}
	return e.out
}

// itemEvents adds the events of an item.
func (p Reply) itemEvents(e *itemEvents, index int, item map[string]any) {
	at := func(fields map[string]any) map[string]any {
		fields["output_index"], fields["item_id"] = index, item["id"]
		return fields
	}
	done := func() {
		e.add("response.output_item.done", false, map[string]any{"output_index": index, "item": item})
	}
	if p.NoDeltas {
		done()
		return
	}
	begun := map[string]any{}
	for key, value := range item {
		begun[key] = value
	}
	switch item["type"] {
	case "reasoning":
		begun["summary"], begun["encrypted_content"] = []any{}, "begun"
		e.add("response.output_item.added", p.Text != "", map[string]any{"output_index": index, "item": begun})
		part := map[string]any{"type": "summary_text", "text": ""}
		e.add("response.reasoning_summary_part.added", p.Text != "", at(map[string]any{"summary_index": 0, "part": part}))
		for _, piece := range words(p.Reasoning) {
			e.add("response.reasoning_summary_text.delta", p.Text != "", at(map[string]any{"summary_index": 0, "delta": piece}))
		}
		e.add("response.reasoning_summary_text.done", p.Text != "", at(map[string]any{"summary_index": 0, "text": p.Reasoning}))
		e.add("response.output_item.done", p.Text != "", map[string]any{"output_index": index, "item": item})
	case "message":
		begun["content"], begun["status"] = []any{}, "in_progress"
		part := map[string]any{"type": "output_text", "text": "", "annotations": []any{}}
		e.add("response.output_item.added", true, map[string]any{"output_index": index, "item": begun})
		e.add("response.content_part.added", false, at(map[string]any{"content_index": 0, "part": part}))
		pieces := p.Pieces
		if pieces == nil {
			pieces = words(p.Text)
		}
		for _, piece := range pieces {
			e.add("response.output_text.delta", false, at(map[string]any{"content_index": 0, "delta": piece, "logprobs": []any{}}))
		}
		e.add("response.output_text.done", false, at(map[string]any{"content_index": 0, "text": p.Text, "logprobs": []any{}}))
		e.add("response.content_part.done", false, at(map[string]any{"content_index": 0, "part": item["content"].([]any)[0]}))
		done()
	case "function_call":
		begun["arguments"], begun["status"] = "", "in_progress"
		e.add("response.output_item.added", false, map[string]any{"output_index": index, "item": begun})
		text, isText := item["arguments"].(string)
		for piece := range slices.Chunk([]rune(text), pieceRunes) {
			if !p.WholeCalls {
				e.add("response.function_call_arguments.delta", false, at(map[string]any{"delta": string(piece)}))
			}
		}
		if isText {
			e.add("response.function_call_arguments.done", false, at(map[string]any{"name": item["name"], "arguments": text}))
		}
		done()
	}
}

// ResponsesStream returns the reply as an event stream of the Responses API.
func (p Reply) ResponsesStream(model string) string {
	pieces, _ := p.body(Request{Stream: true, Responses: true, Encrypted: true, Model: cmp.Or(model, "m")})
	return strings.Join(pieces, "")
}
