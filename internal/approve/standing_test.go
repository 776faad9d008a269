package approve

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"skills/internal/agent"
)

// TestScopes checks which later calls each answer approves, in the run and in the session.
func TestScopes(t *testing.T) {
	action := func(kind, owner, name, arguments string) agent.Summary {
		return agent.Summary{Kind: kind, Owner: owner, Name: name, Arguments: json.RawMessage(arguments)}
	}
	calls := []agent.Summary{
		action(agent.KindScript, "a", "x", `["1"]`), // answered
		action(agent.KindScript, "a", "x", `[ "1" ]`),
		action(agent.KindScript, "a", "x", `["2"]`),
		action(agent.KindScript, "a", "y", `["1"]`),
		action(agent.KindResource, "a", "notes.md", `{}`),
		action(agent.KindScript, "b", "x", `["1"]`),
		action(agent.KindTool, "a", "x", `["1"]`),
		action(agent.KindCommand, "a", "x", `["1"]`), // in the folder of the skill
	}
	for scope, asked := range map[Scope][]int{
		ScopeCall: {0, 1, 2, 3, 4, 5, 6, 7}, ScopeArguments: {0, 2, 3, 4, 5, 6, 7}, ScopeProgram: {0, 3, 4, 5, 6, 7}, ScopeOwner: {0, 5, 6, 7},
	} {
		for _, kept := range []bool{false, true} {
			session := agent.NewSession()
			var got []int
			now := 0
			opt := Options{Keeps: true, Ask: func(_ context.Context, r Request) (Answer, error) {
				got = append(got, now)
				if now > 0 {
					return Answer{Approved: true}, nil
				}
				return Answer{Approved: true, Scope: scope, Session: kept}, nil
			}}
			policy := newPolicy(t, opt)
			for i, call := range calls {
				now = i
				if kept && i == 1 { // another process
					policy = newPolicy(t, opt)
				}
				d, err := policy.Approve(t.Context(), &agent.Invocation{Session: session}, &agent.Approval{Action: call})
				if err != nil || !d.Approved {
					t.Errorf("%q, call %d: %+v, %v", scope, i, d, err)
				}
			}
			if !slices.Equal(got, asked) {
				t.Errorf("%q, kept %t: asked for %v, want %v", scope, kept, got, asked)
			}
			rules, err := SessionAnswers(session)
			if want := map[bool]int{true: 1}[kept && scope != ScopeCall]; err != nil || len(rules) != want {
				t.Errorf("%q, kept %t: %d rules, %v", scope, kept, len(rules), err)
			}
			if len(rules) > 0 && (Revoke(session, 1) == nil || Revoke(session, 0) != nil) {
				t.Error("an answer is not revoked by its number")
			}
		}
	}
}

// TestStandingSandbox checks that an answer for a program in a sandbox is none for it without
// one, in another process.
func TestStandingSandbox(t *testing.T) {
	session := agent.NewSession()
	asked := 0
	for _, box := range []string{"some", "other", "none", "none", "some"} {
		policy := newPolicy(t, Options{Keeps: true, Ask: func(context.Context, Request) (Answer, error) {
			asked++
			return Answer{Approved: true, Scope: ScopeProgram, Session: true}, nil
		}})
		a := &agent.Approval{
			Action:  agent.Summary{Kind: agent.KindScript, Owner: "a", Name: "x"},
			Sandbox: func(context.Context) (agent.Sandbox, error) { return agent.Sandbox{Name: box}, nil },
		}
		d, err := policy.Approve(t.Context(), &agent.Invocation{Session: session}, a)
		if err != nil || !d.Approved {
			t.Errorf("%s: %+v, %v", box, d, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want in a sandbox and without one", asked)
	}
}

// TestStandingContent checks that a kept answer holds for the content that was approved.
func TestStandingContent(t *testing.T) {
	script := &changing{now: "1"}
	session := agent.NewSession()
	asked := 0
	for _, now := range []version{"1", "1", "2", "1"} {
		script.now = now
		policy := newPolicy(t, Options{Keeps: true, Ask: func(context.Context, Request) (Answer, error) {
			asked++
			return Answer{Approved: true, Scope: ScopeOwner, Session: asked == 1}, nil
		}})
		d, err := policy.Approve(t.Context(), &agent.Invocation{Session: session}, script.approval())
		if err != nil || !d.Approved {
			t.Errorf("version %s: %+v, %v", now, d, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want for the first and the changed content", asked)
	}
}
