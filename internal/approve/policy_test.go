package approve

import (
	"context"
	"strings"
	"sync"
	"testing"

	"skills/internal/agent"
	"skills/internal/fault"
)

func TestUnknownMode(t *testing.T) {
	if _, err := New(Options{Mode: "sometimes"}); err == nil || !strings.Contains(err.Error(), "ask, always, never or later") {
		t.Errorf("unknown mode: error %v", err)
	}
}

func TestPatternErrors(t *testing.T) {
	for text, hint := range map[string]string{
		"":                   "skill/script",
		"unit-converter":     "'unit-converter/*'",
		"*":                  "'*/*'",
		"unit-converter/":    "'unit-converter/*'",
		"/x.py":              "skill/script",
		"unit-converter/[a":  "close every [",
		"unit-[z-a]/x\\":     "close every [",
		"[/x.py":             "close every [",
		"unit-converter/[]x": "close every [",
	} {
		_, err := ParsePattern(text, "skill", "script")
		if err == nil {
			t.Errorf("pattern %q: no error", text)
			continue
		}
		if got := fault.Hint(err); !strings.Contains(got, hint) || !strings.Contains(err.Error(), "pattern") {
			t.Errorf("pattern %q: error %v, hint %q; want a hint with %q", text, err, got, hint)
		}
	}
}

