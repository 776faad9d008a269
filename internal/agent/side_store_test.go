package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
)

// storer notes each result with the state that goes with it, as a file does.
type storer struct {
	provider
	mu     sync.Mutex
	stored []string // id@state
	on     map[string]chan struct{}
	full   string // the result that it has no room for
}

func numbers() *agent.State[int] { return agent.NewState("n", func() int { return 0 }) }

func (k *storer) StateKeys() []string { return []string{"n"} }

func (k *storer) Added(_ context.Context, session *agent.Session, messages []agent.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	saved, err := session.Snapshot()
	if err != nil {
		return err
	}
	for _, m := range messages {
		if m.Role != agent.ToolRole {
			continue
		}
		if m.Text == k.full {
			close(k.on["full"])
			return errors.New("the disk is full")
		}
		k.stored = append(k.stored, fmt.Sprintf("%s@%s", m.CallID, saved["n"]))
		if on := k.on[m.CallID]; on != nil {
			close(on)
		}
	}
	return nil
}

// adds is a tool that counts in the session.
func adds() agent.Tool {
	t := tool("add", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
		var now int
		err := numbers().Update(inv.Session, func(n *int) error { *n++; now = *n; return nil })
		return agent.ToolResult{Text: fmt.Sprint(now)}, err
	})
	t.Ordered = true
	return t
}

// until waits for what another call does, or for the run's end.
func until(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func patiently(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// The result of each call is stored when it ends, whatever those before it do.
func TestSideStoresAtOnce(t *testing.T) {
	k := &storer{on: map[string]chan struct{}{"d": make(chan struct{})}}
	slow := tool("slow", func(ctx context.Context, _ *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "at last"}, until(ctx, k.on["d"])
	})
	k.provider = provider{name: "k", context: agent.Context{Tools: []agent.Tool{slow, echo("f"), adds()}}}
	server := openaitest.New(t, openaitest.Do(call("a", "slow", ""), call("b", "f", ""), call("c", "gone", ""), call("d", "add", "")), openaitest.Say("ok"))
	s := start(t, server, func(c *agent.Config) { c.Parallel, c.Providers = true, []agent.ContextProvider{k} })
	result, err := s.agent.Run(patiently(t), nil, "go")
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Index(k.stored, "d@1")
	if len(k.stored) != 4 || first < 0 || slices.Index(k.stored, "a@1") < first {
		t.Errorf("stored %q", k.stored)
	}
	if got := results(result); got[0] != "a=at last" || got[1] != "b=f{}" || !strings.HasPrefix(got[2], "c=Error: ") || got[3] != "d=1" {
		t.Errorf("the conversation has %q", got)
	}
}

// What is stored of the state is what the results stored until then speak of,
// also where a later call has changed it since, and an earlier one is not over.
func TestSideStoresStates(t *testing.T) {
	k := &storer{on: map[string]chan struct{}{"b": make(chan struct{})}}
	k.provider = provider{name: "k", context: agent.Context{Tools: []agent.Tool{echo("f"), adds()}}}
	added := make(chan struct{})
	around := func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			var err error
			if inv.Call.ID == "b" {
				err = until(ctx, added) // both additions are made
			}
			result, nerr := next(ctx, inv)
			switch inv.Call.ID {
			case "a":
				err = until(ctx, k.on["b"]) // which is stored before either
			case "c":
				close(added)
			}
			return result, errors.Join(err, nerr)
		}
	}
	server := openaitest.New(t, openaitest.Do(call("a", "add", ""), call("b", "f", ""), call("c", "add", "")), openaitest.Say("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Parallel, c.Providers, c.Middleware = true, []agent.ContextProvider{k}, []agent.Middleware{around}
	})
	session := agent.NewSession()
	if err := numbers().Update(session, func(n *int) error { *n = 7; return nil }); err != nil {
		t.Fatal(err)
	}
	result, err := s.agent.Run(patiently(t), session, "go")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b@7", "a@8", "c@9"}; !slices.Equal(k.stored, want) {
		t.Errorf("stored %q, want %q", k.stored, want)
	}
	if got, want := results(result), []string{"a=8", "b=f{}", "c=9"}; !slices.Equal(got, want) {
		t.Errorf("the conversation has %q", got)
	}
}

// Where a result could not be stored the run fails, and each call has its
// result; those that have not begun by then are not run.
func TestSideStoreFails(t *testing.T) {
	k := &storer{full: "too much", on: map[string]chan struct{}{"full": make(chan struct{})}}
	var all sync.WaitGroup
	all.Add(8) // so many are run at once
	first := tool("first", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		all.Done()
		all.Wait()
		return agent.ToolResult{Text: "too much"}, nil
	})
	wait := tool("wait", func(ctx context.Context, _ *agent.Invocation) (agent.ToolResult, error) {
		all.Done()
		return agent.ToolResult{Text: "waited"}, until(ctx, k.on["full"])
	})
	k.provider = provider{name: "k", context: agent.Context{Tools: []agent.Tool{first, echo("f"), wait}}}
	calls := []openaitest.Call{call("a", "first", "")}
	for i := range 7 {
		calls = append(calls, call(fmt.Sprint("w", i), "wait", ""))
	}
	for i := range 20 {
		calls = append(calls, call(fmt.Sprint("f", i), "f", fmt.Sprintf(`{"n":%d}`, i)))
	}
	s := start(t, openaitest.New(t, openaitest.Do(calls...)), func(c *agent.Config) {
		c.Parallel, c.Providers = true, []agent.ContextProvider{k}
	})
	result, err := s.agent.Run(patiently(t), nil, "go")
	if err == nil || !strings.Contains(err.Error(), "of a message: the disk is full") || result.Status != agent.Failed {
		t.Errorf("got %s, %v", result.Status, err)
	}
	got := results(result)
	if len(got) != 28 || got[0] != "a=too much" || got[7] != "w6=waited" {
		t.Fatalf("results %q", got)
	}
	for _, text := range got[8:] {
		if !strings.HasSuffix(text, "=Skipped: the run failed before this call.") {
			t.Errorf("got %q", text)
		}
	}
}
