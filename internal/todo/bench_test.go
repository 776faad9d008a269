package todo_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"skills/internal/agent"
	"skills/internal/todo"
)

// bench is a provider with a session, as a run has them.
type bench struct {
	*testing.T
	session *agent.Session
	context agent.Context
	mu      sync.Mutex
	events  []todo.Event
}

func newBench(t *testing.T, opt todo.Options) *bench {
	t.Helper()
	return newBenchIn(t, opt, agent.NewSession())
}

func newBenchIn(t *testing.T, opt todo.Options, session *agent.Session) *bench {
	t.Helper()
	b := &bench{T: t, session: session}
	c, err := todo.New(opt).Invoking(t.Context(), &agent.Invoking{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	b.context = c
	return b
}

// perform runs a call with its prepared action, as the loop does.
func perform(t *testing.T, inv *agent.Invocation) (agent.ToolResult, error) {
	t.Helper()
	action, err := inv.Prepare(t.Context())
	if err != nil {
		return agent.ToolResult{}, err
	}
	return action.Run(t.Context())
}

// call calls a tool with JSON arguments, as the loop does.
func (b *bench) call(name, arguments string) agent.ToolResult {
	b.Helper()
	i := slices.IndexFunc(b.context.Tools, func(t agent.Tool) bool { return t.Name == name })
	if i < 0 {
		b.Fatalf("there is no tool %q", name)
	}
	result, err := perform(b.T, &agent.Invocation{
		Tool: &b.context.Tools[i], Arguments: json.RawMessage(arguments), Session: b.session, Emit: b.emit,
	})
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return result
}

func (b *bench) emit(e agent.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e.(todo.Event))
}

func (b *bench) want(name, arguments, want string) {
	b.Helper()
	if got := b.call(name, arguments).Text; got != want {
		b.Errorf("%s(%s)\ngot  %s\nwant %s", name, arguments, got, want)
	}
}

// shown is the list message of the next request.
func (b *bench) shown() string {
	b.Helper()
	messages, err := b.context.Ephemeral(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var text []string
	for _, m := range messages {
		if m.Role != agent.User || m.Source != agent.FromContext || m.Provider != "todo" || len(m.Calls) > 0 {
			b.Errorf("the list message is %+v, want a user message from the context provider todo", m)
		}
		text = append(text, m.Text)
	}
	return strings.Join(text, "\n=====\n")
}
