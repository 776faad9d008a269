// Package server serves skills over MCP: the tools of context providers, a prompt for each
// skill, and the files of skills as resources, with the extension
// io.modelcontextprotocol/skills and the index of Agent Skills Discovery.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// Extension is the identifier of the skills extension.
const Extension = "io.modelcontextprotocol/skills"

// maxCalls is how many calls of tools run at once; another is refused.
const maxCalls = 64

// Options configures a server.
type Options struct {
	Version  string
	Source   loader.Source
	Provider *skills.Provider
	More     []agent.ContextProvider // others with tools
	Approve  agent.Approver          // decides on actions, may ask with [Ask]
	Mask     func(string) string     // masks keys in results
	Hints    Hints
	// Poll is how often [Server.Watch] looks for changes of skills; 0 means 2 seconds.
	Poll time.Duration
}

// Server serves skills to any number of sessions.
type Server struct {
	opt      Options
	sdk      *mcp.Server
	session  *agent.Session // knows the skills that any client has loaded
	calls    calls
	deciding sync.Mutex // held while a decision is taken, but not while a user is asked

	listing                   sync.Mutex // held while the lists are updated
	tools, prompts, resources known

	shared bool // several clients use the server
}

// New returns a server for the skills that the provider offers now, and later.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{opt: o, session: agent.NewSession(), calls: newCalls(), tools: known{}, prompts: known{}, resources: known{}}
	caps := &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true},
		Resources: &mcp.ResourceCapabilities{ListChanged: true},
	}
	caps.AddExtension(Extension, nil)
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "skills", Version: o.Version}, &mcp.ServerOptions{
		Capabilities: caps, SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = private },
	})
	library := library{o.Source}
	s.sdk.AddReceivingMiddleware(s.around)
	s.sdk.AddResourceTemplate(&mcp.ResourceTemplate{Name: "skill files", URITemplate: scheme + "{+path}", Description: "The files of the skills."}, library.read)
	err := library.addTo(s.sdk)
	if err != nil {
		return nil, err
	}
	return s, s.refresh(ctx)
}

// Run serves one session on a transport, until the client ends it or the context is
// cancelled.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.Watch(ctx)
	return s.sdk.Run(ctx, t)
}

// Connect starts a session on a transport.
func (s *Server) Connect(ctx context.Context, t mcp.Transport) (*mcp.ServerSession, error) {
	return s.sdk.Connect(ctx, t, nil)
}

// offered returns the tools and the instructions of all providers.
func (s *Server) offered(ctx context.Context) (tools []agent.Tool, instructions string, err error) {
	var texts []string
	for _, p := range append([]agent.ContextProvider{s.opt.Provider}, s.opt.More...) {
		added, err := p.Invoking(ctx, &agent.Invoking{Session: s.session})
		if err != nil {
			return nil, "", err
		}
		tools = append(tools, added.Tools...)
		if added.Instructions != "" {
			texts = append(texts, added.Instructions)
		}
	}
	return tools, strings.Join(texts, "\n\n"), nil
}

// around wraps every request: it can be cancelled with its session, the lists are those of
// now, and an error that is not the client's has the protocol's code for it.
func (s *Server) around(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ctx, end := s.calls.start(ctx, req)
		defer end()
		r, err := s.fresh(ctx, method, func() (mcp.Result, error) { return next(ctx, method, req) })
		return r, coded(req, err)
	}
}

// coded returns an error of the protocol.
func coded(req mcp.Request, err error) error {
	if err == nil {
		return nil
	}
	known := (*jsonrpc.Error)(nil)
	if !errors.As(err, &known) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	read, ok := req.(*mcp.ReadResourceRequest)
	if ok && known.Data != nil && !json.Valid(known.Data) { // the library quotes a URI as Go does, and could not send it
		return notFound(read.Params.URI)
	}
	return err
}

// fresh answers a request with lists and instructions that are those of now.
func (s *Server) fresh(ctx context.Context, method string, next func() (mcp.Result, error)) (mcp.Result, error) {
	var err error
	switch method {
	case "tools/call":
		err = s.refreshTools(ctx)
	case "tools/list", "prompts/list", "prompts/get", "resources/list":
		err = s.refresh(ctx)
	}
	if err != nil {
		return nil, err
	}
	r, err := next()
	if err != nil {
		return r, err
	}
	switch r := r.(type) {
	case *mcp.InitializeResult:
		_, r.Instructions, err = s.offered(ctx)
	case *mcp.DiscoverResult:
		_, r.Instructions, err = s.offered(ctx)
	}
	return r, err
}

// call runs a tool, after approval where it needs one.
func (s *Server) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if !s.calls.enter() {
		return failed(fmt.Sprintf("Error: %d calls run already; call again when one has ended.", cap(s.calls.slots))), nil
	}
	defer s.calls.leave()
	asked := newElicitation(req, s.shared)
	for range maxPrompts {
		result, err := s.perform(context.WithValue(ctx, elicitationKey{}, asked), req)
		if err != nil || asked.wanted == nil {
			return result, err
		}
		if asked.later() {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{asked.id: asked.wanted}}, nil
		}
		err = asked.ask(ctx)
		if err != nil {
			return nil, err
		}
	}
	return failed("Error: the action changed while the client's user was asked; call again."), nil
}

// perform runs a tool with the answers that are known so far.
func (s *Server) perform(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	tools, _, err := s.offered(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(tools, func(t agent.Tool) bool { return t.Name == req.Params.Name })
	if i < 0 {
		return failed(fmt.Sprintf("Error: the tool %q is no longer offered.", req.Params.Name)), nil
	}
	arguments := req.Params.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	inv := &agent.Invocation{
		Tool: &tools[i], Call: agent.ToolCall{ID: "call", Name: req.Params.Name, Arguments: string(arguments)},
		Arguments: arguments, Session: s.session, Emit: func(agent.Event) {},
	}
	result, err := agent.RequireApproval(s.decide)(prepared)(ctx, inv)
	if err != nil {
		result = agent.Broken(req.Params.Name, err)
	}
	return &mcp.CallToolResult{IsError: result.Failed, Content: []mcp.Content{&mcp.TextContent{Text: s.opt.Mask(result.Text)}}}, nil
}

// prepared runs the prepared action of a call.
func prepared(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
	action, err := inv.Prepare(ctx)
	if err != nil {
		return agent.ToolResult{}, err
	}
	return action.Run(ctx)
}

func (s *Server) decide(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
	s.deciding.Lock() // held only briefly: the user's answer is waited for outside
	defer s.deciding.Unlock()
	return s.opt.Approve(ctx, inv, a)
}

// failed is the result of a call that was not run.
func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
