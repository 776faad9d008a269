package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestParallelInOrder checks that concurrent calls have a deterministic outcome:
// approvals and events come in call order, and dependent tools see earlier calls.
func TestParallelInOrder(t *testing.T) {
	const calls = 12
	var reply openaitest.Reply
	for i := range calls {
		reply.Calls = append(reply.Calls,
			call(fmt.Sprint("r", i), "run", fmt.Sprintf(`{"n":%d}`, i)), call(fmt.Sprint("c", i), "count", ""))
	}
	once := func() (asked []string, events []agent.Event, got []string) {
		n := 0
		count := tool("count", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			n++
			inv.Emit(agent.NoteEvent{Message: inv.Call.ID})
			return agent.ToolResult{Text: fmt.Sprint(n)}, nil
		})
		count.Ordered = true
		run := tool("run", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			runtime.Gosched()
			return agent.ToolResult{Text: "ran"}, nil
		})
		s := start(t, openaitest.New(t, reply, openaitest.Text("done")), func(c *agent.Config) {
			c.Parallel, c.Providers = true, tools(guarded(run), count)
			c.Middleware = []agent.Middleware{approval(func(_ context.Context, inv *agent.Invocation) (agent.Decision, error) {
				asked = append(asked, inv.Call.ID)
				return agent.Decision{Approved: inv.Index%4 == 0, By: "test"}, nil
			})}
		})
		result, err := s.run(t, "go")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.events {
			if r, ok := e.(agent.ToolResultEvent); ok {
				r.DurationMS = 0
				e = r
			}
			events = append(events, e)
		}
		return asked, events, results(result)
	}
	asked, events, got := once()
	for i := range calls {
		if asked[i] != fmt.Sprint("r", i) || got[2*i+1] != fmt.Sprintf("c%d=%d", i, i+1) {
			t.Fatalf("asked %v, got %q", asked, got)
		}
	}
	kinds := strings.Join(kindsOf(events), " ")
	if want := strings.TrimSpace(strings.Repeat("action tool.approval tool.result action note tool.result ", calls)); !strings.Contains(kinds, want) {
		t.Fatalf("events: %s", kinds)
	}
	for range 20 {
		if a, e, g := once(); !slices.Equal(a, asked) || !slices.Equal(g, got) || linesOf(t, e) != linesOf(t, events) {
			t.Fatalf("another run asked %v, emitted %v, got %q", a, kindsOf(e), g)
		}
	}
}

func kindsOf(events []agent.Event) (kinds []string) {
	for _, e := range events {
		kinds = append(kinds, e.EventType())
	}
	return kinds
}

func linesOf(t *testing.T, events []agent.Event) string {
	t.Helper()
	data, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestParallelEvents checks that events of a call are emitted while it runs, once the
// earlier calls have ended.
func TestParallelEvents(t *testing.T) {
	seen := map[string]chan struct{}{}
	var calls []openaitest.Call
	for _, id := range []string{"a", "b", "c"} {
		seen[id], calls = make(chan struct{}), append(calls, call(id, "run", fmt.Sprintf(`{"id":%q}`, id)))
	}
	run := tool("run", func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "ran"}, until(ctx, seen[inv.Call.ID])
	})
	s := start(t, openaitest.New(t, openaitest.Do(calls...), openaitest.Text("done")), func(c *agent.Config) {
		c.Parallel, c.Providers = true, tools(guarded(run))
		c.Middleware = []agent.Middleware{approval(func(context.Context, *agent.Invocation) (agent.Decision, error) {
			return agent.Decision{Approved: true, By: "test"}, nil
		})}
		note := c.Events
		c.Events = func(e agent.Event) {
			note(e)
			if e, ok := e.(agent.ToolApproval); ok {
				close(seen[e.ID])
			}
		}
	})
	if _, err := s.agent.Run(withTimeout(t), nil, "go"); err != nil {
		t.Fatal(err)
	}
	kinds := strings.Join(kindsOf(s.events), " ")
	if want := strings.Repeat("action tool.approval tool.result ", 3); !strings.Contains(kinds, want) {
		t.Errorf("events: %s", kinds)
	}
}

// TestParallelMiddleware checks that middlewares of concurrent calls do not wait for
// each other, even if the tools run one after another.
func TestParallelMiddleware(t *testing.T) {
	var asked []string
	var calls []openaitest.Call
	for i := range 4 {
		calls = append(calls, call(fmt.Sprint("f", i), "f", ""), call(fmt.Sprint("a", i), "add", ""))
	}
	before, after := newBarrier(len(calls)), newBarrier(len(calls)-1)
	s := start(t, openaitest.New(t, openaitest.Do(calls...), openaitest.Text("done")), func(c *agent.Config) {
		c.Parallel, c.Providers = true, tools(guarded(echo("f")), adds())
		c.Middleware = []agent.Middleware{func(next agent.Handler) agent.Handler {
			return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
				if err := before.wait(ctx); err != nil {
					return agent.ToolResult{}, err
				}
				if inv.Call.ID == "f1" {
					return agent.ToolResult{Text: "no"}, nil // leaves the queue from its middle
				}
				result, err := next(ctx, inv)
				return result, errors.Join(err, after.wait(ctx))
			}
		}, approval(func(_ context.Context, inv *agent.Invocation) (agent.Decision, error) {
			asked = append(asked, inv.Call.ID)
			return agent.Decision{Approved: inv.Call.ID != "f2", By: "test"}, nil
		})}
	})
	result, err := s.agent.Run(withTimeout(t), nil, "go")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"f0", "f2", "f3"}; !slices.Equal(asked, want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	if got, want := results(result), []string{"f0=f{}", "a0=1", "f1=no", "a1=2", "f2=Tool call invocation rejected.", "a2=3", "f3=f{}", "a3=4"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// barrier makes a number of goroutines wait for each other.
type barrier struct {
	missing atomic.Int32
	all     chan struct{}
}

func newBarrier(n int) *barrier {
	b := &barrier{all: make(chan struct{})}
	b.missing.Store(int32(n))
	return b
}

func (b *barrier) wait(ctx context.Context) error {
	if b.missing.Add(-1) == 0 {
		close(b.all)
	}
	return until(ctx, b.all)
}

// storer has no room for one result.
type storer struct {
	provider
	mu   sync.Mutex
	on   map[string]chan struct{}
	full string // the result that it has no room for
}

func numbers() *agent.State[int] { return agent.NewState("n", func() int { return 0 }) }

func (k *storer) OnMessages(_ context.Context, _ *agent.Session, messages []agent.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range messages {
		if m.Text == k.full {
			close(k.on["full"])
			return errors.New("the disk is full")
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

func withTimeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestParallelKeepingFails checks that a run fails if a result could not be stored: each
// call has its result, and calls that have not started do not run.
func TestParallelKeepingFails(t *testing.T) {
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
	result, err := s.agent.Run(withTimeout(t), nil, "go")
	if err == nil || !strings.Contains(err.Error(), "k: saving a message: the disk is full") || result.Status != agent.Failed {
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
