package skills_test

import (
	"context"
	"fmt"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// TestCallerOfFunction checks that a function script finds the agent and the call that
// run it in its context.
func TestCallerOfFunction(t *testing.T) {
	skill, err := loader.Inline(loader.Frontmatter{Name: "who", Description: "d"}, "x",
		loader.Function("calls", "", func(ctx context.Context, _ struct{}) (string, error) {
			inv := agent.InvocationFrom(ctx)
			return fmt.Sprintf("%s of turn %d of %s, %d messages, agent %t", inv.Call.ID, inv.Turn, inv.Model, len(inv.Messages), inv.Agent != nil), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	provider, err := skills.New(skills.Options{Source: loader.Memory(skill)})
	if err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(t,
		openaitest.Do(openaitest.Call{ID: "c1", Name: "run_skill_script", Arguments: `{"skillName":"who","scriptName":"calls"}`}), openaitest.Text("done"))
	a, err := agent.New(agent.Config{Server: agent.Server{BaseURL: server.URL}, Model: "m", Providers: []agent.ContextProvider{provider}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), nil, "go")
	if err != nil || len(result.Messages) != 4 || result.Messages[2].Text != "c1 of turn 1 of m, 2 messages, agent true" {
		t.Errorf("got %+v, %v", result.Messages, err)
	}
}
