package agent

// An exchange is one request in the form that the model gets it, and its reply in the form
// of the conversation. A request that the server refuses in this form, or whose reply shows
// that the model cannot use it, is sent again in another one.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
)

// exchange is a request that is about to be sent.
type exchange struct {
	run       *run
	turn      int
	request   Request
	ephemeral []Message
	event     RequestEvent

	stream  model.Stream
	shown   bool // a piece of the reply has been emitted
	watch   watch
	roomy   bool    // more room for the reply was requested
	compact bool    // the request was compacted because the server refused its size
	held    []Event // of the reply, until the middlewares have seen it
}

// decodedReply is a reply with its calls.
type decodedReply struct {
	model.Reply
	fault model.Fault // why it is neither a call nor an answer
}

// send sends the request and decodes the reply.
func (e *exchange) send(ctx context.Context) (decodedReply, error) {
	f := &e.run.forms
	for {
		e.request.Form = f.form(ctx, e)
		reply, err := e.complete(ctx)
		if err != nil {
			failed, _ := errors.AsType[*Error](err)
			if failed != nil && ctx.Err() == nil && f.refused(e, failed) {
				return decodedReply{}, errAgain
			}
			if failed != nil && failed.Request != nil {
				e.run.emit(RefusedEvent{Turn: e.turn, Status: failed.Status, Shape: *failed.Request})
			}
			return decodedReply{}, err
		}
		decoded, fault := e.request.Form.Decode(reply)
		f.proved(e, decoded, fault)
		fault = f.judge(e, fault)
		switch {
		case fault.Kind == model.TooLong || fault.Kind == model.Cut && e.roomy:
			return decodedReply{}, &LimitError{Limit: LimitReply, Max: int64(len(reply.Text)), What: fault.Reason}
		case fault.Kind == model.Cut:
			e.roomy, e.request.Params = true, moreRoom(e.request.Params)
			e.again("the reply was cut off before it was complete; requesting it with more room", reply.Usage)
			continue
		case f.leaveUnseen(e, decoded):
			return decodedReply{}, errAgain
		case (fault.Kind == model.NotCall || len(decoded.Calls) > len(reply.Calls)) && f.leaveNative(e, reply, inText):
			return decodedReply{}, errAgain
		}
		e.stream.End(decoded.Text)
		return decodedReply{decoded, fault}, nil
	}
}

// again reports that the request is sent again, for a reason other than a failure.
func (e *exchange) again(why string, usage *Usage) {
	e.run.result.Usage = e.run.result.Usage.Add(usage)
	e.run.emit(RetryEvent{Attempt: 1, Error: why, Void: e.shown})
	e.shown = false
}

// complete sends the request. If the conversation is too long, it is compacted, and has to
// be sent once more.
func (e *exchange) complete(ctx context.Context) (model.Reply, error) {
	r := e.run
	asked, stop := context.WithCancel(ctx)
	defer stop()
	e.watch = watch{stop: stop, is: r.forms.watches(e), tools: e.request.Tools}
	reply, err := r.agent.client.Complete(asked, e.request, e.observer())
	if e.watch.found {
		return model.Reply{Text: e.watch.text.String()}, nil
	}
	full, _ := errors.AsType[*Error](err)
	isFull := full != nil && full.FullContext && ctx.Err() == nil
	switch {
	case !isFull:
		return reply, err
	case e.compact:
		full.Hint = "old results and exchanges are already removed: " + full.Hint
		return reply, err
	case !r.compact(ctx, e.turn, e.request, full):
		return reply, err
	}
	e.compact = true
	if e.shown { // it generated a part of the reply before its context was full
		r.emit(RetryEvent{Attempt: 1, Status: full.Status, Error: full.Message, Void: true})
		e.shown = false
	}
	return reply, errAgain
}

// observer returns the observer that emits the events of the request.
func (e *exchange) observer() model.Observer {
	r, event, hold := e.run, e.event, e.run.agent.config.Hold
	begin := func() {
		e.held = nil
		e.watch.text.Reset()
		e.stream = e.request.Form.Stream(func(text string) {
			e.shown = true
			r.emit(MessageDelta{Text: text})
		})
	}
	begin()
	observer := model.Observer{
		OnSend: func(api string, streams, usage bool) {
			event.API, event.Stream, event.Usage = api, streams, usage
			r.emit(event)
		},
		OnRetry: func(retry model.Retry) {
			begin()
			retry.Void = retry.Void && r.agent.config.Stream && !hold
			r.emit(RetryEvent(retry))
		},
		OnWarn:     func(message string) { r.emit(WarningEvent{Message: message}) },
		OnProgress: func(tokens int64) { r.emit(ProgressEvent{Tokens: tokens}) },
		OnLoading:  func(message string) { r.emit(LoadingEvent{Message: message}) },
		OnReasoning: func(text string, void bool) {
			if void {
				begin()
			}
			thought := ReasoningEvent{Text: strings.TrimSpace(text), Void: void && e.shown}
			if hold {
				e.held = append(e.held, thought)
				return
			}
			r.emit(thought)
		},
	}
	shows := r.agent.config.Stream && !hold
	if shows || e.watch.is {
		observer.OnDelta = func(text string) {
			e.watch.write(text)
			if shows {
				e.stream.Write(text)
			}
		}
	}
	return observer
}

// release emits what was held back of the reply.
func (e *exchange) release() {
	for _, event := range e.held {
		e.run.emit(event)
	}
	e.held = nil
}

// watch ends a request once its reply describes calls in place of making them: a small model
// may go on with that for minutes, and nothing of it is used.
type watch struct {
	is    bool
	found bool
	text  strings.Builder
	tools []RequestTool
	stop  context.CancelFunc
}

// write takes a piece of the reply.
func (w *watch) write(piece string) {
	if !w.is || w.found {
		return
	}
	w.text.WriteString(piece)
	if strings.Contains(piece, "`") && textcalls.Described(w.text.String(), textTools(w.tools)) {
		w.found = true
		w.stop()
	}
}

// Room for a reply that was cut off, in tokens.
const (
	firstRoom  = 8192
	roomFactor = 4
)

// moreRoom returns the parameters of a request that allow a longer reply.
func moreRoom(params Params) Params {
	out, name := Params{}, "max_tokens"
	for key, value := range params {
		out[key] = value
		if key == "max_completion_tokens" {
			name = key
		}
	}
	limit, _ := strconv.ParseInt(string(out[name]), 10, 64)
	out[name] = json.RawMessage(strconv.FormatInt(cmp.Or(limit*roomFactor, firstRoom), 10))
	return out
}
