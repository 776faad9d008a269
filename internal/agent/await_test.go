package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// unresponsive ignores its context; it ends when the test is over.
type unresponsive struct{ arrived, free chan struct{} }

func newDeaf(t *testing.T) *unresponsive {
	d := &unresponsive{make(chan struct{}, 100), make(chan struct{})}
	t.Cleanup(func() { close(d.free) })
	return d
}

func (d *unresponsive) wait() {
	d.arrived <- struct{}{}
	<-d.free
}

// watching is a provider that also observes messages.
type watching struct {
	*provider
	added func(context.Context) error
}

func (w *watching) OnMessages(ctx context.Context, _ *agent.Session, _ []agent.Message) error {
	return w.added(ctx)
}

// TestUnresponsive checks that a tool that ignores the end of the run is abandoned, and
// that everything else works as usual.
func TestUnresponsive(t *testing.T) {
	one := openaitest.Do(call("a", "f", ""), call("b", "f", ""))
	for _, test := range []struct {
		name    string
		replies []openaitest.Reply
		set     func(c *agent.Config, d *unresponsive)
		arrive  int    // how many hang before the run is ended
		text    string // in the first result, or in the error
	}{
		{"tool", []openaitest.Reply{one}, func(c *agent.Config, d *unresponsive) {
			c.Providers = tools(tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
				d.wait()
				return agent.ToolResult{}, nil
			}))
		}, 1, "a=Error: Failed to execute tool 'f': it did not end in time and was abandoned."},
		{"concurrent tools", []openaitest.Reply{one}, func(c *agent.Config, d *unresponsive) {
			c.Parallel = true
			c.Providers = tools(tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
				d.wait()
				return agent.ToolResult{}, nil
			}))
		}, 2, "a=Error: Failed to execute tool 'f': it did not end in time and was abandoned."},
		{"approver", []openaitest.Reply{one}, func(c *agent.Config, d *unresponsive) {
			c.Providers = tools(guarded(echo("f")))
			c.Middleware = []agent.Middleware{approval(func(context.Context, *agent.Invocation) (agent.Decision, error) {
				d.wait()
				return agent.Decision{Approved: true}, nil
			})}
		}, 1, "a=Error: Failed to execute tool 'f': it did not end in time and was abandoned."},
		{"invoking", nil, func(c *agent.Config, d *unresponsive) {
			c.Providers = []agent.ContextProvider{&provider{name: "p", invoking: func(*agent.Invoking) error { d.wait(); return nil }}}
		}, 1, "p: it did not end in time and was abandoned"},
		{"ephemeral", nil, func(c *agent.Config, d *unresponsive) {
			c.Providers = []agent.ContextProvider{&provider{name: "p", context: agent.Context{Ephemeral: func(context.Context) ([]agent.Message, error) {
				d.wait()
				return nil, nil
			}}}}
		}, 1, "p: it did not end in time and was abandoned"},
		{"finish", []openaitest.Reply{openaitest.Text("done")}, func(c *agent.Config, d *unresponsive) {
			c.Checks = []agent.CompletionCheck{func(context.Context, agent.Completion) (string, error) { d.wait(); return "", nil }}
		}, 1, "checking the answer: it did not end in time and was abandoned"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDeaf(t)
			server := openaitest.New(t, test.replies...)
			invoked := 0
			s := start(t, server, func(c *agent.Config) {
				c.Grace = time.Millisecond
				test.set(c, d)
				c.Providers = append([]agent.ContextProvider{&provider{name: "first", invoked: func(ctx context.Context, run *agent.Invoked) error {
					invoked++
					return ctx.Err()
				}}}, c.Providers...)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				for range test.arrive {
					<-d.arrived
				}
				cancel(errors.New("a signal"))
			}()
			result, err := s.agent.Run(ctx, nil, "go")
			if result.Status != agent.Interrupted || !errors.Is(err, context.Canceled) || invoked != 1 {
				t.Errorf("got %s, %v, invoked %d times", result.Status, err, invoked)
			}
			got := results(result)
			if len(got) > 0 && got[0] != test.text || len(got) == 0 && !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %q, %v", got, err)
			}
			if result.ToolCalls != len(got) {
				t.Errorf("%d calls, results %q", result.ToolCalls, got)
			}
		})
	}
}

// TestUnresponsiveObserver checks that a provider that does not return in time is
// abandoned and not called again, and that the other providers are.
func TestUnresponsiveObserver(t *testing.T) {
	for _, where := range []string{"added", "invoked"} {
		t.Run(where, func(t *testing.T) {
			d := newDeaf(t)
			invoked := 0
			w := &watching{provider: &provider{name: "unresponsive"}, added: func(context.Context) error { return nil }}
			w.invoked = func(context.Context, *agent.Invoked) error {
				if where == "added" {
					t.Error("invoked while OnMessages still hangs")
				}
				d.wait()
				return nil
			}
			if where == "added" {
				w.added = func(context.Context) error { d.wait(); return nil }
			}
			server := openaitest.Start(openaitest.Text("ok"))
			defer server.Close()
			s := start(t, server, func(c *agent.Config) {
				c.Grace = time.Millisecond
				c.Providers = []agent.ContextProvider{&provider{name: "other", invoked: func(ctx context.Context, _ *agent.Invoked) error {
					invoked++
					return ctx.Err()
				}}, w}
			})
			result, err := s.run(t, "go")
			if result.Status != agent.Failed || err == nil || invoked != 1 ||
				!strings.HasPrefix(err.Error(), "unresponsive: ") || !strings.Contains(err.Error(), "abandoned") {
				t.Errorf("got %+v, %v, invoked %d times", result, err, invoked)
			}
		})
	}
}

