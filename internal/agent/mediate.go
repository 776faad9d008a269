package agent

// Requests and replies on their way through the model middlewares. Nothing of a request
// leaves before they have seen it, also if it is sent again in another form, and nothing of
// a reply is emitted or kept before they have returned it.

import (
	"context"
	"errors"
	"slices"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// ModelCall is a request on its way through the model middlewares.
type ModelCall struct {
	// Request is about to be sent. A middleware may change its instructions and messages;
	// the conversation keeps its own.
	Request   Request
	Session   *Session
	Turn      int  // the requested turn, from 1
	Closing   bool // no tools may be called
	Streaming bool // as [Config.Stream]
	// Emit sends an event to the run's sink; never nil.
	Emit func(Event)
}

// ModelHandler sends a request, and returns the reply with its calls.
type ModelHandler func(ctx context.Context, call *ModelCall) (Reply, error)

// ModelMiddleware wraps every request to the model (the framework's chat middleware): it
// may change the request, answer without one, change the reply, or end the run with an
// error. An [EndError] completes the run; what is returned with it is kept.
type ModelMiddleware func(next ModelHandler) ModelHandler

// OutputText is an answer before anybody has seen it.
type OutputText struct {
	Text     string // may be changed
	Turn     int
	Session  *Session
	Messages []Message // the conversation before it; read-only
	Emit     func(Event)

	Model     string
	Params    Params
	Streaming bool // as [Config.Stream]
}

// OutputFilter sees each answer before it is emitted or kept. An error withholds it and
// ends the run; an [EndError] completes the run with it.
type OutputFilter func(ctx context.Context, answer *OutputText) error

// Mediation is what sees requests and replies before they leave.
type Mediation struct {
	// ModelMiddleware wraps every request to the model; the first is the outermost.
	ModelMiddleware []ModelMiddleware
	Output          OutputFilter // or nil
	// Hold keeps the text of a reply back until the reply is complete and the others have
	// seen it, although it is streamed.
	Hold bool
}

// errAgain means that the request has to be sent again: it was compacted, or its form has
// changed.
var errAgain = errors.New("the request is made again")

// mediator is a run as far as requests, replies and answers pass through others.
type mediator struct{ *run }

// send sends the request of a turn through the middlewares. It returns what was sent. A
// reply with an error is that of a run which ends with it.
func (r mediator) send(ctx context.Context, e *exchange) (Request, decodedReply, error) {
	var received decodedReply
	handler := func(ctx context.Context, call *ModelCall) (Reply, error) {
		e.request = call.Request
		reply, err := e.send(ctx)
		if err == nil {
			r.ids.fix(reply.Calls)
			received = reply
		}
		received.Calls = slices.Clone(reply.Calls)
		return reply.Reply, err
	}
	for {
		request := r.request(ctx, e.turn, e.ephemeral)
		if e.roomy {
			request.Params = e.request.Params
		}
		call := &ModelCall{
			Request: request, Session: r.session, Turn: e.turn, Closing: e.event.Closing, Streaming: r.agent.config.Stream, Emit: r.emit,
		}
		reply, err := wrap(ModelHandler(handler), r.agent.config.ModelMiddleware)(ctx, call)
		if errors.Is(err, errAgain) {
			continue
		}
		out := decodedReply{reply, received.fault}
		r.changed(e, received.Reply, &out)
		if e.event.Closing {
			r.dropCalls(&out)
		}
		_, ends := errors.AsType[*EndError](err)
		if err == nil || ends {
			failure := r.output(ctx, e.turn, &out, ends)
			if _, also := errors.AsType[*EndError](failure); failure != nil && !(ends && also) {
				err, ends = failure, also
			}
		}
		switch {
		case err == nil, ends && len(out.Calls)+len(out.Text) > 0:
			e.release()
		case received.Usage != nil: // it was withheld, but it has a price
			r.result.Usage = r.result.Usage.Add(received.Usage)
			r.result.Turns++
			r.emit(UsageEvent{Turn: e.turn, Usage: *received.Usage})
		}
		return call.Request, out, err
	}
}

// changed adapts a reply that a middleware has changed: what else the server sent may hold
// what was removed.
func (r mediator) changed(e *exchange, received Reply, reply *decodedReply) {
	same := reply.Text == received.Text && slices.EqualFunc(reply.Calls, received.Calls, sameCall)
	if same {
		return
	}
	reply.fault = model.Fault{}
	reply.Reasoning, reply.ReasoningField, reply.Fields, reply.Items = "", "", nil, nil
	e.held = nil
	for i := range reply.Calls {
		known := slices.ContainsFunc(received.Calls, func(c ToolCall) bool { return c.ID == reply.Calls[i].ID })
		if !known {
			r.ids.fix(reply.Calls[i : i+1])
		}
	}
}

// dropCalls removes the calls of a closing answer, which are not run.
func (r mediator) dropCalls(reply *decodedReply) {
	if len(reply.Calls) == 0 && reply.fault.Kind == model.NoFault {
		return
	}
	r.warn("the model called %s in its closing answer; none was run", printable.Plural(max(len(reply.Calls), 1), "tool"))
	if !reply.Truncated() {
		reply.Finish = "" // the reply was complete with its calls
	}
	reply.Calls = nil
	if reply.fault.Kind != model.NoFault {
		reply.Text, reply.fault = "", model.Fault{}
	}
}

func sameCall(a, b ToolCall) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Arguments == b.Arguments
}

// output passes an answer through the filter, which may change or withhold it. The text of
// the last reply of a run is one, even if it has calls.
func (r mediator) output(ctx context.Context, turn int, reply *decodedReply, last bool) error {
	isAnswer := last || len(reply.Calls) == 0 && reply.fault.Kind == model.NoFault
	if !isAnswer || r.agent.config.Output == nil || strings.TrimSpace(reply.Text) == "" {
		return nil
	}
	text, err := r.filtered(ctx, turn, reply.Text)
	if text != reply.Text {
		reply.Text = text
		reply.Reasoning, reply.ReasoningField, reply.Fields, reply.Items = "", "", nil, nil
	}
	return err
}

// filtered passes a text through the filter; it is "" if the filter withholds it.
func (r mediator) filtered(ctx context.Context, turn int, text string) (string, error) {
	c := r.agent.config
	answer := &OutputText{
		Text: text, Turn: turn, Session: r.session, Messages: slices.Clip(r.messages), Emit: r.emit,
		Model: c.Model, Params: c.Params, Streaming: c.Stream,
	}
	err := c.Output(ctx, answer)
	if _, ends := errors.AsType[*EndError](err); err != nil && !ends {
		return "", err
	}
	r.passed = append(r.passed, answer.Text)
	return answer.Text, err
}

// vet passes the text of the result through the filter if it is no answer that has passed:
// the text so far of a run that ended early.
func (r mediator) vet(ctx context.Context, err error) error {
	if r.agent.config.Output == nil || strings.TrimSpace(r.result.Text) == "" || slices.Contains(r.passed, r.result.Text) {
		return err
	}
	text := r.result.Text
	r.result.Text = "" // also if the filter panics
	text, failure := r.filtered(ctx, r.result.Turns, text)
	r.result.Text = text
	if _, ends := errors.AsType[*EndError](failure); ends || err != nil {
		return err
	}
	return failure
}
