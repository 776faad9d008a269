package skills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/loader"
)

const convert = `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":["--value","1"]}`

func converterBench(t *testing.T) (*bench, *recorder) {
	t.Helper()
	runner := &recorder{}
	return newBench(t, skills.Options{Source: files(converter(t)), Runner: runner}), runner
}

func yes(context.Context, approve.Request) (approve.Answer, error) {
	return approve.Answer{Approved: true, Reason: "fine"}, nil
}

func no(context.Context, approve.Request) (approve.Answer, error) {
	return approve.Answer{Reason: "not this one"}, nil
}

func TestDecisions(t *testing.T) {
	const nobody, allow = "scripts need approval and no one is available", "re-run with --allow-script 'unit-converter/scripts/convert.py' --sandbox off to allow it"
	type decision = agent.Decision
	for _, tt := range []struct {
		name   string
		opt    policyOptions
		needed bool
		want   decision
	}{
		{"ask, no user", policyOptions{}, true, decision{By: "policy", Reason: nobody, Hint: allow}},
		{"ask, yes", policyOptions{Mode: approve.Ask, Ask: yes}, true, decision{Approved: true, By: "user", Reason: "fine"}},
		{"ask, no", policyOptions{Ask: no}, true, decision{By: "user", Reason: "not this one"}},
		{"always, sandboxed", policyOptions{Mode: approve.Always, Sandbox: sandboxed("landlock"), Ask: no}, true, decision{Approved: true, By: "flag", Reason: "--approve always"}},
		{"always, no sandbox", policyOptions{Mode: approve.Always, Sandbox: sandboxed("none"), Ask: yes}, true,
			decision{By: "policy", Reason: "no sandbox works here, and unattended scripts need one", Hint: "re-run with --sandbox off to run scripts without a sandbox"}},
		{"always, sandbox unknown", policyOptions{Mode: approve.Always}, true,
			decision{By: "policy", Reason: "no sandbox works here, and unattended scripts need one", Hint: "re-run with --sandbox off to run scripts without a sandbox"}},
		{"always, sandbox off", policyOptions{Mode: approve.Always, Sandbox: sandboxed("none"), Unsandboxed: true}, true, decision{Approved: true, By: "flag", Reason: "--approve always"}},
		{"never", policyOptions{Mode: approve.Never, Ask: yes}, true, decision{By: "policy", Reason: "scripts are not run here", Hint: "re-run without --approve never to be asked before a script runs"}},
		{"never, but allowed", policyOptions{Mode: approve.Never, Allow: []string{"unit-converter/*"}, Sandbox: sandboxed("landlock")}, true, decision{Approved: true, By: "flag", Reason: "--allow-script unit-converter/*"}},
		{"allowed, no user", policyOptions{Allow: []string{"other/*", "unit-*/scripts/*.py"}, Sandbox: sandboxed("landlock")}, true, decision{Approved: true, By: "flag", Reason: "--allow-script unit-*/scripts/*.py"}},
		{"allowed, without a sandbox", policyOptions{Allow: []string{"unit-converter/*"}, Ask: yes}, true, decision{By: "policy", Reason: "no sandbox works here, and unattended scripts need one", Hint: "re-run with --sandbox off to run scripts without a sandbox"}},
		{"another allowed", policyOptions{Allow: []string{"other/*", "unit-converter/convert.py", "converter/*"}}, true, decision{By: "policy", Reason: nobody, Hint: allow}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, _ := converterBench(t)
			got, needed, err := newPolicy(t, b, tt.opt).Approve(t.Context(), b.invocation("run_skill_script", convert))
			if err != nil || needed != tt.needed {
				t.Fatalf("needed %t, error %v; want %t", needed, err, tt.needed)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatNeedsApproval checks that every spelling of an existing script needs approval;
// calls that the tool rejects and tools that only read need none.
func TestWhatNeedsApproval(t *testing.T) {
	b, runner := converterBench(t)
	policy := newPolicy(t, b, policyOptions{Mode: approve.Never, Allow: []string{"Unit-Converter/*", "*/Scripts/*"}})
	for _, tt := range []struct {
		tool, arguments string
		needed          bool
	}{
		{"load_skill", `{"skillName":"unit-converter"}`, false},
		{"read_skill_resource", `{"skillName":"unit-converter","resourceName":"scripts/convert.py"}`, false},
		{"run_skill_script", convert, true},
		{"run_skill_script", `{"skill_name":"UNIT-CONVERTER","Script-Name":"./scripts\\convert.py","args":null}`, true},
		{"run_skill_script", `{"skillName":"nothing","scriptName":"scripts/convert.py"}`, false},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"convert.py"}`, true},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"../../bin/sh"}`, false},
		{"run_skill_script", `{"skillName":"unit-converter"}`, false},
		{"run_skill_script", `{"skillName":["unit-converter"],"scriptName":"scripts/convert.py"}`, false},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"--":1}}`, false},
		{"run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","value":1}`, false},
	} {
		inv := b.invocation(tt.tool, tt.arguments)
		decision, needed, err := policy.Approve(t.Context(), inv)
		if err != nil || needed != tt.needed || decision.Approved {
			t.Errorf("%s(%s): %+v, needed %t, %v; want needed %t and not approved", tt.tool, tt.arguments, decision, needed, err, tt.needed)
		}
		if !needed {
			if _, err := perform(t.Context(), inv); err != nil {
				t.Error(err)
			}
		}
	}
	if len(runner.ran) > 0 {
		t.Errorf("ran without approval: %v", runner.ran)
	}
}

