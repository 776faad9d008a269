// Package server serves skills over MCP: the tools of the skills provider, and the
// extension io.modelcontextprotocol/skills with the files as resources.
package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/loader"
	"skills/internal/printable"
)

// Extension is the identifier of the skills extension.
const Extension = "io.modelcontextprotocol/skills"

// Options configures a server.
type Options struct {
	Version  string
	Source   loader.Source
	Provider *skills.Provider
	Approve  agent.Approver      // decides on scripts, may ask with [Ask]
	Mask     func(string) string // masks keys in results
}

// server holds what the handlers share.
type server struct {
	Options
	mu sync.Mutex // held while a decision is taken
}

// New returns a server for the skills that the provider offers now.
func New(ctx context.Context, o Options) (*mcp.Server, error) {
	s := &server{Options: o}
	tools, instructions, err := s.tools(ctx, agent.NewSession())
	if err != nil {
		return nil, err
	}
	caps := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	caps.AddExtension(Extension, nil)
	out := mcp.NewServer(&mcp.Implementation{Name: "skills", Version: o.Version}, &mcp.ServerOptions{Instructions: instructions, Capabilities: caps})
	for _, t := range tools {
		out.AddTool(&mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema}, s.call)
	}
	return out, s.addSkills(out)
}

// tools returns the provider's tools, whose catalogue is in the session then.
func (s *server) tools(ctx context.Context, session *agent.Session) ([]agent.Tool, string, error) {
	added, err := s.Provider.Invoking(ctx, &agent.Invoking{Session: session})
	return added.Tools, added.Instructions, err
}

// skills returns the skills there are now: clients stay connected while people edit.
func (s *server) skills(ctx context.Context) ([]*loader.Skill, error) {
	if source, ok := s.Source.(interface {
		Refresh(ctx context.Context) ([]*loader.Skill, error)
	}); ok {
		return source.Refresh(ctx)
	}
	return s.Source.Skills(ctx)
}

// call runs a tool, after approval where it needs one. Each call has a session of its
// own, because the server does not see the client's conversations.
func (s *server) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := s.skills(ctx); err != nil {
		return nil, err
	}
	session := agent.NewSession()
	tools, _, err := s.tools(ctx, session)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(tools, func(t agent.Tool) bool { return t.Name == req.Params.Name })
	if i < 0 {
		return nil, fmt.Errorf("the tool %q is no longer offered", req.Params.Name)
	}
	arguments := req.Params.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	asked := &elicitation{request: req}
	ctx = context.WithValue(ctx, elicitationKey{}, asked)
	inv := &agent.Invocation{
		Tool: &tools[i], Call: agent.ToolCall{ID: "call", Name: req.Params.Name, Arguments: string(arguments)},
		Arguments: arguments, Session: session, Emit: func(agent.Event) {},
	}
	result, err := agent.RequireApproval(s.decide)(perform)(ctx, inv)
	switch {
	case asked.wanted != nil:
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{asked.id: asked.wanted}}, nil
	case err != nil:
		result = agent.Broken(req.Params.Name, err)
	}
	return &mcp.CallToolResult{IsError: result.Failed, Content: []mcp.Content{&mcp.TextContent{Text: s.Mask(result.Text)}}}, nil
}

// perform runs the prepared action of a call.
func perform(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
	action, err := inv.Prepare(ctx)
	if err != nil {
		return agent.ToolResult{}, err
	}
	return action.Run(ctx)
}

func (s *server) decide(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	s.mu.Lock() // held only briefly: the user's answer arrives with another call
	defer s.mu.Unlock()
	return s.Approve(ctx, inv, a)
}

type elicitationKey struct{}

// elicitation is the prompt for approval that a call needs from the client's user.
type elicitation struct {
	request *mcp.CallToolRequest
	id      string
	wanted  *mcp.ElicitParams // nil if no approval is needed
}

var errApprovalPending = errors.New("the client's user is asked")

// Ask asks the user of the client for approval, for [approve.Options]. Without
// elicitation the error is [approve.ErrNoUser].
func Ask(ctx context.Context, r approve.Request) (approve.Answer, error) {
	e, _ := ctx.Value(elicitationKey{}).(*elicitation)
	if e == nil {
		return approve.Answer{}, approve.ErrNoUser
	}
	params := e.request.Session.InitializeParams()
	if params == nil || params.Capabilities == nil || params.Capabilities.Elicitation == nil {
		return approve.Answer{}, approve.ErrNoUser
	}
	// The answer is for exactly this script with these arguments.
	sum := sha256.Sum256([]byte(printable.JSONText([]any{r.Action.Owner, r.Action.Name, r.Args, r.Action.Arguments, r.Sandbox, r.Digest})))
	e.id = fmt.Sprintf("approve-%x", sum[:12])
	if answer, ok := e.request.Params.InputResponses[e.id].(*mcp.ElicitResult); ok {
		yes, _ := answer.Content["run"].(bool)
		if answer.Action == "accept" && yes {
			return approve.Answer{Approved: true}, nil
		}
		return approve.Answer{Reason: "the client's user answered no"}, nil
	}
	text := fmt.Sprintf("Run the script %s of the skill %s?\nArguments: %s\nFolder: %s\nSandbox: %s",
		printable.Quote(r.Action.Name), printable.Quote(r.Action.Owner), printable.Strict(printable.JSONText(r.Action.Arguments)), printable.Strict(r.Dir), r.Sandbox)
	e.wanted = &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(
		`{"type":"object","required":["run"],"properties":{"run":{"type":"boolean","title":"Run the script","default":false}}}`)}
	return approve.Answer{}, errApprovalPending
}
