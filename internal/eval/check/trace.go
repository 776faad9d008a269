package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/eval/suite"
	"skills/internal/printable"
	"skills/internal/todo"
)

// Call is a tool call.
type Call struct {
	agent.ToolCallEvent
	Result agent.ToolResultEvent
}

// Trace is what a run did.
type Trace struct {
	Calls []Call
	Todos []todo.Item // at the end
	Usage int         // turns with a token usage
}

// Add adds an event of the run's transcript.
func (t *Trace) Add(event agent.Event) {
	switch event := event.(type) {
	case agent.ToolCallEvent:
		t.Calls = append(t.Calls, Call{ToolCallEvent: event})
	case agent.ToolResultEvent:
		if i := slices.IndexFunc(t.Calls, func(c Call) bool { return c.ID == event.ID }); i >= 0 {
			t.Calls[i].Result = event
		}
	case agent.UsageEvent:
		t.Usage++
	case todo.Event:
		t.Todos = event.Items
	}
}

// used reports whether an action of a kind succeeded for the skill under test, and for the
// resource or script at the path of the check, if it has one. A script that ran was used,
// whatever its exit code, unless the check names one.
func (g grader) used(kind string) bool {
	return slices.ContainsFunc(g.e.Trace.Calls, func(call Call) bool {
		done := call.Result.Action
		if done.Kind != kind || !strings.EqualFold(done.Owner, g.e.Skill) {
			return false
		}
		if g.Path != "" && !strings.EqualFold(path.Clean(done.Name), path.Clean(g.Path)) {
			return false
		}
		if ran := call.Result.Process; ran != nil {
			return g.ExitCode == nil || *g.ExitCode == ran.ExitCode
		}
		return call.Result.OK && g.ExitCode == nil
	})
}

// Old reports whether an earlier version of the program, whose results do not say what
// the calls did, has stored the trace.
func (t *Trace) Old() bool {
	return slices.ContainsFunc(t.Calls, func(call Call) bool {
		ran := call.Result.OK || call.Result.Process != nil
		return ran && call.Result.Action.Kind == ""
	})
}

func (g grader) trace() (bool, string, error) {
	kinds := map[string]string{
		"skill_loaded": agent.KindSkill, "skill_not_loaded": agent.KindSkill,
		"resource_read": agent.KindResource, "script_used": agent.KindScript,
	}
	if kind := kinds[g.Type]; kind != "" {
		used := g.used(kind)
		return used == (g.Type != "skill_not_loaded"), fmt.Sprintf("used: %v", used), nil
	}
	switch g.Type {
	case "tool_used":
		return g.toolUsed()
	case "tool_order":
		rest := g.Tools
		for _, call := range g.e.Trace.Calls {
			if len(rest) > 0 && call.Name == rest[0] {
				rest = rest[1:]
			}
		}
		called := len(g.Tools) - len(rest)
		return len(rest) == 0, fmt.Sprintf("%d of %d called in this order", called, len(g.Tools)), nil
	case suite.TodosComplete:
		all := g.e.Trace.Todos
		open := slices.ContainsFunc(all, func(t todo.Item) bool { return !t.IsComplete })
		return len(all) > 0 && !open, fmt.Sprintf("%s, open: %v", printable.Plural(len(all), "todo"), open), nil
	}
	return false, "", fmt.Errorf("unknown type of check %s", printable.Quote(g.Type))
}

// toolUsed decides whether a tool was called as often as the check requires, by default
// at least once.
func (g grader) toolUsed() (bool, string, error) {
	count := 0
	for _, call := range g.e.Trace.Calls {
		if call.Name != g.Tool {
			continue
		}
		matches, _, err := search(string(call.Arguments), g.Input)
		if err != nil {
			return false, "", err
		}
		if matches {
			count++
		}
	}
	if g.Min == nil && (g.Max == nil || *g.Max > 0) {
		g.Min = new(1.0)
	}
	return g.within(float64(count), "calls")
}
