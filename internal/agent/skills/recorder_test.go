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
	"skills/internal/loader"
	"skills/internal/script"
)

// fakeRecorder keeps the records, and fails at those of one kind.
type fakeRecorder struct {
	records []string
	runs    []skills.ScriptRun
	fails   string
}

func (n *fakeRecorder) note(kind string, run skills.ScriptRun, more string) error {
	n.records, n.runs = append(n.records, kind+" "+run.Skill+"/"+run.Script+" "+more), append(n.runs, run)
	if kind == n.fails {
		return errors.New("the disk is full")
	}
	return nil
}

func (n *fakeRecorder) Decided(_ context.Context, run skills.ScriptRun, d agent.Decision) error {
	return n.note("decided", run, fmt.Sprintf("%t by %s", d.Approved, d.By))
}

func (n *fakeRecorder) Started(_ context.Context, run skills.ScriptRun) error {
	return n.note("started", run, "")
}

func (n *fakeRecorder) Ended(_ context.Context, run skills.ScriptRun, result agent.ToolResult, err error) error {
	return n.note("ended", run, fmt.Sprintf("failed=%t %v", result.Failed, err))
}

func (n *fakeRecorder) Left(_ context.Context, run skills.ScriptRun, names []string) error {
	return n.note("left", run, strings.Join(names, ", "))
}

// through takes a call through the policy and the tool, as a run does.
func through(t *testing.T, b *bench, opt skills.PolicyOptions, arguments string) (agent.ToolResult, *agent.Invocation) {
	t.Helper()
	inv := b.invocation("run_skill_script", arguments)
	inv.Emit = func(agent.Event) {}
	result, err := agent.Approval(newPolicy(t, b, opt).Approve)(inv.Tool.Call)(t.Context(), inv)
	if err != nil {
		t.Fatal(err)
	}
	return result, inv
}

