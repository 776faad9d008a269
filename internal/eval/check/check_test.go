package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/testing/filetest"
	"skills/internal/todo"
)

// trace returns the trace of a run that did a call of each kind.
func trace() (t Trace) {
	call := func(id, name, arguments string) {
		t.Add(agent.ToolCallEvent{ID: id, Name: name, Arguments: []byte(arguments)})
	}
	result := func(id string, ok bool, ran *agent.Process, kind, owner, name string) {
		t.Add(agent.ToolResultEvent{ID: id, OK: ok, Process: ran, Action: agent.Summary{Kind: kind, Owner: owner, Name: name}})
	}
	call("c1", "load_skill", `{"skill_name":"conv"}`)
	result("c1", true, nil, "skill", "conv", "")
	call("c2", "read_skill_resource", `{"skillName":"conv","resourceName":"references/table.md"}`)
	result("c2", true, nil, "resource", "conv", "references/table.md")
	call("c3", "run_skill_script", `{"skillName":"conv","scriptName":"scripts/a.py","arguments":{"value":1}}`)
	result("c3", false, &agent.Process{ExitCode: 2}, "script", "conv", "scripts/a.py")
	call("c4", "load_skill", `{"skillName":"other"}`)
	result("c4", false, nil, "skill", "other", "")
	t.Add(todo.Event{Items: []todo.Item{{}}})
	t.Add(todo.Event{Items: []todo.Item{{IsComplete: true}, {IsComplete: true}}})
	return t
}

func evidence(t *testing.T) Evidence {
	dir, in := t.TempDir(), t.TempDir()
	filetest.Write(t, dir, map[string]string{"out.json": `{"rows": 3, "a/b": [1, {"c~": null}]}`, "t.csv": "name,n\na,1\nb,2\n", "sub/x.txt": "Hello world", "changed.txt": "new", "bad.csv": "a,\"b\nc", "report[1].txt": "", "sub/big.json": "[9007199254740993, 1e2]", "same.txt": "old"})
	filetest.Write(t, in, map[string]string{"same.txt": "old", "changed.txt": "old", "gone.txt": "x"})
	answer := " The result is 42.\n```json\n{\"n\": 42, \"tags\": [\"a\"]}\n```\n"
	e := Evidence{Skill: "conv", Dir: dir, Trace: trace(), Run: store.Run{Answer: answer}}
	e.Run.Turns, e.Run.Tokens, e.Run.Executor = 3, new(int64(100)), 1.5
	for _, name := range []string{"same.txt", "changed.txt", "gone.txt"} {
		e.Inputs = append(e.Inputs, suite.File{Path: name, Source: filepath.Join(in, name)})
	}
	e.Command = func(_ context.Context, argv []string, timeout time.Duration) (string, int, error) {
		switch argv[0] {
		case "fails":
			return "wrong", 3, nil
		case "scores":
			return `{"score": 0.5, "checks": [{"text": "rows", "passed": false, "evidence": "2 of 4"}]}`, 1, nil
		case "excess":
			return `{"score": 7}`, 0, nil
		case "text":
			return `{"score":"0.2"}`, 0, nil
		case "parts":
			return `{"score":0.2,"checks":[{"passed":"no"}]}`, 0, nil
		case "debug":
			return "reading\n{\"score\":0}", 0, nil
		case "breaks":
			return "", 0, errors.New("no such program")
		}
		return timeout.String(), 0, nil
	}
	return e
}

