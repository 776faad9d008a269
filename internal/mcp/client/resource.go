package client

// Resources are what a server has to read, by URI. One tool lists and reads those of all
// servers. A URI that the server itself named is read without approval, because it tells the
// server nothing; one that the model made up may carry anything, and needs approval.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// ResourceTool is the name of the tool that reads resources.
const ResourceTool = "read_mcp_resource"

const maxResources = 200 // resources in a list

// resourceInput holds the arguments of the tool.
type resourceInput struct {
	Server string `json:"server"`
	URI    string `json:"uri,omitempty" guess:"url,resource"`
}

// resourceSchema returns the schema of these arguments.
func resourceSchema(servers []string) map[string]any {
	text := func(description string) map[string]any {
		return map[string]any{"type": "string", "description": description}
	}
	server := text("Name of the MCP server.")
	server["enum"] = servers
	return map[string]any{
		"type": "object", "required": []any{"server"},
		"properties": map[string]any{
			"server": server,
			"uri":    text("URI of the resource, as a list or a result of the server names it. Without it, the resources of the server are listed."),
		},
	}
}

// resourceTools returns the tool, if a server has resources.
func (c *Client) resourceTools() []agent.Tool {
	var names []string
	for s := range c.live {
		if s.capabilities().Resources != nil && c.opt.Offer(s.Name, ResourceTool) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	description := "Reads a resource of an MCP server (" + strings.Join(names, ", ") + "), or lists its resources."
	return []agent.Tool{agent.NewTool(ResourceTool, description, resourceSchema(names), c.prepareResource)}
}

// prepareResource returns the action of a call.
func (c *Client) prepareResource(_ context.Context, inv *agent.Invocation, in resourceInput) (agent.Action, error) {
	for s := range c.live {
		if s.Name == in.Server {
			return &reading{connection: s, input: in, arguments: inv.Arguments}, nil
		}
	}
	return nil, fmt.Errorf("no MCP server is named %s", printable.Quote(in.Server))
}

// reading is a call of the tool.
type reading struct {
	*connection
	input     resourceInput
	arguments []byte
}

// Summary names the server.
func (r *reading) Summary() agent.Summary {
	return agent.Summary{
		Kind: agent.KindTool, Owner: r.Server.Name, Name: ResourceTool,
		Line: strings.TrimSpace(r.Server.Name + " " + r.input.URI), Arguments: r.arguments,
	}
}

// Approval asks for a URI that the server did not name.
func (r *reading) Approval() *agent.Approval {
	if _, named := r.known.Load(r.input.URI); named || r.input.URI == "" {
		return nil
	}
	return &agent.Approval{Action: r.Summary()}
}

// Run lists or reads.
func (r *reading) Run(ctx context.Context) (out agent.ToolResult, err error) {
	err = r.within(ctx, func(ctx context.Context) error {
		if r.input.URI == "" {
			out, err = r.listResources(ctx)
			return err
		}
		got, err := r.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.input.URI})
		if err != nil {
			return err
		}
		var content []mcp.Content
		for _, one := range got.Contents {
			content = append(content, &mcp.EmbeddedResource{Resource: one})
		}
		out = r.result(r.input.URI, content, nil, false)
		return nil
	})
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("the MCP server %s: %w", r.Server.Name, err)
	}
	return out, nil
}

// listResources returns a line for each resource, and for each template of addresses.
func (c *connection) listResources(ctx context.Context) (agent.ToolResult, error) {
	var lines []string
	add := func(uri, name, description, mime string) (full bool) {
		details := slices.DeleteFunc([]string{oneLine(name), oneLine(mime), oneLine(description)}, func(s string) bool { return s == "" })
		lines = append(lines, strings.TrimSpace(oneLine(uri)+"  "+strings.Join(details, ", ")))
		return len(lines) >= maxResources
	}
	for r, err := range c.session.Resources(ctx, nil) {
		if err != nil {
			return agent.ToolResult{}, err
		}
		if r == nil {
			continue
		}
		c.known.Store(r.URI, true)
		if add(r.URI, cmp.Or(r.Title, r.Name), r.Description, r.MIMEType) {
			lines = append(lines, fmt.Sprintf("[the list ends after %d resources]", maxResources))
			break
		}
	}
	shown := len(lines)
	for r, err := range c.session.ResourceTemplates(ctx, nil) {
		if err != nil { // many servers have none
			break
		}
		if r != nil && add(r.URITemplate, cmp.Or(r.Title, r.Name), r.Description, r.MIMEType) {
			break
		}
	}
	if len(lines) > shown {
		lines = slices.Insert(lines, shown, "Templates of URIs, to be filled in:")
	}
	if len(lines) == 0 {
		return agent.ToolResult{Text: "The server has no resources."}, nil
	}
	text, isCut := bounded(strings.Join(lines, "\n"), script.DefaultOutputLimit)
	return agent.ToolResult{Text: text, Truncated: isCut}, nil
}
