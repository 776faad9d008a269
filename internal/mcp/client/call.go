package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// prepare returns a call of the tool, which needs approval.
func (t *tool) prepare(_ context.Context, inv *agent.Invocation) (agent.Action, error) {
	return &action{tool: t, arguments: inv.Arguments}, nil
}

// action is a call of a server's tool.
type action struct {
	tool      *tool
	arguments json.RawMessage
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
	err := a.tool.within(ctx, func(ctx context.Context) (err error) {
		got, err = a.tool.session.CallTool(ctx, &mcp.CallToolParams{Name: a.tool.def.Name, Arguments: a.tool.complete(a.arguments)})
		return err
	})
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("the MCP server %s: %w", a.tool.Server.Name, err)
	}
	text, cut := bounded(text(got), script.DefaultOutputLimit)
	return agent.ToolResult{Text: text, Failed: got.IsError, Truncated: cut}, nil
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

// text returns the text of a result. Other content is named by its type and size.
func text(r *mcp.CallToolResult) string {
	var parts []string
	other := func(kind, name, mime string, size int) {
		words := strings.Join(strings.Fields(kind+" "+name), " ")
		parts = append(parts, fmt.Sprintf("[%s: %s, %s bytes, not shown]", words, cmp.Or(mime, "unknown type"), printable.Grouped(int64(size))))
	}
	for _, content := range r.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			other("image", "", c.MIMEType, len(c.Data))
		case *mcp.AudioContent:
			other("audio", "", c.MIMEType, len(c.Data))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[link %s: %s]", strings.TrimSpace(c.Name), c.URI))
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Text != "":
				parts = append(parts, c.Resource.Text)
			default:
				other("resource", c.Resource.URI, c.Resource.MIMEType, len(c.Resource.Blob))
			}
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		parts = append(parts, printable.JSONText(r.StructuredContent))
	}
	return strings.Join(parts, "\n")
}
