package model

// A reply is put together from chunks that servers form in many ways: calls without an
// index or an id, names that are repeated, arguments as objects. What is ambiguous belongs
// to the call before it.

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"skills/internal/params"
	"skills/internal/spec/tokens"
)

const (
	maxTokens      = 1 << 40 // more than a reply can cost
	shownArguments = 200     // bytes kept of arguments that are too large
	noIndex        = -1
)

// addChunk adds a chunk, or a complete reply.
func (r *replyReader) addChunk(v gjson.Result) {
	if usage := usageOf(v.Get("usage")); usage != nil {
		r.usage, r.apart = usage, countedApart(v.Get("usage"), *usage)
	}
	choice := v.Get("choices.0")
	if choice.Get("index").Num != 0 {
		return // one choice is requested
	}
	message := choice.Get("delta")
	whole := !message.IsObject()
	if whole {
		message = choice.Get("message")
	}
	r.addFields(message)
	r.addContent(message.Get("content"))
	r.addText(contentText(message.Get("refusal")))
	if calls := message.Get("tool_calls"); calls.IsArray() {
		calls.ForEach(func(_, call gjson.Result) bool { // not Array: there may be very many
			r.addCall(call, whole)
			r.size++
			return len(r.calls) <= maxCalls
		})
	}
	// Some servers send a word for "none" with every chunk.
	if reason := clean(choice.Get("finish_reason").Str); reason != "" && !strings.EqualFold(reason, "null") && !strings.EqualFold(reason, "none") {
		r.finish = reason
	}
}

// addContent adds a piece of the content, and separates reasoning from it.
func (r *replyReader) addContent(content gjson.Result) {
	r.addThought(thoughtParts(content), contentField)
	r.addTagged(contentText(content))
}

// addTagged adds a piece of a text that may have reasoning between tags.
func (r *replyReader) addTagged(piece string) {
	r.size += len(piece)
	r.received(&r.loops.text, piece)
	r.keepText(r.split(r.think.add(piece)))
}

// split keeps the reasoning of a piece of the content, and returns the text in it.
func (r *replyReader) split(reasoning, text string) string {
	r.keepThought(reasoning, thinkTags[r.think.tag].open)
	return text
}

// addText adds a piece of the text.
func (r *replyReader) addText(piece string) {
	r.size += len(piece)
	r.received(&r.loops.text, piece)
	r.keepText(piece)
}

// keepText adds a piece of the text that is already counted.
func (r *replyReader) keepText(piece string) {
	if piece == "" {
		return
	}
	r.reportReasoning(false)
	if r.streamed && r.observer.OnDelta != nil {
		r.observer.OnDelta(piece)
	}
	r.text.WriteString(piece)
}

// addThought adds a piece of the reasoning, from a field.
func (r *replyReader) addThought(piece, from string) {
	r.size += len(piece)
	r.received(&r.loops.reasoning, piece)
	r.keepThought(piece, from)
}

// keepThought adds a piece of the reasoning that is already counted, from a field or a tag,
// unless it is already received from another.
func (r *replyReader) keepThought(piece, from string) {
	if piece == "" || r.reasoningField != "" && r.reasoningField != from {
		return
	}
	r.reasoningField = from
	r.reasoning.WriteString(piece)
}

// reportReasoning reports the reasoning since the last report. void means that its text
// was passed on as a part of the answer.
func (r *replyReader) reportReasoning(void bool) {
	text := r.reasoning.String()[r.reported:]
	if strings.TrimSpace(text) == "" {
		return
	}
	r.reported += len(text)
	if r.observer.OnReasoning != nil {
		r.observer.OnReasoning(text, void)
	}
}

// received counts a piece of a stream, and compares it with what is before it.
func (r *replyReader) received(l *loop, piece string) {
	if piece == "" || !r.streamed {
		return
	}
	r.tokens += int64(max(1, tokens.Estimate(piece)))
	if r.observer.OnProgress != nil {
		r.observer.OnProgress(r.tokens)
	}
	if r.looping == "" {
		r.looping = l.add(piece)
	}
}

// contentText returns the text of a content, which may be an array of parts.
func contentText(v gjson.Result) string {
	if !v.IsArray() {
		return ValidText(v.Str)
	}
	var b strings.Builder
	for _, part := range v.Array() {
		b.WriteString(ValidText(part.Get("text").Str))
	}
	return b.String()
}

// thoughtParts returns the reasoning in a content that is an array of parts.
func thoughtParts(v gjson.Result) string {
	if !v.IsArray() {
		return ""
	}
	var b strings.Builder
	for _, part := range v.Array() {
		if thinking := part.Get("thinking"); thinking.IsArray() {
			b.WriteString(contentText(thinking))
		} else {
			b.WriteString(ValidText(thinking.Str))
		}
	}
	return b.String()
}

