package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/eval/suite"
)

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const transcript = `{"type":"run.started","seq":1}
{"type":"tool.call","seq":2,"id":"c1","name":"load_skill","arguments":{"skill_name":"conv"},"turn":1}
{"type":"tool.result","seq":3,"id":"c1","name":"load_skill","ok":true,"output":"text"}
{"type":"tool.call","seq":4,"id":"c2","name":"read_skill_resource","arguments":{"skillName":"conv","resourceName":"references/table.md"},"turn":2}
{"type":"tool.result","seq":5,"id":"c2","name":"read_skill_resource","ok":true,"output":"table"}
{"type":"tool.call","seq":6,"id":"c3","name":"run_skill_script","arguments":{"skillName":"conv","scriptName":"scripts/a.py","arguments":{"value":1}},"turn":3}
{"type":"tool.result","seq":7,"id":"c3","name":"run_skill_script","ok":false,"output":"no","exit_code":2}
{"type":"tool.call","seq":8,"id":"c4","name":"load_skill","arguments":{"skillName":"other"},"turn":3}
{"type":"tool.result","seq":9,"id":"c4","name":"load_skill","ok":false,"output":"not found"}
{"type":"todo","seq":10,"items":[{"id":1,"isComplete":false}]}
{"type":"todo","seq":11,"items":[{"id":1,"isComplete":true},{"id":2,"isComplete":true}]}
{"type":"tool.call","seq":12,"id":"c5","na`

