package model

// A reply of the Responses API is a list of items, and a stream of events about them. What
// an event adds to an item is passed on at once; the item itself comes at its end, and again
// with the end of the reply, so whatever a server leaves out of its stream is taken from
// there. A reply is complete only with the event that says so.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"skills/internal/lazyregexp"
)

// maxItems is the maximum number of items in a reply, of which some are no calls.
const maxItems = 2 * maxCalls

// receivedItem is an item that may be incomplete.
type receivedItem struct {
	Item
	index    int64 // or noIndex
	call     *callBuilder
	reasoned bool // whether its reasoning was passed on
	done     bool
}

// responseReader collects the events of a reply of the Responses API.
type responseReader struct {
	reply *replyReader // gets the pieces
	items []*receivedItem
}

// isResponses reports whether a value is an event or a reply of the Responses API. kind is
// the type of its event, or "".
func isResponses(kind string, v gjson.Result) bool {
	return v.Get("object").Str == "response" || strings.HasPrefix(eventType(kind, v), "response.")
}

// eventType returns the type of an event, which some servers write only outside of its data.
func eventType(kind string, v gjson.Result) string { return cmp.Or(v.Get("type").Str, kind) }

// addEvent adds an event, or a complete reply.
func (r *responseReader) addEvent(kind string, v gjson.Result) error {
	kind = eventType(kind, v)
	switch kind {
	case "response.output_item.added":
		r.item(place(v), v.Get("item"))
	case "response.output_item.done":
		r.itemDone(place(v), v.Get("item"))
	case "response.output_text.delta", "response.refusal.delta":
		r.addItemText(r.item(place(v), gjson.Result{}), v.Get("delta").Str)
	case "response.function_call_arguments.delta":
		r.addArguments(r.item(place(v), gjson.Result{}), v.Get("delta").Str)
	case "response.reasoning_summary_part.added":
		if item := r.item(place(v), gjson.Result{}); item.reasoned {
			r.addReasoning(item, betweenMessages)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.addReasoning(r.item(place(v), gjson.Result{}), v.Get("delta").Str)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return r.end(strings.TrimPrefix(kind, "response."), v.Get("response"))
	case "":
		return r.end("", v)
	}
	return nil
}

// itemPlace is what an event says about its item: its id, and its place in the reply.
type itemPlace struct {
	id    string
	index int64 // or noIndex
}

func place(event gjson.Result) itemPlace {
	p := itemPlace{id: ValidText(event.Get("item_id").Str), index: noIndex}
	if n := event.Get("output_index"); n.Type == gjson.Number {
		p.index = n.Int()
	}
	return p
}

// item returns the item at a place, which is new if it was not added before. It is that with
// the id, or otherwise the one at the position, because some servers leave one of them out,
// or give each item the same.
func (r *responseReader) item(at itemPlace, described gjson.Result) *receivedItem {
	at.id = cmp.Or(at.id, ValidText(described.Get("id").Str))
	for _, known := range slices.Backward(r.items) {
		sameID := at.id != "" && at.id == known.ID
		samePlace := at.index != noIndex && at.index == known.index
		oneID := at.id == "" || known.ID == ""
		if sameID || samePlace && oneID {
			known.ID = cmp.Or(known.ID, at.id)
			r.describe(known, described)
			return known
		}
	}
	added := &receivedItem{Item: Item{ID: at.id}, index: at.index}
	r.items = append(r.items, added)
	r.reply.size++
	r.describe(added, described)
	return added
}

// describe sets what an item is, as soon as an event says so.
func (r *responseReader) describe(known *receivedItem, item gjson.Result) {
	if kind := item.Get("type").Str; slices.Contains([]string{reasoningItem, messageItem, callItem}, kind) {
		known.Type = kind
	}
	if known.Type != callItem {
		return
	}
	b := r.callOf(known)
	b.id = cmp.Or(b.id, item.Get("call_id").Str)
	b.name = cmp.Or(item.Get("name").Str, b.name)
}

// callOf returns the call of an item.
func (r *responseReader) callOf(item *receivedItem) *callBuilder {
	if item.call == nil {
		item.Type, item.call = callItem, &callBuilder{index: noIndex}
		r.reply.calls = append(r.reply.calls, item.call)
		r.reply.size++
	}
	return item.call
}

// itemDone adds what the events of an item left out of it.
func (r *responseReader) itemDone(at itemPlace, item gjson.Result) {
	known := r.item(at, item)
	if known.done {
		return
	}
	known.done = true
	switch known.Type {
	case messageItem:
		known.Phase = ValidText(item.Get("phase").Str)
		if known.Size == 0 {
			r.addItemText(known, partsText(item.Get("content"), "text", "refusal"))
		}
	case callItem:
		if arguments := item.Get("arguments"); arguments.Exists() && known.call.arguments.Len() == 0 {
			r.addArguments(known, cmp.Or(arguments.Str, objectText(arguments)))
		}
	case reasoningItem:
		known.Reasoning = RawJSON(item.Raw)
		if !known.reasoned {
			r.addReasoning(known, cmp.Or(partsText(item.Get("summary"), "text"), partsText(item.Get("content"), "text")))
		}
	}
}

// partsText returns the texts of the parts of an item, which are in one of the members.
func partsText(parts gjson.Result, members ...string) string {
	var b strings.Builder
	parts.ForEach(func(_, part gjson.Result) bool {
		for _, member := range members {
			b.WriteString(part.Get(member).Str)
		}
		return true
	})
	return b.String()
}

// objectText returns an object as its text, and "" for anything else.
func objectText(v gjson.Result) string {
	if v.IsObject() {
		return v.Raw
	}
	return ""
}

// addItemText adds a piece of the text of a message.
func (r *responseReader) addItemText(item *receivedItem, piece string) {
	if piece == "" {
		return
	}
	piece = ValidText(piece)
	item.Type = messageItem
	if item.Size == 0 && r.reply.text.Len() > 0 {
		r.reply.addText(betweenMessages)
	}
	item.Size += len(piece)
	r.reply.addTagged(piece)
}

// addArguments adds a piece of the arguments of a call.
func (r *responseReader) addArguments(item *receivedItem, piece string) {
	arguments := &r.callOf(item).arguments
	if arguments.Len() == 0 {
		r.reply.loops.arguments = loop{}
	}
	arguments.WriteString(piece)
	r.reply.size += len(piece)
	r.reply.received(&r.reply.loops.arguments, piece)
}

// addReasoning adds a piece of the reasoning, or of its summary.
func (r *responseReader) addReasoning(item *receivedItem, piece string) {
	if piece == "" {
		return
	}
	if !item.reasoned && r.reply.reasoning.Len() > 0 {
		r.reply.addThought(betweenMessages, defaultReasoning)
	}
	item.Type, item.reasoned = reasoningItem, true
	r.reply.addThought(ValidText(piece), defaultReasoning)
}

// end adds the end of a reply, whose status is that of its event unless it has one.
func (r *responseReader) end(status string, response gjson.Result) error {
	status = cmp.Or(response.Get("status").Str, status)
	if failure := response.Get("error"); status == "failed" || failure.IsObject() {
		return r.reply.responseError(failure)
	}
	index := int64(0)
	response.Get("output").ForEach(func(_, item gjson.Result) bool {
		r.itemDone(itemPlace{index: index}, item)
		index++
		return !r.tooMany()
	})
	if usage := responsesUsage(response.Get("usage")); usage != nil {
		r.reply.usage = usage
	}
	switch why := clean(response.Get("incomplete_details.reason").Str); {
	case status == "incomplete":
		r.reply.finish = cmp.Or(why, status)
	case status != "completed":
		r.reply.finish = cmp.Or(clean(status), "incomplete")
	case len(r.reply.calls) > 0:
		r.reply.finish = "tool_calls"
	default:
		r.reply.finish = "stop"
	}
	return nil
}

// tooMany reports whether there are more items than a reply has.
func (r *responseReader) tooMany() bool { return r != nil && len(r.items) > maxItems }

// order returns the items of a complete reply, if it was one of the Responses API.
func (r *responseReader) order() []Item {
	if r == nil {
		return nil
	}
	var out []Item
	messages, last := 0, 0
	for _, item := range r.items {
		switch {
		case item.Type == "", item.Type == messageItem && item.Size == 0, item.Type == reasoningItem && !item.done:
			continue
		case item.Type == messageItem:
			messages, last = messages+1, len(out)
		}
		out = append(out, item.Item)
	}
	if messages == 1 {
		out[last].Size = 0
	}
	return out
}

// responsesUsage returns the token counts in the names of this protocol, or nil.
func responsesUsage(v gjson.Result) *Usage {
	return usageIn(v, usageNames{
		in: "input_tokens", cached: "input_tokens_details.cached_tokens",
		out: "output_tokens", reasoning: "output_tokens_details.reasoning_tokens",
	})
}

// blamesRequest matches the codes of failures that the same request would meet again.
var blamesRequest = lazyregexp.New(`^(invalid_|image_|unsupported_|empty_|failed_to_|insufficient_quota|model_not_found|content_|context_length)|_policy|_mismatch|_violation`)

// responseError returns the error for a reply that failed, or for an event of that type.
func (r *replyReader) responseError(failure gjson.Result) *Error {
	e := r.serverError(gjson.Parse(`{"error":` + cmp.Or(failure.Raw, "null") + `}`))
	if blamesRequest().MatchString(failure.Get("code").Str) {
		e.Temporary = false
	}
	return e
}
