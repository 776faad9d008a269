package model

// The rows of quirks that are about the Responses API: models that have only this protocol,
// and what servers with it refuse.

import (
	"net/http"

	"skills/internal/lazyregexp"
)

// overResponses changes the protocol of a request.
func overResponses(e *envelope) {
	e.api, e.usage, e.include, e.store = ResponsesAPI, false, true, true
}

// mayBeItem reports whether a status may be about the model or an item of a request, which
// servers say are not found.
func mayBeItem(status int) bool { return mayBeForm(status) || status == http.StatusNotFound }

// responsesQuirks are the rows.
var responsesQuirks = []quirk{
	{
		name: "responses", change: "over the Responses API",
		words: lazyregexp.New(`\bv1/responses\b|not a chat model|unsupported_api_for_model|(only|use|using) [^.]{0,40}\bresponses (api|endpoint)|` +
			`not (accessible|supported|available) (via|through|with|in|on) (the )?/?(v1/)?chat/completions`),
		status: mayBeItem,
		fields: func(e *envelope) {
			if e.api == AutoAPI {
				overResponses(e)
			}
		},
	},
	{
		name: "include", change: "without the request for encrypted reasoning",
		words:  lazyregexp.New(`encrypted content is not supported|"param": ?"include|\b(unknown|unsupported|unrecognized|unexpected|not permitted)\b.{0,60}\binclude\b|\binclude\b.{0,60}(unknown|unsupported|not supported|not permitted)`),
		fields: func(e *envelope) { e.include = false },
	},
	{
		name: "store", change: "without the field store",
		words:  lazyregexp.New(`"param": ?"store"|\b(unknown|unsupported|unrecognized|unexpected)\b.{0,60}\bstore\b|[.'"]store['"]?.{0,60}(unknown|unsupported|not supported|not permitted)`),
		fields: func(e *envelope) { e.store = false },
	},
	{
		name: "item_ids", change: "without the ids of items",
		words:  lazyregexp.New(`items are not persisted|\bitem with id\b.{0,80}not found|'input\[\d+\]\.id'`),
		status: mayBeItem,
		adapt:  func(r Request) Request { r.wire.noItemIDs = true; return r },
	},
	{
		name: "items", change: "without the reasoning items of earlier replies",
		words: lazyregexp.New(`invalid_encrypted_content|encrypted content.{0,80}could not be|required '?reasoning|'reasoning' was provided without|` +
			`item\['content'\]|\breasoning'? items?\b|\bitems?\b.{0,40}\breasoning\b`),
		adapt: func(r Request) Request {
			r.Messages = withoutReasoningItems(r.Messages)
			return eachMessage(r, func(m *Message) { m.Items = nil })
		},
	},
}
