package skills_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// fakeRecorder keeps the records, and fails at those of one kind.
type fakeRecorder struct {
	records []string
	calls   []agent.ToolCall
	actions []agent.Summary
	fails   string
}

func (n *fakeRecorder) note(kind string, call agent.ToolCall, action agent.Summary, more string) error {
	n.records = append(n.records, kind+" "+action.Owner+"/"+action.Name+" "+more)
	n.calls, n.actions = append(n.calls, call), append(n.actions, action)
	if kind == n.fails {
		return errors.New("the disk is full")
	}
	return nil
}

func (n *fakeRecorder) Decided(_ context.Context, call agent.ToolCall, action agent.Summary, d agent.Decision) error {
	return n.note("decided", call, action, fmt.Sprintf("%t by %s", d.Approved, d.By))
}

func (n *fakeRecorder) Started(_ context.Context, call agent.ToolCall, action agent.Summary) error {
	return n.note("started", call, action, "")
}

func (n *fakeRecorder) Ended(_ context.Context, call agent.ToolCall, action agent.Summary, result agent.ToolResult, err error) error {
	return n.note("ended", call, action, fmt.Sprintf("failed=%t %v", result.Failed, err))
}

// decided runs calls that the policy approves; the recorder receives its decisions.
func decided(p policy, recorder approve.Recorder) agent.Handler {
	return agent.RequireApproval(approve.Recorded(p.Policy.Approve, recorder))(perform)
}

func (n *fakeRecorder) Left(_ context.Context, call agent.ToolCall, action agent.Summary, names []string) error {
	return n.note("left", call, action, strings.Join(names, ", "))
}

// through takes a call through the policy and the tool, as a run does.
func through(t *testing.T, b *bench, recorder approve.Recorder, opt policyOptions, arguments string) (agent.ToolResult, *agent.Invocation) {
	t.Helper()
	inv := b.invocation("run_skill_script", arguments)
	inv.Emit = func(agent.Event) {}
	result, err := decided(newPolicy(t, b, opt), recorder)(t.Context(), inv)
	if err != nil {
		t.Fatal(err)
	}
	return result, inv
}

func TestRecorder(t *testing.T) {
	const name = "unit-converter/scripts/convert.py"
	allow := policyOptions{Allow: []string{"*/*"}, Unsandboxed: true}
	broken := policyOptions{Ask: func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{}, errors.New("no paper")
	}}
	for _, tt := range []struct {
		name      string
		opt       policyOptions
		arguments string
		fails     string
		want      []string
		ran       bool
		ends      bool // the run
	}{
		{"allowed", allow, convert, "", []string{"decided " + name + " true by flag", "started " + name + " ", "ended " + name + " failed=false <nil>"}, true, false},
		{"denied", policyOptions{Mode: approve.Never}, convert, "", []string{"decided " + name + " false by policy"}, false, false},
		{"a person", policyOptions{Ask: no}, convert, "", []string{"decided " + name + " false by user"}, false, false},
		{"cannot be asked", broken, convert, "", []string{"decided " + name + " false by error"}, false, false},
		{"no such script", allow, `{"skillName":"unit-converter","scriptName":"nope"}`, "", nil, false, false},
		{"decision not kept", allow, convert, "decided", []string{"decided " + name + " true by flag"}, false, true},
		{"start not kept", allow, convert, "started", []string{"decided " + name + " true by flag", "started " + name + " "}, false, true},
		{"end not kept", allow, convert, "ended", []string{"decided " + name + " true by flag", "started " + name + " ", "ended " + name + " failed=false <nil>"}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runner, n := &recorder{}, &fakeRecorder{fails: tt.fails}
			b := newBench(t, skills.Options{Source: files(converter(t)), Runner: runner, Recorder: n})
			result, inv := through(t, b, n, tt.opt, tt.arguments)
			if !slices.Equal(n.records, tt.want) {
				t.Errorf("recorded %q, want %q", n.records, tt.want)
			}
			if ran := len(runner.ran) > 0; ran != tt.ran || (inv.Stopped != nil) != tt.ends {
				t.Errorf("it ran: %t, the run ends: %v, result %+v", ran, inv.Stopped, result)
			}
			for i, action := range n.actions {
				if n.calls[i] != inv.Call || inv.Call.Name != "run_skill_script" || action.Kind != agent.KindScript || !strings.Contains(string(action.Arguments), "--value") ||
					len(action.Digest) != 64 || len(action.Command) == 0 {
					t.Errorf("recorded %+v of %+v", action, n.calls[i])
				}
			}
		})
	}
}

// TestRecorderOfChanges checks that a script which changes during the prompt is shown again
// as it will run, and that all its records are about the approved content.
func TestRecorderOfChanges(t *testing.T) {
	root, runner, n := converter(t), &recorder{}, &fakeRecorder{}
	b := newBench(t, skills.Options{Source: files(root), Runner: runner, Recorder: n})
	var shown []agent.Summary
	opt := policyOptions{Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
		shown = append(shown, r.Action)
		runner.interpreter = "/bin/other"
		filetest.Write(t, root, map[string]string{"unit-converter/scripts/convert.py": "#!/bin/other\n"})
		return approve.Answer{Approved: true}, nil
	}}
	if result, _ := through(t, b, n, opt, convert); result.Failed || len(shown) != 2 {
		t.Fatalf("got %+v after %d prompts", result, len(shown))
	}
	first, second := shown[0], shown[1]
	if first.Command[0] != "/bin/interpreter" || second.Command[0] != "/bin/other" || first.Digest == second.Digest || first.Files == second.Files {
		t.Errorf("shown was %+v, then %+v", first, second)
	}
	for i, action := range n.actions {
		if fmt.Sprint(action) != fmt.Sprint(second) {
			t.Errorf("%s: got %+v, want %+v", n.records[i], action, second)
		}
	}
}