// TestGrade grades every type of check with both results, and checks the evidence.
func TestGrade(t *testing.T) {
	e := evidence(t)
	n := func(f float64) *float64 { return &f }
	code := func(i int) *int { return &i }
	for _, tt := range []struct {
		check  suite.Check
		passed bool
		want   string // in the evidence or the error
	}{
		{suite.Check{Type: "contains", Value: "42"}, true, "The result is 42"},
		{suite.Check{Type: "contains", Value: "43"}, false, `"43" was not found`},
		{suite.Check{Type: "not_contains", Value: "43"}, true, "was not found"},
		{suite.Check{Type: "not_contains", Value: "42"}, false, "found: "},
		{suite.Check{Type: "equals", Value: strings.TrimSpace(e.Run.Answer)}, true, "The result"},
		{suite.Check{Type: "equals", Value: "The result"}, false, "the answer is"},
		{suite.Check{Type: "regex", Pattern: `is \d+`}, true, "found: is 42"},
		{suite.Check{Type: "regex", Pattern: `^is`}, false, "does not match"},
		{suite.Check{Type: "json", JSON: suite.JSON{Pointer: "/n", Equals: []byte("42.0")}}, true, "is 42"},
		{suite.Check{Type: "json", JSON: suite.JSON{Pointer: "/n", Equals: []byte(`"42"`)}}, false, "is 42"},
		{suite.Check{Type: "json", JSON: suite.JSON{Pointer: "/none"}}, false, "nothing at /none"},
		{suite.Check{Type: "json_schema", JSON: suite.JSON{Schema: []byte(`{"required":["n"]}`)}}, true, ""},
		{suite.Check{Type: "json_schema", JSON: suite.JSON{Schema: []byte(`{"required":["m"]}`)}}, false, "missing"},
		{suite.Check{Type: "file_exists", Path: "sub/*.txt"}, true, "sub/x.txt"},
		{suite.Check{Type: "file_exists", Path: "gone.txt"}, false, "no file gone.txt"},
		{suite.Check{Type: "file_absent", Path: "gone.txt"}, true, "no file"},
		{suite.Check{Type: "file_absent", Path: "*.json"}, false, "out.json"},
		{suite.Check{Type: "file_exists", Path: "report[1].txt"}, true, "report[1].txt"},
		{suite.Check{Type: "file_exists", Path: "report[1].*"}, true, "report[1].txt"},
		{suite.Check{Type: "file_absent", Path: "report[1].txt"}, false, "report[1].txt"},
		{suite.Check{Type: "file_exists", Path: "[a"}, false, "no file [a"},
		{suite.Check{Type: "file_json", Path: "sub/big.json", JSON: suite.JSON{Equals: []byte("[9007199254740993, 100]")}}, true, "9007199254740993"},
		{suite.Check{Type: "file_json", Path: "sub/big.json", JSON: suite.JSON{Equals: []byte("[9007199254740992, 100]")}}, false, "9007199254740993"},
		{suite.Check{Type: "file_contains", Path: "sub/x.txt", Value: "world"}, true, "Hello world"},
		{suite.Check{Type: "file_contains", Path: "same.txt", Value: "world"}, false, "not found"},
		{suite.Check{Type: "file_contains", Path: "none.txt", Value: "world"}, false, "none.txt: "},
		{suite.Check{Type: "file_contains", Path: "../../etc/passwd", Value: "root"}, false, "etc/passwd"},
		{suite.Check{Type: "file_regex", Path: "sub/x.txt", Pattern: "^H"}, true, "found: H"},
		{suite.Check{Type: "file_regex", Path: "sub/x.txt", Pattern: "^w"}, false, "does not match"},
		{suite.Check{Type: "file_json", Path: "out.json", JSON: suite.JSON{Pointer: "/rows", Equals: []byte("3")}}, true, "is 3"},
		{suite.Check{Type: "file_json", Path: "out.json", JSON: suite.JSON{Pointer: "/a~1b/1/c~0", Equals: []byte("null")}}, true, "is null"},
		{suite.Check{Type: "file_json", Path: "out.json", JSON: suite.JSON{Pointer: "/a~1b/2"}}, false, "nothing at"},
		{suite.Check{Type: "file_json", Path: "t.csv", JSON: suite.JSON{Pointer: "/rows"}}, false, "not JSON"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Min: n(2), Max: n(2), Columns: []string{"n"}}, true, "2 rows"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Min: n(3)}, false, "2 rows"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Max: n(1)}, false, "2 rows"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Columns: []string{"m"}}, false, `no column "m" in name,n`},
		{suite.Check{Type: "csv_rows", Path: "bad.csv", Min: n(1)}, false, "not CSV"},
		{suite.Check{Type: "unchanged", Path: "same.txt"}, true, "3 bytes"},
		{suite.Check{Type: "unchanged", Path: "changed.txt"}, false, "3 bytes before"},
		{suite.Check{Type: "unchanged", Path: "gone.txt"}, false, "gone.txt"},
		{suite.Check{Type: "unchanged", Path: "out.json"}, false, "not an input"},
		{suite.Check{Type: "tool_used", Calls: suite.Calls{Tool: "run_skill_script", Input: `"value":1`}}, true, "1 calls"},
		{suite.Check{Type: "tool_used", Calls: suite.Calls{Tool: "load_skill"}, Min: n(3)}, false, "2 calls"},
		{suite.Check{Type: "tool_used", Calls: suite.Calls{Tool: "load_skill"}, Max: n(0)}, false, "2 calls"},
		{suite.Check{Type: "tool_used", Calls: suite.Calls{Tool: "todos_add"}, Max: n(0)}, true, "0 calls"},
		{suite.Check{Type: "tool_order", Calls: suite.Calls{Tools: []string{"load_skill", "run_skill_script"}}}, true, "2 of 2"},
		{suite.Check{Type: "tool_order", Calls: suite.Calls{Tools: []string{"run_skill_script", "read_skill_resource"}}}, false, "1 of 2"},
		{suite.Check{Type: "regex", Pattern: `is \d+`, Not: true}, false, "found: is 42"},
		{suite.Check{Type: "regex", Pattern: `^is`, Not: true}, true, "does not match"},
		{suite.Check{Type: "file_regex", Path: "sub/x.txt", Pattern: "^w", Not: true}, true, "does not match"},
		{suite.Check{Type: "file_regex", Path: "gone.txt", Pattern: "^w", Not: true}, false, "gone.txt"},
		{suite.Check{Type: "names_regex", Pattern: `^sub/x\.`}, true, "found: sub/x."},
		{suite.Check{Type: "names_regex", Pattern: `\.bak$`, Not: true}, true, "no name of"},
		{suite.Check{Type: "trace_regex", Pattern: `"value":1`}, true, "found: "},
		{suite.Check{Type: "trace_regex", Pattern: `"value":2`}, false, "does not match"},
		{suite.Check{Type: "skill_loaded"}, true, "used: true"},
		{suite.Check{Type: "skill_not_loaded"}, false, "used: true"},
		{suite.Check{Type: "resource_read", Path: "references/table.md"}, true, "used: true"},
		{suite.Check{Type: "resource_read", Path: "references/other.md"}, false, "used: false"},
		{suite.Check{Type: "script_used", Path: "scripts/a.py", Calls: suite.Calls{ExitCode: code(2)}}, true, "used: true"},
		{suite.Check{Type: "script_used", Path: "scripts/a.py"}, true, "used: true"},
		{suite.Check{Type: "script_used", Path: "scripts/a.py", Calls: suite.Calls{ExitCode: code(0)}}, false, "used: false"},
		{suite.Check{Type: "todos_complete"}, true, "2 todos"},
		{suite.Check{Type: "max_turns", Max: n(3)}, true, "3 turns"},
		{suite.Check{Type: "max_turns", Max: n(2)}, false, "3 turns"},
		{suite.Check{Type: "max_tool_calls", Max: n(4)}, true, "4 tool calls"},
		{suite.Check{Type: "max_tool_calls", Max: n(3)}, false, "4 tool calls"},
		{suite.Check{Type: "max_tokens", Max: n(100)}, true, "100 tokens"},
		{suite.Check{Type: "max_tokens", Max: n(99)}, false, "100 tokens"},
		{suite.Check{Type: "max_seconds", Max: n(2)}, true, "1.5 seconds"},
		{suite.Check{Type: "max_seconds", Max: n(1)}, false, "1.5 seconds"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"works"}}}, true, "0s"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"works"}, Seconds: 5}}, true, "5s"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"fails"}}}, false, "exit code 3: wrong"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"scores"}}}, false, "score 0.5; failed: rows (2 of 4)"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"text"}}}, false, "the output has a score, but is not"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"parts"}}}, false, "the output has a score, but is not"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"debug"}}}, false, "the output has a score, but is not"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"excess"}}}, false, "not between 0 and 1"},
		{suite.Check{Type: "command", Program: suite.Program{Command: []string{"breaks"}}}, false, "no such program"},
		{suite.Check{Type: "unheard_of"}, false, "unknown type"},
	} {
		o := Grade(context.Background(), tt.check, e)
		if o.Passed != tt.passed || !strings.Contains(o.Evidence+o.Error, tt.want) || o.Text == "" {
			t.Errorf("%s: %+v, want %v and %q", tt.check.Text(), o, tt.passed, tt.want)
		}
	}
	if o := Grade(context.Background(), suite.Check{Type: "command", Program: suite.Program{Command: []string{"scores"}}, Name: "rows"}, e); o.Score != 0.5 || o.Text != "rows" {
		t.Errorf("a score of its own: %+v", o)
	}
	undecided := Evidence{Dir: e.Dir}
	for _, kind := range []string{"max_tokens", "command"} {
		if o := Grade(context.Background(), suite.Check{Type: kind, Program: suite.Program{Command: []string{"x"}}}, undecided); o.Error == "" || o.Passed {
			t.Errorf("%s: %+v", kind, o)
		}
	}
	if o := Grade(context.Background(), suite.Check{Type: "skill_not_loaded"}, undecided); !o.Passed {
		t.Errorf("no trace: %+v", o)
	}
	for _, kind := range []string{"todos_complete", "skill_loaded"} {
		if o := Grade(context.Background(), suite.Check{Type: kind}, undecided); o.Passed || o.Error != "" {
			t.Errorf("no trace: %+v", o)
		}
	}
}

