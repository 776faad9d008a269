package skills_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/script"
)

// echo is a script that is a function.
func echo(_ context.Context, arguments json.RawMessage) (string, error) {
	return "got " + string(arguments), nil
}

func TestRunScript(t *testing.T) {
	runner := &recorder{result: script.Result{Stdout: "out\n", Stderr: "err\n", ExitCode: 3, Truncated: true, Sandbox: "bwrap"}}
	root := converter(t)
	file := filepath.Join(root, "unit-converter", "scripts", "convert.py")
	if err := os.WriteFile(file, []byte("print('takes anything')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, skills.Options{Source: files(root), Runner: runner})
	got := b.call("run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":["--value","26.2","a b","$(x)"]}`)
	if !got.Failed || !got.Truncated || got.Text != runner.result.Text() {
		t.Errorf("result %+v", got)
	}
	if got.Process == nil || got.Process.ExitCode != 3 || got.Process.TimedOut || got.Process.Sandbox != "bwrap" {
		t.Errorf("process %+v", got.Process)
	}
	runner.result = script.Result{TimedOut: true, ExitCode: 137, Signal: "SIGKILL", Sandbox: "none"}
	if got := b.call("run_skill_script", `{"skill_name":"unit-converter","script_name":"./Scripts/convert.py","args":{"value":1,"tag":["a","b"],"x":null}}`); !got.Failed || !got.Process.TimedOut {
		t.Errorf("a time-out: %+v, %+v", got, got.Process)
	}
	runner.result = script.Result{Stdout: "fine"}
	for _, arguments := range []string{``, `,"arguments":null`, `,"arguments":[]`, `,"arguments":"[\"--n\", 26.20]"`} {
		if got := b.call("run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py"`+arguments+`}`); got.Failed || got.Text != "fine" {
			t.Errorf("a success: %+v", got)
		}
	}
	want := []string{
		"unit-converter/scripts/convert.py --value|26.2|a b|$(x)",
		"unit-converter/scripts/convert.py --value|1|--tag|a|--tag|b",
		"unit-converter/scripts/convert.py ",
		"unit-converter/scripts/convert.py ",
		"unit-converter/scripts/convert.py ",
		"unit-converter/scripts/convert.py --n|26.20",
	}
	if diff := cmp.Diff(want, runner.ran); diff != "" {
		t.Errorf("what ran (-want +got):\n%s", diff)
	}
	runner.err = &fault.Error{Message: "disk on fire", Hint: "use water"}
	b.refused("run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py"}`,
		"Error: Failed to execute script 'scripts/convert.py' from skill 'unit-converter'. Exception: disk on fire (use water)")
}

func TestRunFunctions(t *testing.T) {
	object := agent.ParseSchema(`{"type":"object","properties":{"value":{"type":"number"},"note":{"type":"string"},"exact":{"type":"boolean"}}}`)
	skill := memory("m", "x", loader.Contents{Scripts: []loader.Script{
		{Name: "echo", Call: echo, Schema: object},
		{Name: "fails", Call: func(context.Context, json.RawMessage) (string, error) { return "", errors.New("no luck") }},
		{Name: "file.py"},
		{Name: "panics", Call: func(context.Context, json.RawMessage) (string, error) { panic("boom") }},
		{Name: "plain", Call: echo},
		{Name: "silent", Call: func(context.Context, json.RawMessage) (string, error) { return "", nil }},
		{Name: "zero", Call: func(context.Context, json.RawMessage) (string, error) { return "a\x00b", nil }},
	}})
	b := newBench(t, skills.Options{Source: loader.Memory(skill), Runner: &recorder{}})
	run := func(name, arguments string) string {
		return `{"skillName":"m","scriptName":"` + name + `"` + arguments + `}`
	}
	b.text("run_skill_script", run("echo", `,"arguments":{"value":1.50}`), `got {"value":1.50}`)
	for arguments, want := range map[string]string{
		`[{"value":1}]`: `{"value":1}`, `["{\"value\":1}"]`: `{"value":1}`, `["--value","1.5"]`: `{"value":1.5}`,
		`["--value=1","note=a \"b\"","--exact"]`: `{"value":1,"note":"a \"b\"","exact":true}`,
		`["--note","2","--value",3]`:             `{"note":"2","value":3}`,
		`["1"]`:                                  `["1"]`, `["--other","1"]`: `["--other","1"]`, `[]`: `[]`,
	} {
		got := b.call("run_skill_script", run("echo", `,"arguments":`+arguments))
		text, note, _ := strings.Cut(got.Text, "\n\n[Understood as ")
		if text != "got "+want || strings.Contains(arguments, "{") && !strings.Contains(note, want) {
			t.Errorf("%s: %s", arguments, got.Text)
		}
	}
	b.text("run_skill_script", run("echo", ``), `got null`)
	b.text("run_skill_script", run("echo", `,"arguments":"{\"value\":1}"`), `got {"value":1}`)
	b.text("run_skill_script", run("echo", `,"arguments":"text"`), `got "text"`)
	b.text("run_skill_script", run("plain", `,"arguments":"{\"value\":1}"`), `got "{\"value\":1}"`)
	b.text("run_skill_script", run("silent", ``), "(no output)")
	b.text("run_skill_script", run("zero", ``), "a\uFFFDb")
	b.refused("run_skill_script", run("fails", ``), "Error: Failed to execute script 'fails' from skill 'm'. Exception: no luck")
	b.refused("run_skill_script", run("panics", ``), "Error: Failed to execute script 'panics' from skill 'm'. Exception: panic: boom")
	b.refused("run_skill_script", run("file.py", ``), "Error: Failed to execute script 'file.py' from skill 'm'. Exception: the skill has no folder, so there is no file to run")

	skill.Dir = t.TempDir()
	b = newBench(t, skills.Options{Source: loader.Memory(skill)})
	b.refused("run_skill_script", run("file.py", ``), "Error: Failed to execute script 'file.py' from skill 'm'. Exception: no runner for script files is configured")
}

// TestCancelled checks that the end of the run is an error, not a result for the model.
func TestCancelled(t *testing.T) {
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{err: context.Canceled}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, arguments := range map[string]string{
		"read_skill_resource": `{"skillName":"unit-converter","resourceName":"references/conversion-table.md"}`,
		"run_skill_script":    `{"skillName":"unit-converter","scriptName":"scripts/convert.py"}`,
	} {
		inv := b.invocation(tool, arguments)
		if got, err := perform(ctx, inv); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %+v, %v; want %v", tool, got, err, context.Canceled)
		}
	}
}

// TestTooManyArguments checks that a command line that no system can start is refused
// with its size.
func TestTooManyArguments(t *testing.T) {
	b, runner := converterBench(t)
	for arguments, want := range map[string]string{
		"[" + strings.Repeat(`"123456",`, 99_999) + `"1"]`: "checking arguments: 100000 arguments are more than the 8000 that are allowed",
		`["` + strings.Repeat("x", 128<<10) + `"]`:         "checking arguments: 131072 bytes in one argument are more than",
	} {
		got := b.call("run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":`+arguments+`}`)
		want = "Failed to execute script 'scripts/convert.py' from skill 'unit-converter'. Exception: " + want
		if !strings.Contains(got.Text, want) || !got.Failed || got.Process != nil {
			t.Errorf("got %.300q, want %q", got.Text, want)
		}
	}
	if len(runner.ran) > 0 {
		t.Errorf("ran %v", runner.ran)
	}
}

