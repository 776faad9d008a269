package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/transcript"
)

// preview prints what the model would see, without sending it.
func (c *console) preview(ctx context.Context, parts *run.Parts) error {
	req, err := parts.Request(ctx)
	if err != nil {
		return err
	}
	c.announce(parts.Announcements())
	if parts.Prompt == "" { // the empty prompt after the session's messages
		req.Messages = slices.DeleteFunc(req.Messages, func(m agent.Message) bool { return m.Source == agent.FromUser })
	}
	if c.Format != "text" {
		return printable.WriteJSON(parts.Mask.Lines(printable.EscapeJSON(c.jsonOutput())), struct {
			SchemaVersion int                  `json:"schema_version"`
			Model         string               `json:"model"`
			Params        agent.Params         `json:"params,omitempty"`
			System        string               `json:"system"`
			Messages      []transcript.Message `json:"messages"`
			Tools         []agent.RequestTool  `json:"tools"`
		}{
			SchemaVersion: 1,
			Model:         req.Model,
			Params:        req.Params,
			System:        req.Instructions,
			Messages:      transcript.Messages(req.Messages),
			Tools:         req.Tools,
		})
	}
	var b strings.Builder
	section := func(title, text string) {
		fmt.Fprintf(&b, "── %s\n%s\n\n", title, strings.TrimRight(printable.Text(text), "\n"))
	}
	if len(req.Params) > 0 {
		section("parameters", printable.JSONText(req.Params))
	}
	if req.Instructions != "" { // else it is in the first message
		section("system", req.Instructions)
	}
	for _, m := range req.Messages {
		title, text := fmt.Sprintf("message · %s (%s)", m.Role, m.Source), []string{}
		if m.Role == agent.ToolRole {
			title += " · " + printable.Line(m.Name+" "+m.CallID)
		}
		if m.Text != "" {
			text = append(text, m.Text)
		}
		calls := printable.Map(m.Calls, func(c agent.ToolCall) string { return fmt.Sprintf("call %s: %s %s", c.ID, c.Name, c.Arguments) })
		section(title, strings.Join(slices.Concat(text, printable.Map(m.Parts, transcript.Attachment), calls), "\n"))
	}
	for _, t := range req.Tools {
		var schema strings.Builder
		if err := printable.WriteJSON(&schema, t.Schema); err != nil {
			return err
		}
		section("tool · "+t.Name, strings.TrimSpace(t.Description)+"\n"+strings.TrimSpace(schema.String()))
	}
	_, err = fmt.Fprint(c.Stdout, parts.Mask.Text(strings.TrimSuffix(b.String(), "\n")))
	return err
}