// TestHostile checks that patterns and files that would take long or leave the folder are
// not searched.
func TestHostile(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "key.txt")
	filetest.Write(t, dir, map[string]string{"large.txt": strings.Repeat("a", maxFile+1), "long.txt": strings.Repeat("a", maxFile), "x.txt": "x"})
	filetest.Write(t, filepath.Dir(outside), map[string]string{"key.txt": "key"})
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	e := Evidence{Dir: dir, Run: store.Run{Answer: strings.Repeat("\x1b[2J", 1000) + "42"}}
	for _, tt := range []struct {
		check suite.Check
		want  string
	}{
		{suite.Check{Type: "file_contains", Path: "large.txt", Value: "a"}, "larger than"},
		{suite.Check{Type: "file_regex", Path: "long.txt", Pattern: "(a{1,30}){1,30}b"}, "too long for the pattern"},
		{suite.Check{Type: "file_regex", Path: "long.txt", Pattern: "(a?){200}b"}, "too long for the pattern"},
		{suite.Check{Type: "file_contains", Path: "link.txt", Value: "key"}, "link.txt"},
		{suite.Check{Type: "file_contains", Path: ".", Value: "key"}, "."},
	} {
		if o := Grade(context.Background(), tt.check, e); o.Passed || !strings.Contains(o.Error+o.Evidence, tt.want) {
			t.Errorf("%s: %+v", tt.check.Text(), o)
		}
	}
	if o := Grade(context.Background(), suite.Check{Type: "contains", Value: "42"}, e); !o.Passed || strings.Contains(o.Evidence, "\x1b") {
		t.Errorf("control characters: %+v", o)
	}
}
