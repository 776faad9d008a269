package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/transcript"
)

// showContext prints what the model would see, without sending it.
func (r *Runner) showContext(ctx context.Context) error {
	ag, err := agent.New(r.config)
	if err != nil {
		return &fault.Error{Code: fault.Misuse, Err: err, Hint: "check --base-url and -m"}
	}
	req, err := ag.Prepare(ctx, r.session, r.prompt)
	if err != nil {
		return fault.AsFailed("", err)
	}
	r.printAnnounced()
	if r.prompt == "" { // the empty prompt after the session's messages
		req.Messages = slices.DeleteFunc(req.Messages, func(m agent.Message) bool { return m.Source == agent.FromUser })
	}
	if r.Format != "text" {
		return printable.WriteJSON(r.mask.Lines(printable.EscapeJSON(r.Stdout)), struct {
			SchemaVersion int                  `json:"schema_version"`
			Model         string               `json:"model"`
			Params        agent.Params         `json:"params,omitempty"`
			System        string               `json:"system"`
			Messages      []transcript.Message `json:"messages"`
			Tools         []agent.RequestTool  `json:"tools"`
		}{1, req.Model, req.Params, req.Instructions, transcript.Messages(req.Messages), req.Tools})
	}
	var b strings.Builder
	section := func(title, text string) {
		fmt.Fprintf(&b, "── %s\n%s\n\n", title, strings.TrimRight(printable.Text(text), "\n"))
	}
	if len(req.Params) > 0 {
		section("parameters", printable.JSONText(req.Params))
	}
	section("system", req.Instructions)
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
	_, err = fmt.Fprint(r.Stdout, r.mask.Text(strings.TrimSuffix(b.String(), "\n")))
	return err
}
