package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/history/jsonl"
	"skills/internal/testing/filetest"
	"skills/internal/todo"
)

// TestDamaged checks that damage is reported with its line, and that the file is not
// changed.
func TestDamaged(t *testing.T) {
	ok := `{"type":"message","role":"user","source":"user","text":"hi"}`
	for name, bad := range map[string]string{
		"cut":              `{"type":"message","role":"us`,
		"empty":            ``,
		"text":             `hello`,
		"another value":    `[1]`,
		"two values":       ok + ok,
		"unknown type":     `{"type":"usage"}`,
		"unknown field":    `{"type":"message","role":"user","source":"user","text":"hi","mood":"good"}`,
		"no role":          `{"type":"message","source":"user","text":"hi"}`,
		"history":          `{"type":"message","role":"user","source":"history","text":"hi"}`,
		"text is a number": `{"type":"message","role":"user","source":"user","text":5}`,
		"result of no one": `{"type":"message","role":"tool","source":"tool","text":"x","tool_call_id":"a"}`,
		"calling person":   `{"type":"message","role":"user","source":"user","text":"x","tool_calls":[{"id":"a","name":"f","arguments":""}]}`,
		"state, no key":    `{"type":"state","value":1}`,
		"state, no value":  `{"type":"state","key":"a"}`,
		"a second header":  head,
		"nulls":            "\x00\x00",
		"long":             `{"type":"state","key":"a","value":"` + strings.Repeat("x", maxLine) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			write(t, path, head, ok, bad, ok)
			before := filetest.Read(t, path)
			_, err := Open(path, noon, nil)
			var damage *fault.Error
			if !errors.Is(err, jsonl.ErrDamaged) || !errors.As(err, &damage) || damage.Line != 3 || !strings.HasPrefix(err.Error(), path+":3: ") || damage.Hint == "" {
				t.Errorf("got %v", err)
			}
			if filetest.Read(t, path) != before {
				t.Error("the file was changed")
			}
		})
	}
}

// TestDamageReported checks the messages for damaged lines.
func TestDamageReported(t *testing.T) {
	for line, want := range map[string]string{
		" ": "the line is empty",
		`{"type":"message","role":5,"source":"user","text":"hi"}`:                               `the value of "role" cannot be of the type number`,
		`{"type":"message","role":"user","source":"user","text":"hi","tool_calls":[{"id":{}}]}`: `the value of "id" cannot be of the type object`,
		`{"type":"message","role":"user","source":"user","text":"hi","mood":"good"}`:            `unknown field "mood"`,
		`{"type":"state","key":["a"],"value":1}`:                                                `the value of "key" cannot be of the type array`,
		`{"type":"state","key":"todo","value":"foo"}`:                                           `the state of "todo" is damaged: its value cannot be of the type string`,
		`{"type":"state","key":"todo","value":{"items":[{"id":1},{"id":1}]}}`:                   `the state of "todo" is damaged: two items have the ID 1`,
		`{"type":"state","key":"todo","value":{"items":[{"id":1.5}]}}`:                          `the state of "todo" is damaged: the value of "id" cannot be of the type number`,
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(head+"\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, noon, nil)
		if err == nil {
			defer f.Close()
			err = f.Check(todo.Name, func(s *agent.Session) error { _, err := todo.Items(s); return err })
		}
		var damage *fault.Error
		if !errors.As(err, &damage) || damage.Line != 2 || damage.Path != path || damage.Message != want || !errors.Is(err, jsonl.ErrDamaged) || damage.Hint == "" {
			t.Errorf("%s: got %v", line, err)
		}
	}
}

// TestForeign checks that a file that is not a session is never written to.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"text": "hello\n", "json": "{}\n", "lines": `{"type":"recording"}` + "\n", "no end": "hello", "number": "42",
		"newer":    strings.Replace(head, `:1`, `:2`, 1) + "\n",
		"no field": `{"type":"session","schema_version":1,"created":"x","x":1}` + "\n", "spaces": "   ", "line feed": "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, noon, nil); !errors.Is(err, jsonl.ErrForeign) {
			t.Errorf("%s: got %v", name, err)
		}
		if filetest.Read(t, path) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	for _, path := range []string{dir, os.DevNull} {
		if _, err := Open(path, noon, nil); !errors.Is(err, jsonl.ErrForeign) {
			t.Errorf("%s: got %v", path, err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("looking at %s: got %v", path, err)
		}
	}
	_, err := Open(filepath.Join(dir, "no", "folder"), noon, nil)
	var refused *fault.Error
	if !errors.As(err, &refused) || !errors.Is(err, os.ErrNotExist) || !strings.Contains(refused.Hint, "folder") {
		t.Errorf("got %v", err)
	}
	if f, err := Read(filepath.Join(dir, "nothing")); err != nil || len(f.messages) != 0 {
		t.Errorf("looking at nothing: %v", err)
	}
}

// FuzzParse: every file is rejected, or is a valid conversation that parses to the same
// again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{head, head + "\n" + `{"type":"message","role":"user","source":"user","text":"hi"}` + "\n",
		head + "\n" + `{"type":"message","role":"assistant","source":"model","text":"","tool_calls":[{"id":"a","name":"f","arguments":"{}"}]}` + "\n{",
		head + "\n" + `{"type":"state","key":"todo","value":{"items":[]}}`, "{", "\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse("s.jsonl", data)
		if err != nil {
			var bad *fault.Error
			if !errors.As(err, &bad) || bad.Message == "" || bad.Hint == "" {
				t.Fatalf("a refusal without words: %v", err)
			}
			return
		}
		valid(t, c.messages)
		if end := bytes.LastIndexByte(data, '\n') + 1; !json.Valid(data[end:]) {
			data = data[:end]
		}
		again, err := parse("s.jsonl", data)
		if err != nil || !slices.EqualFunc(again.messages, c.messages, sameMessage) {
			t.Fatalf("the whole part alone: %v", err)
		}
	})
}

// TestResultsInOrder checks that results, which are saved as concurrent calls end, are
// loaded in the order of the calls.
func TestResultsInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	asked := agent.Message{Role: agent.Assistant, Source: agent.FromModel, Calls: []agent.ToolCall{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}}
	got := func(id string) string {
		return line(t, agent.Message{Role: agent.ToolRole, Source: agent.FromTool, CallID: id, Text: "got " + id})
	}
	turn := []string{line(t, userMessage("go")), line(t, asked), got("c"), got("d"), got("a")}
	first := append(append([]string{head}, turn...), got("b"), line(t, agent.Message{Role: agent.Assistant, Source: agent.FromModel, Text: "done"}))
	write(t, path, append(first, turn...)...)
	check := func(f *File) {
		t.Helper()
		var texts []string
		for _, m := range f.messages {
			if m.Role == agent.ToolRole {
				texts = append(texts, m.Text)
			}
		}
		want := []string{"got a", "got b", "got c", "got d", "got a", interrupted, "got c", "got d"}
		if !slices.Equal(texts, want) {
			t.Errorf("the results are %q", texts)
		}
	}
	f := opened(t, path)
	check(f)
	if err := f.OnMessages(t.Context(), f.Session, []agent.Message{userMessage("more")}); err != nil {
		t.Fatal(err)
	}
	again, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	check(again)
}
