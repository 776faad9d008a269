package client

// A call of a tool is shown and approved like all actions. While it runs, the server may
// report progress, which the person sees and which extends its time limit.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/printable"
)

// prepare returns a call of the tool, which needs approval.
func (t *tool) prepare(_ context.Context, inv *agent.Invocation) (agent.Action, error) {
	return &action{tool: t, arguments: inv.Arguments, id: inv.Call.ID, emit: inv.Emit}, nil
}

// action is a call of a server's tool.
type action struct {
	tool      *tool
	arguments json.RawMessage
	id        string
	emit      func(agent.Event)
}

// Summary names the server and its tool.
func (a *action) Summary() agent.Summary {
	return agent.Summary{
		Kind: agent.KindTool, Owner: a.tool.Server.Name, Name: a.tool.def.Name,
		Line: agent.DescribeArguments(a.arguments), Arguments: a.arguments,
	}
}

// Approval asks for every call: what a server does with it is unknown.
func (a *action) Approval() *agent.Approval { return &agent.Approval{Action: a.Summary()} }

// Run calls the tool.
func (a *action) Run(ctx context.Context) (agent.ToolResult, error) {
	var got *mcp.CallToolResult
	c := a.tool.connection
	report := func(text string) { a.emit(agent.CallProgressEvent{ID: a.id, Text: text}) }
	err := c.reported(ctx, report, func(ctx context.Context, meta mcp.Meta) (err error) {
		got, err = c.session.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: a.tool.def.Name, Arguments: a.tool.complete(a.arguments)})
		return err
	})
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("the MCP server %s: %w", c.Name, err)
	}
	return c.result(a.tool.def.Name, got.Content, got.StructuredContent, got.IsError), nil
}

// reported calls f like within, with what a request needs for progress. While f runs, report
// receives the progress; it is not called afterwards.
func (c *connection) reported(ctx context.Context, report func(text string), f func(context.Context, mcp.Meta) error) error {
	token := fmt.Sprintf("%s-%d", c.Name, c.calls.Add(1))
	latest := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		done <- c.within(ctx, func(ctx context.Context) error {
			c.progress.Store(token, func(p *mcp.ProgressNotificationParams) {
				extend(ctx)
				select {
				case <-latest: // nobody has seen it
				default:
				}
				select {
				case latest <- c.opt.Mask(describeProgress(p)):
				default:
				}
			})
			defer c.progress.Delete(token)
			return f(ctx, mcp.Meta{"progressToken": token})
		})
	}()
	for {
		select {
		case text := <-latest:
			report(text)
		case err := <-done:
			return err
		}
	}
}

// describeProgress returns the progress of a call for people.
func describeProgress(p *mcp.ProgressNotificationParams) string {
	text := fmt.Sprintf("%.6g", p.Progress)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %.6g", p.Total)
	}
	if p.Message != "" {
		text += ": " + oneLine(p.Message)
	}
	return text
}

// complete adds the parameters that the server requires and that are null without a value.
func (t *tool) complete(arguments json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if len(t.nulls) == 0 || json.Unmarshal(arguments, &given) != nil {
		return arguments
	}
	out := slices.Clone(bytes.TrimSuffix(bytes.TrimSpace(arguments), []byte("}")))
	for _, name := range t.nulls {
		if _, ok := given[name]; ok {
			continue
		}
		if len(given) > 0 {
			out = append(out, ',')
		}
		given[name] = nil
		out = append(out, printable.JSONText(name)+":null"...)
	}
	return append(out, '}')
}
