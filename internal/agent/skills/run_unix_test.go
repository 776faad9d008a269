//go:build unix

package skills_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/script"
	"skills/internal/testing/openaitest"
	"skills/internal/todo"
)

// TestWholeRun runs the real agent, loader and script runner against an HTTP server:
// load, read, run, a failing script, a denied one, and the todo list as the last message
// of every request.
func TestWholeRun(t *testing.T) {
	root := tree(t, map[string]string{
		"adder/SKILL.md":        "---\nname: adder\ndescription: Adds numbers.\n---\nRun scripts/add.sh.\n",
		"adder/references/a.md": "Numbers are whole.\n",
		"adder/scripts/add.sh":  "#!/bin/sh\necho \"$(( $1 + $2 )) in $SKILL_DIR\"\npwd\n",
		"adder/scripts/fail.sh": "#!/bin/sh\necho before\necho trouble >&2\nexit 3\n",
		"adder/scripts/evil.sh": "#!/bin/sh\ntouch ran\n",
		"work/keep":             "",
	})
	work := filepath.Join(root, "work")
	runner := &script.Runner{Dir: work, Env: os.Environ(), Sandbox: script.SandboxOff}
	provider, err := skills.New(skills.Options{Source: files(filepath.Join(root, "adder")), Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	policy := policyOptions{Allow: []string{"adder/scripts/add.sh", "adder/scripts/f*"}, Unsandboxed: true}.policy(t)
	call := func(id, name, arguments string) openaitest.Call {
		return openaitest.Call{ID: id, Name: name, Arguments: arguments}
	}
	server := openaitest.New(t,
		openaitest.Do(call("c1", "load_skill", `{"skillName":"adder"}`), call("c2", "todos_add", `{"todos":[{"title":"Add"}]}`)),
		openaitest.Do(call("c3", "read_skill_resource", `{"skillName":"adder","resourceName":"references/a.md"}`)),
		openaitest.Do(
			call("c4", "run_skill_script", `{"skillName":"adder","scriptName":"scripts/add.sh","arguments":["1","2"]}`),
			call("c5", "run_skill_script", `{"skillName":"adder","scriptName":"scripts/fail.sh"}`),
			call("c6", "run_skill_script", `{"skillName":"adder","scriptName":"scripts/evil.sh"}`),
			call("c7", "todos_complete", `{"items":[{"id":1,"reason":"added"}]}`),
		),
		openaitest.Text("It is 3."),
	)
	var approvals []agent.ToolApproval
	results := map[string]agent.ToolResultEvent{}
	a, err := agent.New(agent.Config{
		Server: agent.Server{BaseURL: server.URL}, Model: "m",
		Providers:  []agent.ContextProvider{provider, todo.New(todo.Options{})},
		Middleware: []agent.Middleware{agent.RequireApproval(policy.Approve)},
		Events: func(e agent.Event) {
			switch e := e.(type) {
			case agent.ToolApproval:
				if e.Tool != "run_skill_script" || e.Action.Kind != agent.KindScript || e.Action.Owner != "adder" || e.Action.Digest == "" {
					t.Errorf("the decision is about %s %+v", e.Tool, e.Action)
				}
				e.Tool, e.Action = "", agent.Summary{}
				approvals = append(approvals, e)
			case agent.ToolResultEvent:
				e.DurationMS = 0
				e.Action = agent.Summary{Kind: e.Action.Kind, Owner: e.Action.Owner, Name: e.Action.Name}
				results[e.ID] = e
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	session := agent.NewSession()
	result, err := a.Run(t.Context(), session, "What is 1 + 2?")
	if err != nil || result.Text != "It is 3." {
		t.Fatalf("%+v, %v", result, err)
	}

	dir := filepath.Join(root, "adder")
	want := map[string]agent.ToolResultEvent{
		"c3": {ID: "c3", Name: "read_skill_resource", OK: true, Output: "Numbers are whole.\n", Action: agent.Summary{Kind: "resource", Owner: "adder", Name: "references/a.md"}},
		"c4": {ID: "c4", Name: "run_skill_script", OK: true, Output: "3 in " + dir + "\n" + work, Process: &agent.Process{Sandbox: "none"}, Action: agent.Summary{Kind: "script", Owner: "adder", Name: "scripts/add.sh"}},
		"c5": {ID: "c5", Name: "run_skill_script", Output: "before\nStderr:\ntrouble\nScript exited with code 3", Process: &agent.Process{ExitCode: 3, Sandbox: "none"}, Action: agent.Summary{Kind: "script", Owner: "adder", Name: "scripts/fail.sh"}},
		"c6": {ID: "c6", Name: "run_skill_script", Output: "Tool call invocation rejected. scripts need approval and no one is available", Action: agent.Summary{Kind: "script", Owner: "adder", Name: "scripts/evil.sh"}},
		"c7": {ID: "c7", Name: "todos_complete", OK: true, Output: "1", Action: agent.Summary{Kind: "todo"}},
	}
	for id, w := range want {
		if diff := cmp.Diff(w, results[id]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	wantApprovals := []agent.ToolApproval{
		{ID: "c4", Decision: "approved", By: "flag", Reason: "--allow-script adder/scripts/add.sh"},
		{ID: "c5", Decision: "approved", By: "flag", Reason: "--allow-script adder/scripts/f*"},
		{ID: "c6", Decision: "denied", By: "policy", Reason: strings.TrimPrefix(want["c6"].Output, "Tool call invocation rejected. "), Hint: "re-run with --allow-script 'adder/scripts/evil.sh' to allow it"},
	}
	if diff := cmp.Diff(wantApprovals, approvals); diff != "" {
		t.Errorf("approvals (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(work, "ran")); err == nil {
		t.Error("the denied script ran")
	}
	if loaded, err := skills.Loaded(session); err != nil || len(loaded) != 1 {
		t.Errorf("loaded %v, %v", loaded, err)
	}

	lists := []string{
		"", "### Current todo list\n- 1 [open] Add", // none before the first item
		"### Current todo list\n- 1 [open] Add", "### Current todo list\n- 1 [done] Add",
	}
	for i, request := range server.Requests() {
		last := request.Messages[len(request.Messages)-1]
		if lists[i] != "" && !strings.HasSuffix(last.Text, "\n\n<context>\n"+lists[i]+"\n</context>") {
			t.Errorf("request %d ends in %q (%s), want %q", i+1, last.Text, last.Role, lists[i])
		}
		if n := strings.Count(string(request.Body), "### Current todo list"); n != min(i, 1) {
			t.Errorf("request %d holds %d lists", i+1, n)
		}
	}
	for _, m := range result.Messages {
		if strings.Contains(m.Text, "### Current todo list") {
			t.Errorf("the list is kept in the conversation: %+v", m)
		}
	}
	var names []string
	for _, tool := range server.Requests()[0].Tools {
		names = append(names, tool.Name)
		if raw, err := json.Marshal(tool.Parameters); err != nil || !strings.Contains(string(raw), `"type":"object"`) {
			t.Errorf("%s: schema %s, %v", tool.Name, raw, err)
		}
	}
	if diff := cmp.Diff([]string{"load_skill", "read_skill_resource", "run_skill_script", "todos_add", "todos_complete", "todos_remove", "todos_get_remaining", "todos_get_all"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestSwappedScript checks that a listed script that is replaced by a link out of the
// skill is neither read nor run.
func TestSwappedScript(t *testing.T) {
	root := tree(t, map[string]string{
		"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/run.sh": "#!/bin/sh\necho fine\n",
		"evil.sh": "#!/bin/sh\necho " + canary + "\n",
	})
	runner := &script.Runner{Dir: root, Env: os.Environ(), Sandbox: script.SandboxOff}
	b := newBench(t, skills.Options{Source: files(filepath.Join(root, "a")), Runner: runner})
	b.text("run_skill_script", `{"skillName":"a","scriptName":"run.sh"}`, "fine")
	path := filepath.Join(root, "a", "run.sh")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.refused("run_skill_script", `{"skillName":"a","scriptName":"run.sh"}`, "Error: Failed to execute script 'run.sh' from skill 'a'. Exception: ")
	if err := os.Symlink("../evil.sh", path); err != nil {
		t.Fatal(err)
	}
	b.refused("run_skill_script", `{"skillName":"a","scriptName":"run.sh"}`, "Error: Failed to execute script 'run.sh' from skill 'a'. Exception: ")
	b.refused("read_skill_resource", `{"skillName":"a","resourceName":"run.sh"}`, "Error: Failed to read resource 'run.sh' from skill 'a'. ")
}
