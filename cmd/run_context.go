package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/report"
	"skills/internal/terminal"
	"skills/internal/transcript"
)

// showContext prints what the model would be told, and sends nothing.
func (a *app) showContext(ctx context.Context, f runFlags, p *plan) error {
	ag, err := agent.New(p.config)
	if err != nil {
		return &failure{exitUsage, err, "check --base-url and -m"}
	}
	req, err := ag.Prepare(ctx, p.session, p.prompt)
	if err != nil {
		return problem("", err)
	}
	if p.prompt == "" {
		req.Messages = req.Messages[1:] // the empty prompt
	}
	if f.format != "text" {
		return report.EncodeJSON(a.Stdout, contextJSON(req))
	}
	var b strings.Builder
	section := func(title, text string) {
		fmt.Fprintf(&b, "── %s\n%s\n\n", title, strings.TrimRight(terminal.Clean(text), "\n"))
	}
	section("system", req.Instructions)
	for _, m := range req.Messages {
		section(fmt.Sprintf("message · %s (%s)", m.Role, m.Source), m.Text)
	}
	for _, t := range req.Tools {
		schema, err := json.MarshalIndent(t.Schema, "", "  ")
		if err != nil {
			return err
		}
		section("tool · "+t.Name, strings.TrimSpace(t.Description)+"\n"+string(schema))
	}
	_, err = fmt.Fprint(a.Stdout, strings.TrimSuffix(b.String(), "\n"))
	return err
}

type shownMessage struct {
	Role   agent.Role   `json:"role"`
	Source agent.Source `json:"source"`
	Text   string       `json:"text"`
}

func contextJSON(req agent.Request) any {
	out := struct {
		SchemaVersion int               `json:"schema_version"`
		Model         string            `json:"model"`
		System        string            `json:"system"`
		Messages      []shownMessage    `json:"messages"`
		Tools         []transcript.Tool `json:"tools"`
	}{1, req.Model, req.Instructions, []shownMessage{}, transcript.Tools(req)}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, shownMessage{m.Role, m.Source, m.Text})
	}
	return out
}
