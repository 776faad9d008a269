package agent

// A run begins in one form of tool calls and changes it where it has to: a server that
// refuses a form gets a simpler one, and a model that writes calls as text gets constrained
// calls. Each change is reported once.

import (
	"context"

	"skills/internal/agent/constrained"
	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
)

// The modes of tool calls.
const (
	CallsAuto   = "auto"   // native, and constrained if the model or the server needs it
	CallsNative = "native" // by the protocol
	CallsJSON   = "json"   // constrained: as JSON that the server holds to a schema
)

// ToolCalls is how the model calls tools.
type ToolCalls struct {
	Mode string // "" is native
	// Changed is called when a run in auto mode has changed to constrained calls, and the
	// model's first reply is in their form; may be nil.
	Changed func()
}

// forms is what is known about the form of the model's calls, and of requests to the server.
type forms struct {
	constrained bool // calls are JSON that the server holds to a schema
	called      bool // whether the model has called a tool in this run
	unproved    bool // auto mode chose them, and no reply was in their form yet
	reminded    bool // whether the last reply was a call in a wrong form
	told        bool // whether the model was told that its reply is not in the form
	quirks      int  // number of quirks of the server that the session holds
}

// newForms returns the forms of a run.
func newForms(c ToolCalls) forms { return forms{constrained: c.Mode == CallsJSON} }

// form returns the present form for a request.
func (f *forms) form(ctx context.Context, e *exchange) model.Form {
	words, isAnswer := textTools(e.request.Tools), e.run.agent.config.IsAnswer
	if !f.constrained {
		return nativeForm{tools: words, isAnswer: isAnswer, closing: e.event.Closing}
	}
	e.run.prepared.choices(ctx, e.run.session, e.run.sent, e.request.Tools)
	return &constrained.Form{Tools: e.request.Tools, Closing: e.event.Closing, Words: words, IsAnswer: isAnswer, Hint: e.run.prepared.hint}
}

// choices sets what calls of the tools make sense at present.
func (p *prepared) choices(ctx context.Context, session *Session, sent []Message, tools []RequestTool) {
	again := repeated(sent)
	for i := range tools {
		tool := p.tool(tools[i].Name)
		switch {
		case tools[i].Name == again:
			tools[i].Choices = []Choice{}
		case tool != nil && tool.Choices != nil:
			tools[i].Choices = tool.Choices(ctx, session, sent)
		}
	}
}

// repeated returns the tool of the last call if the same call was made before for the same
// prompt: small models repeat themselves without end. It is "" if there is none.
func repeated(sent []Message) string {
	var calls []ToolCall
	for _, m := range sent {
		if m.Role == User && !m.Added() {
			calls = nil
		}
		calls = append(calls, m.Calls...)
	}
	if len(calls) == 0 {
		return ""
	}
	last := calls[len(calls)-1]
	for _, c := range calls[:len(calls)-1] {
		if c.Name == last.Name && c.Arguments == last.Arguments {
			return last.Name
		}
	}
	return ""
}

// refused changes to constrained calls in auto mode, after an error that is about tools.
func (f *forms) refused(e *exchange, failed *Error) bool {
	if !f.mayConstrain(e) || !failed.RefusesTools() {
		return false
	}
	f.constrain(e, "the server refuses tools")
	e.again(failed.Message, nil)
	return true
}

// mayConstrain reports whether the run may change to constrained calls.
func (f *forms) mayConstrain(e *exchange) bool {
	return !f.constrained && e.run.agent.config.ToolCalls.Mode == CallsAuto && len(e.request.Tools) > 0
}

// constrain changes to constrained calls for the rest of the run.
func (f *forms) constrain(e *exchange, why string) {
	f.constrained, f.unproved, e.run.prepared.lean = true, true, true
	e.run.prepared.join()
	lean := e.run.agent.request(e.run.prepared, nil, nil)
	e.request.Instructions, e.request.Tools = lean.Instructions, lean.Tools
	e.run.warn("%s; continuing with --tool-calls json", why)
}

// proved reports the change to constrained calls once a reply is in their form: for a server
// that holds no schema, the next run should not begin with them.
func (f *forms) proved(e *exchange, reply model.Reply, fault model.Fault) {
	isEmpty := reply.Text == "" && len(reply.Calls) == 0
	if !f.unproved || isEmpty || fault.Kind != model.NoFault {
		return
	}
	f.unproved = false
	if changed := e.run.agent.config.ToolCalls.Changed; changed != nil {
		changed()
	}
}

// inText is why native calls are left.
const inText = "the model writes tool calls as text"

// leaveNative changes to constrained calls after a reply to native ones, in auto mode. The
// request is sent again: such a reply chose among less than the model gets then.
func (f *forms) leaveNative(e *exchange, reply model.Reply, why string) bool {
	if !f.mayConstrain(e) || e.event.Closing {
		return false
	}
	f.constrain(e, why)
	e.again(why, reply.Usage)
	return true
}

// watches reports whether the model may still show that it does not call tools.
func (f *forms) watches(e *exchange) bool { return !f.called && f.mayConstrain(e) && !e.event.Closing }

// leaveUnseen changes to constrained calls after an answer that shows that the model does not
// see the tools, or only writes about calling them, in auto mode. One that has called a tool in this run sees them.
func (f *forms) leaveUnseen(e *exchange, reply model.Reply) bool {
	f.called = f.called || len(reply.Calls) > 0
	if !f.watches(e) {
		return false
	}
	why := toolsUnseen(e.request, reply, e.run.agent.client.Kind())
	if len(reply.Calls) == 0 && textcalls.Described(reply.Text, textTools(e.request.Tools)) {
		why = inText
	}
	return why != "" && f.leaveNative(e, reply, why)
}

// judge returns the fault that counts: text in place of JSON is an answer once the model
// was told, and at the end.
func (f *forms) judge(e *exchange, fault model.Fault) model.Fault {
	if fault.Kind != model.NotInForm {
		return fault
	}
	if f.told || e.event.Closing {
		return model.Fault{}
	}
	f.told = true
	return fault
}

// remind answers a reply in a wrong form, once; a second such reply in a row is an error.
func (f *forms) remind(ctx context.Context, r *run, fault model.Fault) error {
	if f.reminded {
		return &TextCallError{Reason: fault.Reason, Constrained: f.constrained}
	}
	f.reminded = true
	return r.addText(ctx, fault.Reminder)
}