func evidence(t *testing.T) Evidence {
	dir, in := t.TempDir(), t.TempDir()
	put(t, dir, map[string]string{"out.json": `{"rows": 3, "a/b": [1, {"c~": null}]}`, "t.csv": "name,n\na,1\nb,2\n", "sub/x.txt": "Hello world", "changed.txt": "new", "transcript.jsonl": transcript, "bad.csv": "a,\"b\nc", "same.txt": "old"})
	put(t, in, map[string]string{"same.txt": "old", "changed.txt": "old", "kept.txt": "kept", "gone.txt": "x"})
	trace, err := ReadTrace(filepath.Join(dir, "transcript.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	e := Evidence{Skill: "conv", Answer: " The result is 42.\n```json\n{\"n\": 42, \"tags\": [\"a\"]}\n```\n", Dir: dir, Removed: []string{"gone.txt"}, Trace: trace, Turns: 3, Calls: 4, Seconds: 1.5}
	for _, name := range []string{"same.txt", "changed.txt", "kept.txt", "gone.txt"} {
		e.Inputs = append(e.Inputs, suite.File{Path: name, Source: filepath.Join(in, name)})
	}
	tokens := int64(100)
	e.Tokens = &tokens
	e.Command = func(_ context.Context, argv []string, timeout time.Duration) (string, int, error) {
		switch argv[0] {
		case "fails":
			return "wrong", 3, nil
		case "scores":
			return `{"score": 0.5, "checks": [{"text": "rows", "passed": false, "evidence": "2 of 4"}]}`, 1, nil
		case "excess":
			return `{"score": 7}`, 0, nil
		case "breaks":
			return "", 0, errors.New("no such program")
		}
		return timeout.String(), 0, nil
	}
	return e
}

// TestGrade grades every type of check with both results, and holds the evidence.
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
		{suite.Check{Type: "equals", Value: strings.TrimSpace(e.Answer)}, true, "equal"},
		{suite.Check{Type: "equals", Value: "The result"}, false, "the answer is"},
		{suite.Check{Type: "regex", Pattern: `is \d+`}, true, "found: is 42"},
		{suite.Check{Type: "regex", Pattern: `^is`}, false, "does not match"},
		{suite.Check{Type: "json", Pointer: "/n", Equals: []byte("42.0")}, true, "/n is 42"},
		{suite.Check{Type: "json", Pointer: "/n", Equals: []byte(`"42"`)}, false, "/n is 42"},
		{suite.Check{Type: "json", Pointer: "/none"}, false, "nothing at /none"},
		{suite.Check{Type: "json_schema", Schema: []byte(`{"required":["n"]}`)}, true, "matches"},
		{suite.Check{Type: "json_schema", Schema: []byte(`{"required":["m"]}`)}, false, "missing"},
		{suite.Check{Type: "json_schema", Schema: []byte(`false`)}, false, ""},
		{suite.Check{Type: "file_exists", Path: "sub/*.txt"}, true, "sub/x.txt"},
		{suite.Check{Type: "file_exists", Path: "kept.txt"}, true, "kept.txt"},
		{suite.Check{Type: "file_exists", Path: "gone.txt"}, false, "no file gone.txt"},
		{suite.Check{Type: "file_absent", Path: "gone.txt"}, true, "no file"},
		{suite.Check{Type: "file_absent", Path: "*.json"}, false, "found: out.json"},
		{suite.Check{Type: "file_contains", Path: "sub/x.txt", Value: "world"}, true, "Hello world"},
		{suite.Check{Type: "file_contains", Path: "kept.txt", Value: "world"}, false, "not found"},
		{suite.Check{Type: "file_contains", Path: "none.txt", Value: "world"}, false, "none.txt: "},
		{suite.Check{Type: "file_contains", Path: "../../etc/passwd", Value: "root"}, false, "etc/passwd"},
		{suite.Check{Type: "file_regex", Path: "sub/x.txt", Pattern: "^H"}, true, "found: H"},
		{suite.Check{Type: "file_regex", Path: "sub/x.txt", Pattern: "^w"}, false, "does not match"},
		{suite.Check{Type: "file_json", Path: "out.json", Pointer: "/rows", Equals: []byte("3")}, true, "/rows is 3"},
		{suite.Check{Type: "file_json", Path: "out.json", Pointer: "/a~1b/1/c~0", Equals: []byte("null")}, true, "is null"},
		{suite.Check{Type: "file_json", Path: "out.json", Pointer: "/a~1b/01"}, false, "nothing at"},
		{suite.Check{Type: "file_json", Path: "t.csv", Pointer: "/rows"}, false, "not JSON"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Min: n(2), Max: n(2), Columns: []string{"n"}}, true, "2 rows"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Min: n(3)}, false, "2 rows"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Max: n(1)}, false, "2 rows"},
		{suite.Check{Type: "csv_rows", Path: "t.csv", Columns: []string{"m"}}, false, `no column "m"`},
		{suite.Check{Type: "csv_rows", Path: "bad.csv", Min: n(1)}, false, "not CSV"},
		{suite.Check{Type: "unchanged", Path: "same.txt"}, true, "unchanged"},
		{suite.Check{Type: "unchanged", Path: "kept.txt"}, true, "unchanged"},
		{suite.Check{Type: "unchanged", Path: "changed.txt"}, false, "changed from 3 to 3 bytes"},
		{suite.Check{Type: "unchanged", Path: "gone.txt"}, false, "gone.txt"},
		{suite.Check{Type: "unchanged", Path: "out.json"}, false, "not an input"},
		{suite.Check{Type: "tool_used", Tool: "run_skill_script", Input: `"value":1`}, true, "1 calls"},
		{suite.Check{Type: "tool_used", Tool: "load_skill", Min: n(3)}, false, "2 calls"},
		{suite.Check{Type: "tool_used", Tool: "load_skill", Max: n(0)}, false, "2 calls"},
		{suite.Check{Type: "tool_used", Tool: "todos_add", Max: n(0)}, true, "0 calls"},
		{suite.Check{Type: "tool_order", Tools: []string{"load_skill", "run_skill_script"}}, true, "in this order"},
		{suite.Check{Type: "tool_order", Tools: []string{"run_skill_script", "read_skill_resource"}}, false, "read_skill_resource was not called after run_skill_script"},
		{suite.Check{Type: "skill_loaded"}, true, "1 time"},
		{suite.Check{Type: "skill_not_loaded"}, false, "1 time"},
		{suite.Check{Type: "resource_read", Path: "references/table.md"}, true, "was read"},
		{suite.Check{Type: "resource_read", Path: "references/other.md"}, false, "was not read"},
		{suite.Check{Type: "script_used", Path: "scripts/a.py", ExitCode: code(2)}, true, "was run"},
		{suite.Check{Type: "script_used", Path: "scripts/a.py"}, true, "was run"},
		{suite.Check{Type: "script_used", Path: "scripts/a.py", ExitCode: code(0)}, false, "1 call"},
		{suite.Check{Type: "todos_complete"}, true, "2 todos"},
		{suite.Check{Type: "max_turns", Max: n(3)}, true, "3 turns"},
		{suite.Check{Type: "max_turns", Max: n(2)}, false, "3 turns"},
		{suite.Check{Type: "max_tool_calls", Max: n(4)}, true, "4 tool calls"},
		{suite.Check{Type: "max_tool_calls", Max: n(3)}, false, "4 tool calls"},
		{suite.Check{Type: "max_tokens", Max: n(100)}, true, "100 tokens"},
		{suite.Check{Type: "max_tokens", Max: n(99)}, false, "100 tokens"},
		{suite.Check{Type: "max_seconds", Max: n(2)}, true, "1.5 seconds"},
		{suite.Check{Type: "max_seconds", Max: n(1)}, false, "1.5 seconds"},
		{suite.Check{Type: "command", Command: []string{"works"}}, true, "1m0s"},
		{suite.Check{Type: "command", Command: []string{"works"}, Seconds: 5}, true, "5s"},
		{suite.Check{Type: "command", Command: []string{"fails"}}, false, "exit code 3: wrong"},
		{suite.Check{Type: "command", Command: []string{"scores"}}, false, "score 0.5; failed: rows (2 of 4)"},
		{suite.Check{Type: "command", Command: []string{"excess"}}, false, "not between 0 and 1"},
		{suite.Check{Type: "command", Command: []string{"breaks"}}, false, "no such program"},
		{suite.Check{Type: "unheard_of"}, false, "unknown type"},
	} {
		o := Grade(context.Background(), tt.check, e)
		if o.Passed != tt.passed || !strings.Contains(o.Evidence+o.Error, tt.want) || o.Text == "" || o.Weight != 1 {
			t.Errorf("%s: %+v, want %v and %q", tt.check.Text(), o, tt.passed, tt.want)
		}
	}
	if o := Grade(context.Background(), suite.Check{Type: "command", Command: []string{"scores"}, Weight: n(3), Name: "rows"}, e); o.Score != 0.5 || o.Weight != 3 || o.Text != "rows" {
		t.Errorf("a score of its own: %+v", o)
	}
	undecided := Evidence{Dir: e.Dir}
	for _, kind := range []string{"max_tokens", "command"} {
		if o := Grade(context.Background(), suite.Check{Type: kind, Command: []string{"x"}}, undecided); o.Error == "" || o.Passed {
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

// TestHostile holds that patterns and files that would take long or leave the folder are
// not searched.
func TestHostile(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "key.txt")
	put(t, dir, map[string]string{"large.txt": strings.Repeat("a", maxFile+1), "long.txt": strings.Repeat("a", maxFile), "x.txt": "x"})
	put(t, filepath.Dir(outside), map[string]string{"key.txt": "key"})
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Skip(err)
	}
	e := Evidence{Dir: dir, Answer: strings.Repeat("\x1b[2J", 1000) + "42"}
	for _, tt := range []struct {
		check suite.Check
		want  string
	}{
		{suite.Check{Type: "file_contains", Path: "large.txt", Value: "a"}, "larger than"},
		{suite.Check{Type: "file_regex", Path: "long.txt", Pattern: "(a{1,30}){1,30}b"}, "too large"},
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
