package suite

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"skills/internal/printable"
	"skills/internal/testing/filetest"
)

// TestLabels checks that labels are read from JSON and from JSON Lines, that a written list is
// read again, and that its schema is one for other programs too.
func TestLabels(t *testing.T) {
	const first = `{"id": 7, "prompt": "p", "answer": "a", "files": [{"path": "x.txt", "content": "y"}], "sentences": [{"text": "s", "passed": true}, {"text": "open", "passed": null}], "note": "n"}`
	const second = `{"prompt": "q", "expected_output": "e", "answers": ["a", {"answer": "b", "files": [{"path": "x", "content": ""}]}], "preferred": "tie"}`
	const third = `{"id": "c", "prompt": "q", "answers": ["a", "b"], "preferred": null}`
	want := &Labels{SchemaVersion: 1, Examples: []Example{
		{ID: "7", Prompt: "p", Answer: "a", Files: []Document{{"x.txt", "y"}}, Sentences: []Sentence{{"s", new(true)}, {"open", nil}}},
		{ID: "2", Prompt: "q", Expected: "e", Answers: []Work{{Answer: "a"}, {Answer: "b", Files: []Document{{"x", ""}}}}, Preferred: new("tie")},
		{ID: "c", Prompt: "q", Answers: []Work{{Answer: "a"}, {Answer: "b"}}},
	}}
	dir := t.TempDir()
	document := `{"schema_version": 1, "examples": [` + first + "," + second + "," + third + "]}"
	filetest.Write(t, dir, map[string]string{
		"a.json": document, "a.jsonl": first + "\n\n" + second + "\n" + third, "again.json": printable.JSONText(want),
	})
	for _, name := range []string{"a.json", "a.jsonl", "again.json"} {
		got, err := LoadLabels(t.Context(), filepath.Join(dir, name))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema("labels")))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("labels", schema); err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("labels").Validate(instance); err != nil {
		t.Error(err)
	}
}

// TestLabelsBroken checks that a mistake in labels is named with its place.
func TestLabelsBroken(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.json", "{\n \"examples\": 7}", `a.json:2:14: examples must be of type array, not integer`},
		{"a.json", `{"examples": [{"prompt": "p", "answer": "a", "sentences": ["s"]}]}`, `a.json:1:60: an entry of sentences must be of type object, not string`},
		{"a.json", `{"examples": [{"prompt": "p", "answers": ["a", "b"], "preferred": "A"}]}`, `a.json:1:67: preferred cannot be "A"`},
		{"a.json", `{"examples": [{"prompt": "p", "answers": ["a", "b", "c"]}]}`, `a.json:1:15: an example compares two answers, not 3`},
		{"a.json", `{"examples": [{"prompt": "p", "answers": ["a", "b"], "answer": "c"}]}`, `a.json:1:15: an example with answers has no answer and no sentences of its own`},
		{"a.json", `{"examples": [{"prompt": "p", "answer": "c"}]}`, `a.json:1:15: an example has nothing that a person can decide`},
		{"a.json", `{"examples": [{"prompt": "p", "prefered": "first"}]}`, `a.json:1:43: unsupported key "prefered"`},
		{"a.json", `{"examples": [{"prompt": "p", "answers": ["a", "b"], "files": []}]}`, `a.json:1:15: an example with answers has no files of its own`},
		{"a.json", `{"examples": [{"prompt": "p", "answer": "c", "sentences": [{"text": "s"}], "preferred": "tie"}]}`, `a.json:1:15: an example without answers has none that is preferred`},
		{"a.json", `{"examples": [`, `a.json:1:1: not valid JSON: `},
		{"a.json", `{"examples": []}`, `a.json:1:14: examples has no entry`},
		{"a.jsonl", "{\"prompt\": \"p\", \"answers\": [\"a\", \"b\"]}\n{\"prompt\": \"p\",\n", `a.jsonl:2:1: not valid JSON: `},
		{"a.jsonl", "\n{\"prompt\": 1}\n", `a.jsonl:2:12: prompt must be of type string, not integer`},
		{"a.jsonl", "\n\n", `a.jsonl:1:1: the file has no example`},
	} {
		dir := t.TempDir()
		filetest.Write(t, dir, map[string]string{tt.name: tt.text})
		_, err := LoadLabels(t.Context(), filepath.Join(dir, tt.name))
		if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, tt.want)) {
			t.Errorf("%s\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// FuzzLabels checks that no file of labels panics, and that what is read can be decided.
func FuzzLabels(f *testing.F) {
	f.Add(`{"examples": [{"prompt": "p", "answers": ["a", {"answer": "b"}], "preferred": null}]}`, false)
	f.Add(`{"id": 1, "prompt": "p", "answer": "a", "sentences": [{"text": "s", "passed": true}]}`, true)
	f.Fuzz(func(t *testing.T, text string, lines bool) {
		name := filepath.Join(t.TempDir(), "a.json")
		if lines {
			name += "l"
		}
		filetest.Write(t, filepath.Dir(name), map[string]string{filepath.Base(name): text})
		l, err := LoadLabels(t.Context(), name)
		if err != nil {
			return
		}
		for _, e := range l.Examples {
			if e.IsPair() == (len(e.Sentences) > 0) || strings.TrimSpace(e.Prompt) == "" || e.ID == "" {
				t.Errorf("%q: %+v", text, e)
			}
		}
	})
}