// TestCombine: each source has its own runner, or that of the options, and one that is
// cached is asked once, however often the sources are.
func TestCombine(t *testing.T) {
	own, common := &recorder{result: script.Result{Stdout: "own"}}, &recorder{result: script.Result{Stdout: "common"}}
	asked := map[string]int{}
	source := func(name string) loader.Source {
		skills := files(tree(t, map[string]string{
			name + "/SKILL.md": "---\nname: " + name + "\ndescription: Is " + name + ".\n---\n", name + "/run.sh": "echo",
		}))
		return loader.SourceFunc(func(ctx context.Context) ([]*loader.Skill, error) {
			asked[name]++
			return skills.Skills(ctx)
		})
	}
	var dropped []string
	all := skills.Combine(func(n loader.Notice) { dropped = append(dropped, n.Message) },
		skills.From{Source: source("boxed"), Runner: own, Cached: true},
		skills.From{Source: source("plain")},
		skills.From{Source: loader.Memory(memory("Plain", "x", loader.Contents{}))})
	b := newBench(t, skills.Options{Source: all, Runner: common})
	b.text("run_skill_script", `{"skillName":"boxed","scriptName":"run.sh"}`, "own")
	b.text("run_skill_script", `{"skillName":"plain","scriptName":"run.sh"}`, "common")
	for range 2 {
		if _, err := all.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := map[string]int{"boxed": 1, "plain": 3}; !cmp.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	if len(dropped) != 1 || !strings.Contains(dropped[0], `"Plain" not loaded`) {
		t.Errorf("notices: %q", dropped)
	}

	// With its own runner alone, a source has scripts to run.
	b = newBench(t, skills.Options{Source: skills.Combine(nil, skills.From{Source: source("boxed"), Runner: own})})
	b.text("run_skill_script", `{"skillName":"boxed","scriptName":"run.sh"}`, "own")
}

// TestAddedFiles: what is added below a folder of a loaded skill is found, and listed
// when the skill is loaded again.
func TestAddedFiles(t *testing.T) {
	root := converter(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &recorder{result: script.Result{Stdout: "ran"}}})
	b.call("load_skill", `{"skillName":"unit-converter"}`)
	for name, text := range map[string]string{"references/empty.md": "", "references/new.md": "news", "scripts/new.py": "print(1)"} {
		if err := os.WriteFile(filepath.Join(root, "unit-converter", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.text("read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/new.md"}`, "news")
	b.text("read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/empty.md"}`, "(the resource is empty)")
	b.text("run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/new.py"}`, "ran")
	if err := os.Remove(filepath.Join(root, "unit-converter", "references", "new.md")); err != nil {
		t.Fatal(err)
	}
	text := b.call("load_skill", `{"skillName":"unit-converter"}`).Text
	if !strings.Contains(text, "references/empty.md") || !strings.Contains(text, "scripts/new.py") || strings.Contains(text, "references/new.md") {
		t.Errorf("loaded again:\n%s", text)
	}
}
