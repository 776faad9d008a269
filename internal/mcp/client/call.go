package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/printable"
	"skills/internal/script"
)

func (t *tool) call(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
	var got *mcp.CallToolResult
	err := t.within(ctx, func(ctx context.Context) (err error) {
		got, err = t.session.CallTool(ctx, &mcp.CallToolParams{Name: t.def.Name, Arguments: inv.Arguments})
		return err
	})
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("the MCP server %s: %w", t.Server.Name, err)
	}
	text, cut := bounded(text(got), script.DefaultOutputCap)
	return agent.ToolResult{Text: text, Failed: got.IsError, Truncated: cut}, nil
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

// allowed returns the first pattern that matches a tool, or "".
func (c *Client) allowed(t *tool) string {
	for _, pattern := range c.opt.Allow {
		if pattern.Matches(t.Server.Name, t.def.Name) {
			return pattern.Text
		}
	}
	return ""
}

// Approve implements [agent.Approver] for the tools of servers, with the rules of
// [skills.Policy].
func (c *Client) Approve(ctx context.Context, inv *agent.Invocation) (d agent.Decision, needed bool, err error) {
	if inv.Tool == nil || c.tools[inv.Tool.Name] == nil {
		return d, false, nil
	}
	t := c.tools[inv.Tool.Name]
	switch pattern := c.allowed(t); {
	case pattern != "":
		return agent.Decision{Approved: true, By: "flag", Reason: "--allow-tool " + pattern}, true, nil
	case c.opt.Mode == skills.Always:
		return agent.Decision{Approved: true, By: "flag", Reason: "--approve always"}, true, nil
	case c.remembered[t]:
		return agent.Decision{Approved: true, By: "user", Reason: "approved for the rest of the run"}, true, nil
	}
	answer, err := skills.Answer{}, skills.ErrNoUser
	if c.opt.Ask != nil {
		answer, err = c.opt.Ask(ctx, skills.Request{MCP: true, Skill: t.Server.Name, Script: t.def.Name, Arguments: inv.Arguments})
	}
	if errors.Is(err, skills.ErrNoUser) {
		hint := fmt.Sprintf("re-run with --allow-tool '%s' to allow it", t)
		return agent.Decision{By: "policy", Reason: "tools of MCP servers need approval and no one is available", Hint: hint}, true, nil
	}
	c.remembered[t] = answer.Remember
	return agent.Decision{Approved: answer.Approved, By: "user", Reason: answer.Reason}, true, err
}
