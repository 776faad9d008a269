package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent/model"
)

// A completion check decides whether an answer ends the run. What it needs of the run is
// in its input: the conversation, events, and a question to the model aside.

// CompletionCheck decides whether an answer ends the run (the framework's loop
// evaluator). Feedback is sent to the model as another request; "" accepts the
// answer. An error fails the run. The check must limit the number of rounds
// itself.
type CompletionCheck func(ctx context.Context, c Completion) (feedback string, err error)

// Completion is the input of a [CompletionCheck].
type Completion struct {
	Session   *Session
	Text      string    // the answer
	Turn      int       // the turn of the answer, from 1
	Rounds    int       // how often the run continued after an answer
	ToolCalls int       // calls of this run that were answered
	Messages  []Message // the conversation so far; read-only
	Emit      func(Event)
	// Ask asks the model aside: the question and its reply are not part of the
	// conversation, but of what the run may use.
	Ask func(ctx context.Context, instructions, text string) (string, error)
}

// LimitLoops is the limit of the rounds of a loop.
const LimitLoops = "loops"

// LoopEvent is one round of a loop: a check of the answer.
type LoopEvent struct {
	Round    int    `json:"round"` // from 1
	Max      int    `json:"max"`   // how often the model is asked to go on
	By       string `json:"by"`    // "program" or "judge"
	Check    string `json:"check"` // the command, or the condition
	Passed   bool   `json:"passed"`
	ExitCode *int   `json:"exit_code,omitempty"` // of the program
	Reason   string `json:"reason,omitempty"`    // of the judge, or why the program did not pass
}

// EventType returns "loop".
func (LoopEvent) EventType() string { return "loop" }

// PlanEvent is what a person decided on the plan of a run.
type PlanEvent struct {
	Decision string `json:"decision"`         // approved, changed, rejected or ended
	Reason   string `json:"reason,omitempty"` // what another plan has to change
	Plan     string `json:"plan,omitempty"`   // as the person changed it
}

// EventType returns "plan".
func (PlanEvent) EventType() string { return "plan" }

// Message is the decision for people.
func (e PlanEvent) Message() string {
	switch e.Decision {
	case "approved":
		return "the plan is approved"
	case "changed":
		return "the plan is approved with changes"
	case "rejected":
		return "the plan is not approved: " + e.Reason
	}
	return "the plan is not approved; nothing was run or changed"
}

// next returns what follows an answer: the feedback of a check, or what the user says next;
// nil lets the run end.
func next(ctx context.Context, r *run, turn int) (*Message, error) {
	more, err := r.feedback(ctx, turn)
	switch {
	case err != nil:
		return nil, err
	case more != "":
		return &Message{Role: User, Source: FromContext, Text: more}, nil
	case r.said == len(r.agent.config.Next):
		return nil, nil
	}
	r.said++
	return &Message{Role: User, Source: FromUser, Text: r.agent.config.Next[r.said-1]}, nil
}

// feedback calls the completion checks; "" lets the run end.
func (r *run) feedback(ctx context.Context, turn int) (string, error) {
	for _, check := range r.agent.config.Checks {
		more, err := await(ctx, r.agent.config.Grace, func() (string, error) { return check(ctx, completionOf(r, turn)) })
		limit, _ := errors.AsType[*LimitError](err)
		switch {
		case limit != nil:
			return "", limit
		case err != nil:
			return "", fmt.Errorf("checking the answer: %w", err)
		}
		if more != "" {
			r.rounds++
			r.previous = model.Reply{Text: r.result.Text, Finish: r.result.Cut}
			return more, nil
		}
	}
	return "", nil
}

func completionOf(r *run, turn int) Completion {
	return Completion{
		Session: r.session, Text: r.result.Text, Turn: turn, Rounds: r.rounds, ToolCalls: r.result.ToolCalls,
		Messages: slices.Clip(r.messages), Emit: r.emit,
		Ask: func(ctx context.Context, instructions, text string) (string, error) {
			return askAside(ctx, r, turn, instructions, text)
		},
	}
}

// askAside asks the model something that is not a turn of the conversation.
func askAside(ctx context.Context, r *run, turn int, instructions, text string) (string, error) {
	request := Request{
		Model: r.agent.config.Model, Instructions: instructions, Aside: true,
		Messages: []Message{{Role: User, Source: FromContext, Text: text}},
	}
	handler := func(ctx context.Context, call *ModelCall) (Reply, error) {
		request = call.Request
		return r.agent.client.Complete(ctx, request, model.Observer{
			OnSend:  func(string, bool, bool) {},
			OnRetry: func(retry model.Retry) { r.emit(RetryEvent(retry)) },
			OnWarn:  func(message string) { r.emit(WarningEvent{Message: message}) },
		})
	}
	call := &ModelCall{Request: request, Session: r.session, Turn: turn, Closing: true, Emit: r.emit}
	reply, err := wrap(ModelHandler(handler), r.agent.config.ModelMiddleware)(ctx, call)
	if err != nil {
		return "", err
	}
	r.budget.spend(request, reply)
	r.result.Usage = r.result.Usage.Add(reply.Usage)
	if reply.Usage != nil {
		r.emit(UsageEvent{Turn: turn, Usage: *reply.Usage})
	}
	return strings.TrimSpace(reply.Text), nil
}
