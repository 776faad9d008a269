package agent

// An exchange is one request in the form that the model gets it, and its reply in the form
// of the conversation.

import (
	"context"
	"errors"
	"strings"

	"skills/internal/agent/model"
)

// exchange is a request that is about to be sent.
type exchange struct {
	run       *run
	turn      int
	request   Request
	ephemeral []Message
	event     RequestEvent
}

// decodedReply is a reply with its calls.
type decodedReply struct {
	model.Reply
	fault string // why a reply that was meant as a call is none, or ""
}

// send sends the request and decodes the reply. If the conversation is too long, it is
// compacted and sent once more.
func (e *exchange) send(ctx context.Context) (decodedReply, error) {
	r, request, event, shown := e.run, e.request, e.event, false
	show := func(text string) {
		shown = true
		r.emit(MessageDelta{Text: text})
	}
	stream := request.Form.Stream(show)
	observer := model.Observer{
		OnSend: func(api string, streams, usage bool) {
			event.API, event.Stream, event.Usage = api, streams, usage
			r.emit(event)
		},
		OnRetry: func(retry model.Retry) {
			stream = request.Form.Stream(show)
			r.emit(RetryEvent(retry))
		},
		OnWarn:     func(message string) { r.emit(WarningEvent{Message: message}) },
		OnProgress: func(tokens int64) { r.emit(ProgressEvent{Tokens: tokens}) },
		OnLoading:  func(message string) { r.emit(LoadingEvent{Message: message}) },
		OnReasoning: func(text string, void bool) {
			if void {
				stream = request.Form.Stream(show)
			}
			r.emit(ReasoningEvent{Text: strings.TrimSpace(text), Void: void && shown})
		},
	}
	if r.agent.config.Stream {
		observer.OnDelta = func(text string) { stream.Write(text) }
	}
	reply, err := r.agent.client.Complete(ctx, request, observer)
	full, _ := errors.AsType[*Error](err)
	isFull := full != nil && full.FullContext && ctx.Err() == nil
	if isFull && r.compact(e.turn, request, full) {
		request.Messages = withEphemeral(r.sent, e.ephemeral)
		if shown { // it generated a part of the reply before its context was full
			r.emit(RetryEvent{Attempt: 1, Status: full.Status, Error: full.Message, Void: true})
		}
		stream = request.Form.Stream(show)
		reply, err = r.agent.client.Complete(ctx, request, observer)
		if errors.As(err, &full) && full.FullContext {
			full.Hint = "old results of tool calls are already removed: " + full.Hint
		}
	}
	if err != nil {
		if failed, ok := errors.AsType[*Error](err); ok && failed.Request != nil {
			r.emit(RefusedEvent{Turn: e.turn, Status: failed.Status, Shape: *failed.Request})
		}
		return decodedReply{}, err
	}
	decoded, fault := request.Form.Decode(reply)
	stream.End(decoded.Text)
	return decodedReply{decoded, fault}, nil
}

// forms is what is known about the form of the model's calls, and of requests to the server.
type forms struct {
	reminded bool // whether the last reply was a call in a wrong form
	quirks   int  // number of quirks of the server that the session holds
}

// remind answers a reply that was meant as a call but is none, once; a second such reply
// in a row is an error.
func (f *forms) remind(ctx context.Context, r *run, fault string) error {
	if f.reminded {
		return &TextCallError{Reason: fault}
	}
	f.reminded = true
	tools := textTools(r.agent.request(r.prepared, nil, nil).Tools)
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	text := "No tool was called: your reply only looks like a call. " + fault + " Call tools by the function calling of this conversation. Available: " +
		strings.Join(names, ", ") + "."
	if len(tools) > 0 {
		text += " If you can only write text, write nothing but the call, such as " + tools[0].Example()
	}
	return r.addText(ctx, text+"\nIf your reply was the answer, put it into words.")
}
