package model

// A server is reached by one of two protocols: chat completions, or the Responses API. Both
// send the same requests and fill the same replies, so nothing outside of this package knows
// which one is used. A reply is read in the form in which it comes (see replyReader.add).

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The values of [Server.API].
const (
	ChatAPI      = "chat"
	ResponsesAPI = "responses"
	AutoAPI      = "auto" // chat, and responses where the server says that the model needs it
)

// protocol is a form of requests.
type protocol interface {
	path() string // below the base URL
	name() string // in messages, before "server"
	// request returns the body of a request, and the fields that are set in it afterwards.
	request(r Request, e envelope) (body any, fields []bodyField)
	// missing says that a server does not have the path, and what to do besides checking
	// the base URL.
	missing() (text, advice string)
}

// bodyField is a parameter of a request.
type bodyField struct {
	path  string // in the syntax of sjson: names with dots between them
	value json.RawMessage
}

// protocols are all protocols; the first is the usual one.
var protocols = []protocol{chatProtocol{}, responsesProtocol{}}

// protocol returns the protocol of a request.
func (e envelope) protocol() protocol {
	if e.api == ResponsesAPI {
		return responsesProtocol{}
	}
	return chatProtocol{}
}

// body returns the whole body of a request.
func (e envelope) body(r Request) ([]byte, []bodyField) {
	body, fields := e.protocol().request(r, e)
	raw, _ := json.Marshal(body)
	return raw, fields
}

// protocolOf returns the protocol of a request that was sent, by its path.
func protocolOf(r *http.Request) protocol {
	for _, p := range protocols {
		if r != nil && strings.HasSuffix(r.URL.Path, "/"+p.path()) {
			return p
		}
	}
	return protocols[0]
}

// withoutPath returns the address of a request without the path of its protocol.
func withoutPath(address string) string {
	address = strings.TrimSuffix(address, "/")
	for _, p := range protocols {
		address = strings.TrimSuffix(address, "/"+p.path())
	}
	return address
}

// chatProtocol is the chat-completions protocol.
type chatProtocol struct{}

func (chatProtocol) path() string { return "chat/completions" }
func (chatProtocol) name() string { return "chat-completions" }

func (chatProtocol) request(r Request, e envelope) (any, []bodyField) {
	var fields []bodyField
	for _, key := range r.keys() {
		fields = append(fields, bodyField{key, r.Params[key]})
	}
	r.Messages = withoutReasoningItems(r.Messages)
	return newParams(r, e.stream, e.usage), fields
}

func (chatProtocol) missing() (text, advice string) {
	return "has no chat completions at this address", ""
}

// addressHint says what to check of a base URL where something else answers.
func addressHint(baseURL string) string {
	if strings.HasSuffix(strings.TrimRight(baseURL, "/"), "/v1") {
		return "check the base URL"
	}
	return "check the base URL: it usually ends in /v1"
}
