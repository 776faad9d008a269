package openaitest

import (
	"slices"
	"strings"
)

// pieceRunes is how many characters of a call's arguments one fragment of a
// stream carries.
const pieceRunes = 6

// events returns the reply as the events of a stream, each ready to be sent.
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
		delete(last, "id") // as some servers leave it out
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

// pieces cuts the text for the stream.
func (p Reply) pieces() []string {
	if p.Pieces != nil || p.Text == "" {
		return p.Pieces
	}
	return strings.SplitAfter(p.Text, " ")
}

// fragments cuts one call for the stream.
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