// TestRecorderOfLeftovers checks that what a script left behind is a warning and a record,
// after that of its end, and that a failed record ends the run.
func TestRecorderOfLeftovers(t *testing.T) {
	for _, fails := range []string{"", "left"} {
		left := []script.Leftover{{Name: ".env", State: "new"}, {Name: ".git", State: "changed"}}
		n := &fakeRecorder{fails: fails}
		b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{result: script.Result{Left: left}}, Recorder: n})
		inv := b.invocation("run_skill_script", convert)
		var warnings []string
		inv.Emit = func(e agent.Event) {
			if w, ok := e.(agent.WarningEvent); ok {
				warnings = append(warnings, w.Message)
			}
		}
		policy := newPolicy(t, b, policyOptions{Allow: []string{"*/*"}, Unsandboxed: true})
		if _, err := decided(policy, n)(t.Context(), inv); err != nil {
			t.Fatal(err)
		}
		const name = "unit-converter/scripts/convert.py"
		if want := "left " + name + " .env (new), .git (changed)"; len(n.records) != 4 || n.records[3] != want {
			t.Errorf("recorded %q, want %q at the end", n.records, want)
		}
		if want := "protected files appeared or changed while " + name + " ran: .env (new), .git (changed)"; len(warnings) != 1 || warnings[0] != want {
			t.Errorf("warned %q, want %q", warnings, want)
		}
		if (inv.Stopped != nil) != (fails != "") {
			t.Errorf("the run ends: %v", inv.Stopped)
		}
	}
}

// TestRecorderOfFunctions checks that a function script is recorded with its error,
// without command and digest.
func TestRecorderOfFunctions(t *testing.T) {
	n := &fakeRecorder{}
	skill := memory("sums", "Adds. Use when testing.", loader.Contents{Text: "x", Scripts: []loader.Script{{
		Name: "add", Call: func(context.Context, json.RawMessage) (string, error) { return "", errors.New("no such unit") },
	}}})
	b := newBench(t, skills.Options{Source: loader.Memory(skill), Recorder: n})
	through(t, b, n, policyOptions{Allow: []string{"*/*"}}, `{"skillName":"sums","scriptName":"add","arguments":{"a":1}}`)
	want := []string{"decided sums/add true by flag", "started sums/add ", "ended sums/add failed=false no such unit"}
	if !slices.Equal(n.records, want) || n.actions[0].Digest != "" || n.actions[0].Command != nil || string(n.actions[0].Arguments) != `{"a":1}` {
		t.Errorf("recorded %q of %+v", n.records, n.actions)
	}
}

// TestSummaryOfScript checks what hooks and records read of a call before anything is
// decided, whatever the spelling of its arguments.
func TestSummaryOfScript(t *testing.T) {
	b, _ := converterBench(t)
	note := &fakeRecorder{}
	recorded := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}, Recorder: note})
	through(t, recorded, note, policyOptions{Mode: approve.Never}, convert)
	for _, arguments := range []string{convert, strings.Replace(convert, "skillName", "SKILL_NAME", 1)} {
		got := b.invocation("run_skill_script", arguments).Summary(t.Context())
		want := note.actions[0]
		want.Command = got.Command // it names the folder
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Command) == 0 || got.Digest == "" {
			t.Errorf("%s: got %+v, want %+v", arguments, got, want)
		}
	}
	for _, arguments := range []string{`{"skillName":"unit-converter","scriptName":"nope"}`, `[`, `{"skillName":1}`, ""} {
		if got := b.invocation("run_skill_script", arguments).Summary(t.Context()); got.Kind != agent.KindOther || got.Owner+got.Name != "" {
			t.Errorf("%q: got %+v", arguments, got)
		}
	}
	if got := b.invocation("load_skill", convert).Summary(t.Context()); got.Kind == agent.KindScript {
		t.Errorf("a call of another tool: got %+v", got)
	}
}

// undecided records decisions with their reasons.
type undecided struct {
	fakeRecorder
	decisions []agent.Decision
}

func (u *undecided) Decided(_ context.Context, _ agent.ToolCall, _ agent.Summary, d agent.Decision) error {
	u.decisions = append(u.decisions, d)
	return nil
}

// TestRecorderUndecided checks that a call without a decision is recorded as it is
// reported.
func TestRecorderUndecided(t *testing.T) {
	u := &undecided{}
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}, Recorder: u})
	ctx, end := context.WithCancel(t.Context())
	ask := func(ctx context.Context, _ approve.Request) (approve.Answer, error) {
		end()
		return approve.Answer{Approved: true}, context.Cause(ctx)
	}
	inv := b.invocation("run_skill_script", convert)
	inv.Emit = func(agent.Event) {}
	result, err := decided(newPolicy(t, b, policyOptions{Ask: ask}), u)(ctx, inv)
	want := agent.Decision{By: "nobody", Reason: "interrupted before you answered"}
	if err != nil || !result.Failed || len(u.decisions) != 1 || u.decisions[0] != want {
		t.Errorf("got %+v, %v, recorded %+v", result, err, u.decisions)
	}
}