// callBuilder is a tool call that may be incomplete.
type callBuilder struct {
	id, name  string
	index     int64 // or noIndex
	arguments strings.Builder
	extra     RawJSON
}

// call returns the call. Arguments that are too large end with a mark that
// [params.Object] rejects.
func (b *callBuilder) call() ToolCall {
	arguments := ValidText(b.arguments.String())
	if n := len(arguments); n > params.MaxArguments {
		arguments = fmt.Sprintf("%s… %d bytes%s", ValidText(arguments[:shownArguments]), n, params.TooLarge)
	}
	return ToolCall{ID: ValidText(b.id), Name: ValidText(b.name), Arguments: arguments, Extra: b.extra}
}

// addCall adds a complete call, or appends a fragment to its call.
func (r *replyReader) addCall(v gjson.Result, whole bool) {
	if !v.IsObject() {
		return
	}
	id, name, index := v.Get("id").String(), v.Get("function.name").Str, int64(noIndex)
	if n := v.Get("index"); n.Type == gjson.Number {
		index = n.Int()
	}
	var b *callBuilder
	if !whole {
		b = r.find(index, id, name)
	}
	if b == nil {
		b = &callBuilder{id: id, index: index}
		r.calls = append(r.calls, b)
	}
	if b.id == "" {
		b.id = id
	}
	// Most servers send the name once, some with every fragment, a few in
	// pieces.
	switch {
	case strings.HasPrefix(name, b.name):
		b.name = name
	case b.arguments.Len() == 0 && len(b.name) < maxName:
		b.name += name
	}
	if extra := v.Get("extra_content"); extra.IsObject() && len(extra.Raw) <= params.MaxArguments {
		b.extra = RawJSON(extra.Raw)
	}
	arguments := v.Get("function.arguments")
	piece := arguments.Raw // of an object instead of a string
	switch arguments.Type {
	case gjson.Null:
		return
	case gjson.String:
		piece = arguments.Str
	}
	if b.arguments.Len() == 0 {
		r.loops.arguments = loop{}
	}
	b.arguments.WriteString(piece)
	r.received(&r.loops.arguments, piece)
}

// find returns the call that a fragment continues, or nil for a new one. With
// an index it is the last call with it, unless the fragment has another id and
// a name. Without one it is the call with the same id. Without both it is the
// last call, unless the fragment has a name.
func (r *replyReader) find(index int64, id, name string) *callBuilder {
	for i := len(r.calls) - 1; i >= 0; i-- {
		b := r.calls[i]
		other := id != "" && b.id != "" && id != b.id
		switch {
		case index != noIndex && index == b.index:
			if other && name != "" {
				return nil
			}
			return b
		case index == noIndex && id == "" && name != "":
			return nil
		case index == noIndex && !other:
			return b
		}
	}
	return nil
}

// usageNames are the paths of token counts.
type usageNames struct{ in, cached, out, reasoning string }

// usageOf returns the server's token counts, or nil if they are implausible:
// many servers send them empty.
func usageOf(v gjson.Result) *Usage {
	return usageIn(v, usageNames{
		in: "prompt_tokens", cached: "prompt_tokens_details.cached_tokens",
		out: "completion_tokens", reasoning: "completion_tokens_details.reasoning_tokens",
	})
}

func usageIn(v gjson.Result, names usageNames) *Usage {
	in, out := v.Get(names.in), v.Get(names.out)
	for _, n := range []gjson.Result{in, out} {
		if n.Type != gjson.Number || n.Num < 0 || n.Num >= maxTokens {
			return nil
		}
	}
	if in.Num+out.Num == 0 {
		return nil
	}
	part := func(path string, whole gjson.Result) int64 {
		n := v.Get(path)
		if n.Type != gjson.Number || n.Num < 0 || n.Num > whole.Num {
			return 0
		}
		return int64(n.Num)
	}
	return &Usage{
		InputTokens: int64(in.Num), CachedTokens: part(names.cached, in),
		OutputTokens: int64(out.Num), ReasoningTokens: part(names.reasoning, out),
	}
}

// countedApart returns the tokens of the input that the server read from its cache or wrote
// to it, and does not count as input.
func countedApart(v gjson.Result, usage Usage) (n int64) {
	for _, path := range []string{"cache_read_input_tokens", "cache_creation_input_tokens", "prompt_tokens_details.cached_tokens"} {
		tokens := v.Get(path)
		plausible := tokens.Type == gjson.Number && tokens.Num > 0 && tokens.Num < maxTokens
		if plausible && (path != "prompt_tokens_details.cached_tokens" || int64(tokens.Num) > usage.InputTokens) {
			n += int64(tokens.Num)
		}
	}
	return n
}