func TestRecorder(t *testing.T) {
	const name = "unit-converter/scripts/convert.py"
	allow := skills.PolicyOptions{Allow: []string{"*/*"}, Unsandboxed: true}
	broken := skills.PolicyOptions{Ask: func(context.Context, skills.Request) (skills.Answer, error) {
		return skills.Answer{}, errors.New("no paper")
	}}
	for _, tt := range []struct {
		name      string
		opt       skills.PolicyOptions
		arguments string
		fails     string
		want      []string
		ran       bool
		ends      bool // the run
	}{
		{"allowed", allow, convert, "", []string{"decided " + name + " true by flag", "started " + name + " ", "ended " + name + " failed=false <nil>"}, true, false},
		{"denied", skills.PolicyOptions{Mode: skills.Never}, convert, "", []string{"decided " + name + " false by policy"}, false, false},
		{"a person", skills.PolicyOptions{Ask: no}, convert, "", []string{"decided " + name + " false by user"}, false, false},
		{"cannot be asked", broken, convert, "", []string{"decided " + name + " false by error"}, false, false},
		{"no such script", allow, `{"skillName":"unit-converter","scriptName":"nope"}`, "", nil, false, false},
		{"decision not kept", allow, convert, "decided", []string{"decided " + name + " true by flag"}, false, true},
		{"start not kept", allow, convert, "started", []string{"decided " + name + " true by flag", "started " + name + " "}, false, true},
		{"end not kept", allow, convert, "ended", []string{"decided " + name + " true by flag", "started " + name + " ", "ended " + name + " failed=false <nil>"}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runner, n := &recorder{}, &fakeRecorder{fails: tt.fails}
			b := newBench(t, skills.Options{Source: files(converter(t)), Runner: runner, Recorder: n})
			result, inv := through(t, b, tt.opt, tt.arguments)
			if !slices.Equal(n.records, tt.want) {
				t.Errorf("recorded %q, want %q", n.records, tt.want)
			}
			if ran := len(runner.ran) > 0; ran != tt.ran || (inv.Stopped != nil) != tt.ends {
				t.Errorf("it ran: %t, the run ends: %v, result %+v", ran, inv.Stopped, result)
			}
			for _, run := range n.runs {
				if run.CallID != inv.Call.ID || run.Tool != "run_skill_script" || !strings.Contains(string(run.Arguments), "--value") ||
					len(run.Digest) != 64 || len(run.Command) == 0 {
					t.Errorf("recorded %+v", run)
				}
			}
		})
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
		policy := newPolicy(t, b, skills.PolicyOptions{Allow: []string{"*/*"}, Unsandboxed: true})
		if _, err := agent.Approval(policy.Approve)(inv.Tool.Call)(t.Context(), inv); err != nil {
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
	through(t, b, skills.PolicyOptions{Allow: []string{"*/*"}}, `{"skillName":"sums","scriptName":"add","arguments":{"a":1}}`)
	want := []string{"decided sums/add true by flag", "started sums/add ", "ended sums/add failed=false no such unit"}
	if !slices.Equal(n.records, want) || n.runs[0].Digest != "" || n.runs[0].Command != nil || string(n.runs[0].Arguments) != `{"a":1}` {
		t.Errorf("recorded %q of %+v", n.records, n.runs)
	}
}

// TestScriptRun checks the call that middleware sees before the names are resolved.
func TestScriptRun(t *testing.T) {
	b, _ := converterBench(t)
	note := &fakeRecorder{}
	recorded := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}, Recorder: note})
	through(t, recorded, skills.PolicyOptions{Mode: skills.Never}, convert)
	for _, arguments := range []string{convert, strings.Replace(convert, "skillName", "SKILL_NAME", 1)} {
		got, ok := b.provider.ScriptRun(t.Context(), agent.ToolCall{ID: "call1", Name: "run_skill_script", Arguments: arguments})
		want := note.runs[0]
		want.Command = got.Command // it names the folder
		if !ok || fmt.Sprint(got) != fmt.Sprint(want) || len(got.Command) == 0 || got.Digest == "" {
			t.Errorf("%s: got %+v, %t, want %+v", arguments, got, ok, want)
		}
	}
	for _, call := range []agent.ToolCall{
		{Name: "load_skill", Arguments: convert}, {Name: "run_skill_script", Arguments: `{"skillName":"unit-converter","scriptName":"nope"}`},
		{Name: "run_skill_script", Arguments: `[`}, {Name: "run_skill_script", Arguments: `{"skillName":1}`}, {Name: "run_skill_script"},
	} {
		if got, ok := b.provider.ScriptRun(t.Context(), call); ok {
			t.Errorf("%+v: got %+v", call, got)
		}
	}
}

// undecided records decisions with their reasons.
type undecided struct {
	fakeRecorder
	decisions []agent.Decision
}

func (u *undecided) Decided(_ context.Context, _ skills.ScriptRun, d agent.Decision) error {
	u.decisions = append(u.decisions, d)
	return nil
}

// TestRecorderUndecided checks that a call without a decision is recorded as it is
// reported.
func TestRecorderUndecided(t *testing.T) {
	u := &undecided{}
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}, Recorder: u})
	ctx, end := context.WithCancel(t.Context())
	ask := func(ctx context.Context, _ skills.Request) (skills.Answer, error) {
		end()
		return skills.Answer{Approved: true}, context.Cause(ctx)
	}
	inv := b.invocation("run_skill_script", convert)
	inv.Emit = func(agent.Event) {}
	result, err := agent.Approval(newPolicy(t, b, skills.PolicyOptions{Ask: ask}).Approve)(inv.Tool.Call)(ctx, inv)
	want := agent.Decision{By: "nobody", Reason: "interrupted before you answered"}
	if err != nil || !result.Failed || len(u.decisions) != 1 || u.decisions[0] != want {
		t.Errorf("got %+v, %v, recorded %+v", result, err, u.decisions)
	}
}
