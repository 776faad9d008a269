package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/agent"
	"skills/internal/doctor/probe"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/run"
)

// ServerDiagnosis is what a server and its model can do, as it is printed in JSON.
type ServerDiagnosis struct {
	probe.Report
	Server      string            `json:"server"` // its name in the user's own configuration, or ""
	BaseURL     string            `json:"base_url"`
	KeyVariable string            `json:"key_variable"`
	Headers     map[string]string `json:"headers,omitempty"` // with masked values
	// ToolCalls is the form of tool calls that an earlier run found out this model needs:
	// "json", or "" for none.
	ToolCalls string `json:"tool_calls,omitempty"`
}

// ExamineServer finds out what the server of the options can do, by a few requests. An
// error is one of the options, or that of ctx. forget clears what earlier runs found out about
// the model's tool calls.
func ExamineServer(ctx context.Context, env run.Env, o run.Options, forget bool) (ServerDiagnosis, error) {
	err := o.Server.Check()
	if err != nil {
		return ServerDiagnosis{}, err
	}
	server, err := run.FindServer(env, o.Server, run.ReadVariables(ctx, env, o.Server))
	if err != nil {
		return ServerDiagnosis{}, err
	}
	err = run.ConfirmServer(ctx, env, o.Server, server, o.Approval.Confirm)
	if err != nil {
		return ServerDiagnosis{}, err
	}
	if server.Warning != "" {
		env.Warn("%s", server.Warning)
	}
	if forget {
		env.RememberCalls(server.BaseURL, server.Model, false, time.Now())
	}
	report, err := probe.Server(ctx, probe.Target{
		Server: server.Connection("skills/"+env.Version, 0), Model: server.Model, Window: server.Window,
	})
	out := ServerDiagnosis{
		Report: report, Server: server.Name, BaseURL: run.PublicURL(server.BaseURL), KeyVariable: server.KeyVariable, Headers: server.Headers(),
	}
	if env.NeedsConstrainedCalls(server.BaseURL, server.Model) {
		out.ToolCalls = agent.CallsJSON
	}
	if err != nil && ctx.Err() == nil {
		err = fault.AsUsage(err)
	}
	return out, err
}

// Text returns a table: each ability, what was found, and what a run does about it.
func (d ServerDiagnosis) Text(styles *lipgloss.Renderer, width int, mask *redact.Masker) string {
	l := newCheckList(styles, width, mask)
	name := d.Model
	if d.Server != "" {
		name = d.Server + "/" + d.Model
	}
	at := d.BaseURL
	if d.Kind != "" {
		at += ", " + d.Kind
	}
	l.title(name, at)
	states := map[probe.State]State{probe.OK: OK, probe.Warning: Unsure, probe.Failed: Missing, probe.Unknown: Unsure}
	for _, c := range d.Checks {
		hint := c.Run
		if c.State != probe.Failed && hint != "" {
			hint = "run " + hint
		}
		if len(c.Flags) > 0 {
			hint = strings.TrimPrefix(hint+"; "+strings.Join(c.Flags, " "), "; ")
		}
		l.line(states[c.State], fmt.Sprintf("%-17s %s", c.Name, c.Found), hint)
	}
	if d.ToolCalls != "" {
		l.line(OK, fmt.Sprintf("%-17s %s", "remembered", "an earlier run needed tool calls as JSON"), "run starts with --tool-calls json; --forget clears this")
	}
	l.WriteByte('\n')
	end := printable.Plural(d.Requests, "request")
	switch {
	case !d.OK:
		end += "; run does not work with it"
	case len(d.Flags) > 0:
		end += "; flags to use: " + strings.Join(d.Flags, " ")
	default:
		end += "; no flags are needed"
	}
	l.WriteString(l.fold(l.safe(end)) + "\n")
	return l.String()
}
