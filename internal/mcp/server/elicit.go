package server

// A client's user is asked for approval by a form that says what the prompt at a terminal
// says. Protocol 2026-07-28 returns the form as the result of the call, which the client
// repeats with the answer; before it, the form is a request of its own. Accepting the form
// as it is means yes. Whatever else comes back, even an error of the client, denies the call
// and is a result of it.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/approve"
	"skills/internal/printable"
)

const (
	maxPrompts    = 3                // of one call, whose content may change
	answerTimeout = 15 * time.Minute // for the client's user
	maxReason     = 1000             // characters
	newProtocol   = "2026-07-28"     // has no requests to clients
)

type elicitationKey struct{}

// elicitation is the prompt for approval that a call needs from the client's user.
type elicitation struct {
	request *mcp.CallToolRequest
	answers map[string]approve.Answer // by the id of what was asked
	id      string
	wanted  *mcp.ElicitParams // nil if no approval is needed
	shared  bool              // other clients use the server too
}

func newElicitation(req *mcp.CallToolRequest, shared bool) *elicitation {
	e := &elicitation{request: req, answers: map[string]approve.Answer{}, shared: shared}
	for id, response := range req.Params.InputResponses {
		result, _ := response.(*mcp.ElicitResult)
		e.answers[id] = answerOf(result)
	}
	return e
}

var errApprovalPending = errors.New("the client's user is asked")

// Ask asks the user of the client for approval, for [approve.Options]. Without
// elicitation the error is [approve.ErrNoUser].
func Ask(ctx context.Context, r approve.Request) (approve.Answer, error) {
	e, _ := ctx.Value(elicitationKey{}).(*elicitation)
	if e == nil || !e.possible() {
		return approve.Answer{}, approve.ErrNoUser
	}
	// The answer is for exactly this action with these arguments.
	a := r.Approval
	sum := sha256.Sum256([]byte(printable.JSONText([]any{a.Action.Kind, a.Action.Owner, a.Action.Name, a.Args, a.Action.Arguments, a.Facts, a.Preview, r.Sandbox, r.Digest})))
	e.id = fmt.Sprintf("approve-%x", sum[:12])
	answer, ok := e.answers[e.id]
	if ok {
		e.wanted = nil
		return answer, nil
	}
	e.wanted = form(r, e.shared)
	return approve.Answer{}, errApprovalPending
}

// possible reports whether the client can show a form.
func (e *elicitation) possible() bool {
	caps := e.request.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	return caps.Elicitation.Form != nil || caps.Elicitation.URL == nil // neither is a form too
}

// later reports whether the client gets the form as the result of the call.
func (e *elicitation) later() bool {
	p := e.request.Session.InitializeParams()
	return p == nil || p.ProtocolVersion >= newProtocol
}

// ask asks with a request to the client. The error is that of a call that has ended.
func (e *elicitation) ask(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	result, err := e.request.Session.Elicit(limited, e.wanted)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		e.answers[e.id] = approve.Answer{Reason: fmt.Sprintf("the client's user did not answer in %v", answerTimeout)}
	case err != nil:
		why := printable.Truncate(printable.Line(err.Error()), maxReason)
		e.answers[e.id] = approve.Answer{Reason: "the client did not return an answer of its user: " + why}
	default:
		e.answers[e.id] = answerOf(result)
	}
	e.wanted = nil
	return nil
}

// form returns the form that asks for approval. What is chosen at first is yes.
func form(r approve.Request, shared bool) *mcp.ElicitParams {
	text, choices := approve.Form(r, !shared)
	var values []any
	var lines []string
	for _, c := range choices {
		values = append(values, c.Name)
		lines = append(lines, c.Name+": "+c.Effect)
	}
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: map[string]any{
		"type": "object", "required": []string{"answer"},
		"properties": map[string]any{
			"answer": map[string]any{
				"type": "string", "title": "Answer", "description": strings.Join(lines, "; "), "enum": values, "default": values[0],
			},
			"reason": map[string]any{
				"type": "string", "title": "Reason for a no", "description": "Tells the model why; may be empty.", "maxLength": maxReason,
			},
		},
	}}
}

// answerOf reads what a client returned for the form.
func answerOf(result *mcp.ElicitResult) approve.Answer {
	if result == nil {
		return approve.Answer{Reason: "the client did not return an answer of its user"}
	}
	answer, filled := result.Content["answer"].(string)
	reason, _ := result.Content["reason"].(string)
	switch {
	case result.Action == "cancel":
		return approve.Answer{Reason: "the client's user closed the prompt"}
	case result.Action != "accept":
		return approve.Answer{Reason: "the client's user answered no"}
	case !filled:
		return approve.Answer{Reason: "the client returned an empty form"}
	}
	parsed, ok := approve.ParseChoice(answer, reason)
	if !ok {
		return approve.Answer{Reason: "the client returned an answer that was not offered"}
	}
	return parsed
}