// TestConcurrentPrompts checks that approval prompts are never concurrent, and that an
// "always" also answers the prompts that wait.
func TestConcurrentPrompts(t *testing.T) {
	asked, at := 0, make(chan struct{}, 1)
	policy := newPolicy(t, Options{Ask: func(context.Context, Request) (Answer, error) {
		select {
		case at <- struct{}{}:
		default:
			t.Error("two prompts at a time")
		}
		asked++
		<-at
		return Answer{Approved: true, Scope: ScopeProgram}, nil
	}})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a := &agent.Approval{Action: agent.Summary{Kind: agent.KindScript, Owner: "unit-converter", Name: "scripts/convert.py"}}
			if d, err := policy.Approve(t.Context(), nil, a); err != nil || !d.Approved {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	wg.Wait()
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}

// TestAlwaysIsForOne checks that an "always" for a command in the folder of a skill is none
// for another command whose text has the skill's name.
func TestAlwaysIsForOne(t *testing.T) {
	asked := 0
	policy := newPolicy(t, Options{Ask: func(context.Context, Request) (Answer, error) {
		asked++
		return Answer{Approved: true, Scope: ScopeProgram}, nil
	}})
	for _, action := range []agent.Summary{{Owner: "a", Name: "b/c"}, {Name: "a/b/c"}, {Owner: "a/b", Name: "c"}, {Name: "/a/b/c/"}, {Owner: "a", Name: "b/c"}} {
		action.Kind = agent.KindCommand
		d, err := policy.Approve(t.Context(), nil, &agent.Approval{Action: action})
		if err != nil || !d.Approved {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times, want 4", asked)
	}
}

func newPolicy(t *testing.T, opt Options) *Policy {
	t.Helper()
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOtherKinds checks that the flags of scripts and tools do not approve actions of
// other kinds, and that texts about these are whole.
func TestOtherKinds(t *testing.T) {
	a := &agent.Approval{Action: agent.Summary{Kind: "note", Owner: "a", Name: "x", Arguments: []byte(`{}`)}}
	all, err := ParsePattern("*/*", "skill", "script")
	if err != nil {
		t.Fatal(err)
	}
	got, err := newPolicy(t, Options{Scripts: []Pattern{all}, Tools: []Pattern{all}}).Approve(t.Context(), nil, a)
	want := agent.Decision{By: "policy", Reason: "such actions need approval and no one is available", Hint: "re-run with --approve always to allow it"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	prompt := newApprovalPrompt(Request{Approval: a}, false, 80, 24)
	for _, want := range []string{"The model wants to do this:\n", "  note ", "  name "} {
		if !strings.Contains(prompt.text, want) {
			t.Errorf("the prompt has no %q:\n%s", want, prompt.text)
		}
	}
}

// TestDenialsNameTheKind checks that reasons and hints say what would have been done.
func TestDenialsNameTheKind(t *testing.T) {
	unsafe := func(context.Context) (agent.Sandbox, error) { return agent.Sandbox{Name: noSandbox}, nil }
	for kind, want := range map[string][2]string{
		agent.KindScript:  {"re-run without --approve never to be asked before a script runs", "unattended scripts need one"},
		agent.KindCommand: {"re-run without --approve never to be asked before a command runs", "unattended commands need one"},
		agent.KindEdit:    {"re-run without --approve never to be asked before a file is changed", ""},
		agent.KindTool:    {"re-run without --approve never to be asked before a tool is called", ""},
		"note":            {"re-run without --approve never to be asked before such an action runs", ""},
	} {
		a := &agent.Approval{Action: agent.Summary{Kind: kind, Owner: "a", Name: "x", Arguments: []byte(`{}`)}}
		got, err := newPolicy(t, Options{Mode: Never}).Approve(t.Context(), nil, a)
		if err != nil || got.Hint != want[0] {
			t.Errorf("%s: got %+v, %v, want the hint %q", kind, got, err, want[0])
		}
		if want[1] == "" {
			continue // it needs no sandbox
		}
		a.Sandbox = unsafe
		got, err = newPolicy(t, Options{Mode: Always}).Approve(t.Context(), nil, a)
		if err != nil || !strings.Contains(got.Reason, want[1]) {
			t.Errorf("%s: got %+v, %v, want the reason %q", kind, got, err, want[1])
		}
	}
}

// TestTools: flags and modes decide on tools of servers as on scripts; a person is asked
// for a tool by its own name, and an answer for the run holds for that tool alone;
// without a person the call is denied, with the flag that allows it.
func TestTools(t *testing.T) {
	tool := func(name string) *agent.Approval {
		return &agent.Approval{Action: agent.Summary{Kind: agent.KindTool, Owner: "a", Name: name, Arguments: []byte(`{"k":1}`)}}
	}
	patterns := func(texts ...string) (out []Pattern) {
		for _, text := range texts {
			p, err := ParsePattern(text, "server", "tool")
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	for _, test := range []struct {
		opt  Options
		tool string
		want agent.Decision
	}{
		{Options{Tools: patterns("b/*", "?/g*")}, "get", agent.Decision{Approved: true, By: "flag", Reason: "--allow-tool ?/g*"}},
		{Options{Tools: patterns("a/*")}, "put/x", agent.Decision{Approved: true, By: "flag", Reason: "--allow-tool a/*"}},
		{Options{Mode: Always}, "put/x", agent.Decision{Approved: true, By: "flag", Reason: "--approve always"}},
		{Options{Tools: patterns("a/get"), Scripts: patterns("*/*")}, "put/x", agent.Decision{
			By: "policy", Reason: "tools of MCP servers need approval and no one is available", Hint: "re-run with --allow-tool 'a/put/x' to allow it",
		}},
	} {
		if got, err := newPolicy(t, test.opt).Approve(t.Context(), nil, tool(test.tool)); err != nil || got != test.want {
			t.Errorf("%+v: got %+v, %v", test.opt, got, err)
		}
	}
	never := newPolicy(t, Options{Mode: Never, Tools: patterns("a/get")})
	if !never.Offers(tool("get").Action) || never.Offers(tool("put/x").Action) {
		t.Error("with --approve never, what no flag allows is offered")
	}
	var asked []string
	policy := newPolicy(t, Options{Ask: func(_ context.Context, r Request) (Answer, error) {
		asked = append(asked, r.Action.Owner+" "+r.Action.Name+" "+string(r.Action.Arguments))
		scope := ScopeCall
		if r.Action.Name == "get" {
			scope = ScopeProgram
		}
		return Answer{Approved: true, Scope: scope}, nil
	}})
	for _, name := range []string{"get", "get", "put/x", "put/x"} {
		if d, err := policy.Approve(t.Context(), nil, tool(name)); !d.Approved || d.By != "user" || err != nil {
			t.Errorf("got %+v, %v", d, err)
		}
	}
	if want := `a get {"k":1};a put/x {"k":1};a put/x {"k":1}`; strings.Join(asked, ";") != want {
		t.Errorf("asked %q", asked)
	}
}