// TestNothingAfterTheEnd checks that events of abandoned calls are dropped once the run
// has returned, and that a late approval runs nothing.
func TestNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		late := tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			t.Error("run after the end")
			return agent.ToolResult{}, nil
		})
		events := 0
		transport := reply(`{"choices":[{"message":{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a, err := agent.New(agent.Config{
			Model: "m", Server: agent.Server{BaseURL: "http://localhost/v1", Transport: transport},
			Providers: tools(guarded(late)), Events: func(agent.Event) { events++ },
			Middleware: []agent.Middleware{approval(func(context.Context, *agent.Invocation) (agent.Decision, error) {
				<-ended
				return agent.Decision{Approved: true, By: "user"}, nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		result, err := a.Run(ctx, nil, "go")
		if result.Status != agent.LimitHit || result.Limit != agent.LimitTime || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %+v, %v", result, err)
		}
		if took := time.Since(began); took != time.Second+agent.Grace {
			t.Errorf("took %s", took)
		}
		before := events
		close(ended)
		synctest.Wait()
		if events != before {
			t.Error("events came after the end")
		}
	})
}

// TestFailureAtTheDeadline checks that a failure at the moment of the deadline is
// reported as that failure.
func TestFailureAtTheDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := openaitest.New(t, openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Checks = []agent.CompletionCheck{func(context.Context, agent.Completion) (string, error) {
			cancel()
			return "", errors.New("the disk is full")
		}}
	})
	result, err := s.agent.Run(ctx, nil, "go")
	if result.Status != agent.Failed || result.Limit != "" || err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %+v, %v", result, err)
	}
}

// TestPanickingSink checks that a run whose event sink panics fails, but still has a
// result.
func TestPanickingSink(t *testing.T) {
	for _, at := range []string{"ready", "message", "tool.result", "warning"} {
		t.Run(at, func(t *testing.T) {
			server := openaitest.Start(openaitest.Do(call("a", "f", "")), openaitest.Reply{Text: "part", Finish: "length"})
			defer server.Close()
			s := start(t, server, func(c *agent.Config) {
				c.Providers = append(tools(echo("f")), &provider{name: "p", invoked: func(context.Context, *agent.Invoked) error { return errors.New("no") }})
				c.Events = func(e agent.Event) {
					if e.EventType() == at {
						panic("torn")
					}
				}
			})
			result, err := s.run(t, "go")
			if result.Status != agent.Failed || err == nil || err.Error() != "panic: torn" {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
}

// TestManyCalls checks how many calls of one turn are run, and how many of them
// concurrently.
func TestManyCalls(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		t.Run(fmt.Sprint("parallel ", parallel), func(t *testing.T) {
			const n = 140
			var calls []openaitest.Call
			for i := range n {
				calls = append(calls, call(fmt.Sprint(i), "f", "{}"))
			}
			slots := make(chan struct{}, 8)
			server := openaitest.New(t, openaitest.Do(calls...), openaitest.Text("ok"))
			s := start(t, server, func(c *agent.Config) {
				c.Parallel = parallel
				c.Providers = tools(tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
					select {
					case slots <- struct{}{}:
					default:
						t.Error("more than 8 run at once")
					}
					<-slots
					return agent.ToolResult{Text: "ran"}, nil
				}))
			})
			result, err := s.run(t, "go")
			got := results(result)
			if err != nil || len(got) != n || result.ToolCalls != n {
				t.Fatalf("got %d results, %v", len(got), err)
			}
			for i, text := range got {
				want := fmt.Sprintf("%d=ran", i)
				if i >= 128 {
					want = fmt.Sprintf("%d=Skipped: at most 128 calls of one turn are run.", i)
				}
				if text != want {
					t.Errorf("got %q, want %q", text, want)
				}
			}
		})
	}
}

// TestLargeResult checks that a long result is cut in the middle.
func TestLargeResult(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("a", "f", "")), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = tools(tool("f", func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
			return agent.ToolResult{Text: "begin" + strings.Repeat("世", 1<<20) + "end"}, nil
		}))
	})
	result, err := s.run(t, "go")
	if err != nil {
		t.Fatal(err)
	}
	text := results(result)[0]
	head, tail, _ := strings.Cut(text, " …(786441 characters omitted)… ")
	if n := utf8.RuneCountInString(head + tail); n != len("a=")+256<<10-1 || !strings.HasPrefix(head, "a=begin世") || !strings.HasSuffix(tail, "世end") || !utf8.ValidString(text) {
		t.Errorf("got %d characters: %.60q … %q", n, text, text[len(text)-60:])
	}
	if e := eventsOf[agent.ToolResultEvent](s)[0]; !e.Truncated || !e.OK || "a="+e.Output != text {
		t.Errorf("event: truncated %v, ok %v", e.Truncated, e.OK)
	}
}