// TestRefusedIsNotResolvedAgain checks that a call that could not be resolved, and so was
// not approved, is not run even if it could be resolved a moment later.
func TestRefusedIsNotResolvedAgain(t *testing.T) {
	var unreadable error
	skill := &loader.Skill{
		Name: "fn", Description: "x",
		Load: func(context.Context) (loader.Contents, error) {
			return loader.Contents{Scripts: []loader.Script{{Name: "f", Call: echo}}}, unreadable
		},
	}
	b := newBench(t, skills.Options{Source: loader.Memory(skill), Runner: &recorder{}})
	policy := newPolicy(t, b, policyOptions{Mode: approve.Never})
	unreadable = errors.New("it cannot be read")
	skill.Forget()
	inv := b.invocation("run_skill_script", `{"skillName":"fn","scriptName":"f"}`)
	if d, needed, err := policy.Approve(t.Context(), inv); needed || err != nil {
		t.Fatalf("got %+v, needed %t, %v", d, needed, err)
	}
	unreadable = nil
	if got, err := perform(t.Context(), inv); err != nil || !got.Failed || !strings.Contains(got.Text, "it cannot be read") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRequest(t *testing.T) {
	root := converter(t)
	function := memory("fn", "x", loader.Contents{Scripts: []loader.Script{{Name: "f", Call: echo}}})
	b := newBench(t, skills.Options{Source: loader.Aggregate(files(root), loader.Memory(function)), Runner: &recorder{}, Scripts: skills.Confinement{Dir: "/home/ann/a b"}})
	var asked []approve.Request
	tried := 0 // a function is part of the program, and needs no sandbox
	try := func(context.Context) (agent.Sandbox, error) {
		tried++
		return agent.Sandbox{Name: "bwrap", NotEnforced: []string{"a gap"}}, nil
	}
	policy := newPolicy(t, b, policyOptions{Sandbox: try, Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
		asked = append(asked, r)
		return approve.Answer{Approved: true}, nil
	}})
	for i, arguments := range []string{
		`{"skillName":"fn","scriptName":"f","arguments":{"x":1}}`,
		`{"skillName":"Unit-Converter","scriptName":"./scripts/convert.py","arguments":{"value":1,"label":"a b; rm"}}`,
		`{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":null}`,
	} {
		if i < 2 && tried > 0 {
			t.Errorf("before %s the sandbox was tried", arguments)
		}
		if d, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", arguments)); err != nil || !d.Approved {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	file := filepath.Join(root, "unit-converter", "scripts", "convert.py")
	want := []approve.Request{
		{Approval: &agent.Approval{Dir: "/home/ann/a b", Action: agent.Summary{
			Kind: "script", Owner: "fn", Name: "f", Line: "fn/f --x 1", Arguments: jsonText(`{"x":1}`),
		}}},
		{Sandbox: "bwrap", NotEnforced: []string{"a gap"}, Approval: &agent.Approval{
			Dir: "/home/ann/a b", Args: []string{"--value", "1", "--label", "a b; rm"}, Action: agent.Summary{
				Kind: "script", Owner: "unit-converter", Name: "scripts/convert.py", Line: "unit-converter/scripts/convert.py --value 1 --label 'a b; rm'",
				Arguments: jsonText(`{"value":1,"label":"a b; rm"}`), Command: []string{"/bin/interpreter", file, "--value", "1", "--label", "a b; rm"},
			},
		}},
		{Sandbox: "bwrap", NotEnforced: []string{"a gap"}, Approval: &agent.Approval{
			Dir: "/home/ann/a b", Action: agent.Summary{
				Kind: "script", Owner: "unit-converter", Name: "scripts/convert.py", Line: "unit-converter/scripts/convert.py",
				Arguments: jsonText(`null`), Command: []string{"/bin/interpreter", file},
			},
		}},
	}
	for i, r := range asked {
		isFile := r.Action.Command != nil
		if isFile != (r.Source != nil) || isFile != (len(r.Digest) == 64) || r.Digest != r.Action.Files || isFile != (len(r.Action.Digest) == 64) {
			t.Errorf("%s has the digest %q and a source: %t", r.Action.Target(), r.Digest, r.Source != nil)
		}
		if isFile {
			if source, err := r.Source(); err != nil || !strings.Contains(source, "print") {
				t.Errorf("the source of %s is %q, %v", r.Action.Target(), source, err)
			}
			asked[i].Source, asked[i].Digest, asked[i].Action.Digest, asked[i].Action.Files = nil, "", "", ""
		}
	}
	ignored := cmpopts.IgnoreFields(agent.Approval{}, "Sandbox", "Unseen", "Grant", "Content", "Read")
	if diff := cmp.Diff(want, asked, cmpopts.EquateEmpty(), ignored, cmpopts.IgnoreUnexported(approve.Request{})); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestRemember(t *testing.T) {
	root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/one.py": "", "a/two.py": ""})
	b := newBench(t, skills.Options{Source: files(root), Runner: &recorder{}})
	var asked []string
	answers := []approve.Answer{{Scope: approve.ScopeProgram}, {Approved: true}, {Approved: true, Scope: approve.ScopeProgram}, {}}
	policy := newPolicy(t, b, policyOptions{Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
		asked = append(asked, r.Action.Name)
		return answers[len(asked)-1], nil
	}})
	var decisions []bool
	for _, name := range []string{"one.py", "one.py", "one.py", "ONE.py", "two.py"} {
		d, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", `{"skillName":"a","scriptName":"`+name+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		decisions = append(decisions, d.Approved)
	}
	if diff := cmp.Diff([]bool{false, true, true, true, false}, decisions); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one.py", "one.py", "one.py", "two.py"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// TestChangedScriptIsReported checks that a changed script needs a new approval, and that the
// prompt says why and shows allowed-tools.
func TestChangedScriptIsReported(t *testing.T) {
	root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\nallowed-tools: Bash(git:*) Read\n---\n", "a/one.py": "1", "a/two.py": "1"})
	b := newBench(t, skills.Options{Source: files(root), Runner: &recorder{}})
	var asked []string
	policy := newPolicy(t, b, policyOptions{Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
		asked = append(asked, fmt.Sprintf("%s %t %s", r.Action.Name, r.Changed, r.Note))
		scope := map[bool]approve.Scope{true: approve.ScopeProgram}[len(asked) == 1]
		return approve.Answer{Approved: len(asked) != 3, Scope: scope}, nil
	}})
	approve := func(name string) {
		t.Helper()
		if _, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", `{"skillName":"a","scriptName":"`+name+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "a", "one.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	approve("one.py") // always
	approve("one.py") // not asked
	write("2")
	approve("one.py") // changed, once
	write("3")
	approve("one.py") // changed, no
	write("2")
	approve("one.py") // as it was approved last
	approve("two.py") // its skill has changed
	const tools = " Bash(git:*) Read"
	want := []string{"one.py false" + tools, "one.py true" + tools, "one.py true" + tools, "one.py false" + tools, "two.py true" + tools}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestAskIsNotReached(t *testing.T) {
	b, runner := converterBench(t)
	ask := func(context.Context, approve.Request) (approve.Answer, error) {
		t.Error("a person is asked")
		return approve.Answer{Approved: true}, nil
	}
	policy := newPolicy(t, b, policyOptions{Ask: ask})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := b.invocation("run_skill_script", convert)
	var events []agent.Event
	late.Emit = func(e agent.Event) { events = append(events, e) }
	result, err := agent.RequireApproval(policy.Policy.Approve)(perform)(ctx, late)
	if err != nil || !result.Failed || result.Text != "Tool call invocation rejected. interrupted before you answered" || len(events) != 1 {
		t.Errorf("after the end: %+v, %v, %+v", result, err, events)
	}
	known := b.invocation("run_skill_script", convert)
	if _, err := known.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d, needed, err := policy.Approve(ctx, known); d.Approved || !needed || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %+v, needed %t, %v", d, needed, err)
	}
	runner.err = &fault.Error{Message: "disk on fire", Hint: "use water"}
	d, needed, err := policy.Approve(t.Context(), b.invocation("run_skill_script", convert))
	if want := (agent.Decision{By: "policy", Reason: "it cannot be started: disk on fire (use water)"}); err != nil || !needed || d != want {
		t.Errorf("what cannot start: %+v, needed %t, %v; want %+v", d, needed, err, want)
	}
	runner.err = nil
	policy = newPolicy(t, b, policyOptions{Ask: func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{Approved: true}, errors.New("the terminal is gone")
	}})
	if d, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", convert)); err == nil || d.Approved {
		t.Errorf("an error of the prompt: %+v, %v", d, err)
	}
	policy = newPolicy(t, b, policyOptions{Ask: func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{Approved: true}, fmt.Errorf("%w: out to lunch", approve.ErrNoUser)
	}})
	d, needed, err = policy.Approve(t.Context(), b.invocation("run_skill_script", convert))
	if want := "scripts need approval and no one is available: out to lunch"; err != nil || !needed || d != (agent.Decision{By: "policy", Reason: want, Hint: "re-run with --allow-script 'unit-converter/scripts/convert.py' --sandbox off to allow it"}) {
		t.Errorf("no user: %+v, needed %t, %v", d, needed, err)
	}
}
