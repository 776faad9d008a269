package suite

// Labels are what a person decided about work of agents: whether sentences are true of it, or
// which of two answers is better. What is not decided yet is null, so that a list can be
// labelled bit by bit.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
	"skills/internal/printable"
)

// Labels is a list of examples.
type Labels struct {
	SchemaVersion int       `json:"schema_version"`
	Examples      []Example `json:"examples"`
}

// Example is work with decisions: an answer with sentences, or two answers of which one may
// be preferred.
type Example struct {
	ID       string     `json:"id"`
	Prompt   string     `json:"prompt"`
	Expected string     `json:"expected_output,omitempty"`
	Answer   string     `json:"answer,omitempty"`
	Files    []Document `json:"files,omitempty"`

	Sentences []Sentence `json:"sentences,omitempty"` // nil for two answers
	Answers   []Work     `json:"answers,omitempty"`   // two, or none
	Preferred *string    `json:"preferred,omitempty"` // of two answers: first, second or tie; nil if that is not decided
}

// MarshalJSON writes what a person is to decide also while that is open.
func (e Example) MarshalJSON() ([]byte, error) {
	if e.IsPair() {
		type pair struct {
			ID        string  `json:"id"`
			Prompt    string  `json:"prompt"`
			Expected  string  `json:"expected_output,omitempty"`
			Answers   []Work  `json:"answers"`
			Preferred *string `json:"preferred"`
		}
		return json.Marshal(pair{ID: e.ID, Prompt: e.Prompt, Expected: e.Expected, Answers: e.Answers, Preferred: e.Preferred})
	}
	type single struct {
		ID        string     `json:"id"`
		Prompt    string     `json:"prompt"`
		Expected  string     `json:"expected_output,omitempty"`
		Answer    string     `json:"answer"`
		Files     []Document `json:"files,omitempty"`
		Sentences []Sentence `json:"sentences"`
	}
	return json.Marshal(single{ID: e.ID, Prompt: e.Prompt, Expected: e.Expected, Answer: e.Answer, Files: e.Files, Sentences: e.Sentences})
}

// IsPair reports whether the example has two answers.
func (e Example) IsPair() bool { return len(e.Answers) == 2 }

// Sentence is a sentence about an answer.
type Sentence struct {
	Text   string `json:"text"`
	Passed *bool  `json:"passed"` // nil if that is not decided
}

// Work is an answer with files.
type Work struct {
	Answer string     `json:"answer"`
	Files  []Document `json:"files,omitempty"`
}

// UnmarshalJSON reads an answer, alone or with files.
func (w *Work) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &w.Answer)
	}
	type plain Work
	return json.Unmarshal(data, (*plain)(w))
}

// Document is a file that an agent left.
type Document struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// maxLabels is the size of a file of labels.
const maxLabels = 64 << 20

// LoadLabels reads labels, JSON or JSON Lines with an example a line. The error is that of
// reading the file, or of its first mistake.
func LoadLabels(ctx context.Context, name string) (*Labels, error) {
	src, err := files.WaitForPipe(ctx, name, name, files.PipeTime, func() ([]byte, error) { return files.Read(name, maxLabels) })
	if err != nil {
		return nil, fault.Usage("check the path and its permissions", "reading %s: %w", name, files.Reason(err))
	}
	r, f := &reader{}, newFile(name, src)
	examples := labels{r}.read(f)
	if len(r.problems) > 0 {
		p := r.sorted()[0]
		return nil, fault.Usage(p.Help, "%s:%d:%d: %s", p.Path, p.Line, p.Col, p.Message)
	}
	all := &Labels{SchemaVersion: 1}
	for i, n := range examples {
		var e Example
		plain := n.Plain().(map[string]any) // as its schema says
		plain["id"] = text(n.Field("id"))
		if plain["id"] == "" {
			plain["id"] = strconv.Itoa(i + 1)
		}
		if err := json.Unmarshal([]byte(printable.JSONText(plain)), &e); err != nil {
			return nil, fault.Usage("see skills eval lint --schema labels", "%s: example %d: %w", name, i+1, err)
		}
		all.Examples = append(all.Examples, e)
	}
	return all, nil
}

// labels reads examples.
type labels struct{ *reader }

// read returns the examples of a file, without those that have a problem.
func (r labels) read(f *file) (examples []*jsonpos.Node) {
	schema := readSchema("labels")
	if ext := filepath.Ext(f.path); ext != ".jsonl" && ext != ".ndjson" {
		top := r.parse(f, "labels")
		examples = top.Field("examples").Items()
	} else {
		examples = r.lines(f, schema.Properties["examples"].Items)
	}
	for _, n := range examples {
		r.checkExample(f, n)
	}
	if len(examples) == 0 && len(r.problems) == 0 {
		r.report(f, 0, Error, "write an example; see the form with skills eval lint --schema labels", "the file has no example")
	}
	return examples
}

// lines returns the examples of JSON Lines.
func (r labels) lines(f *file, schema *schema) (examples []*jsonpos.Node) {
	start := 0
	for line := range bytes.Lines(f.src) {
		here := start
		start += len(line)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var raw json.RawMessage
		wrong := jsonpos.DecodeJSON(f.path, line, &raw, "")
		if broken := (*fault.Error)(nil); errors.As(wrong, &broken) {
			r.report(f, here, Error, "write one example a line", "not valid JSON: %s", printable.Line(broken.Message))
			continue
		}
		n := jsonpos.Parse(line)
		shift(n, here)
		if r.validate(f, n, "the example", schema) {
			examples = append(examples, n)
		}
	}
	return examples
}

// shift moves the positions of a value.
func shift(n *jsonpos.Node, by int) {
	n.Start, n.End = n.Start+by, n.End+by
	for _, field := range n.Fields() {
		shift(field, by)
	}
	for _, item := range n.Items() {
		shift(item, by)
	}
}

// checkExample reports faults that a schema cannot express.
func (r labels) checkExample(f *file, n *jsonpos.Node) {
	fail := func(help, format string, args ...any) { r.report(f, n.Start, Error, help, format, args...) }
	has := func(key string) bool { return n.Field(key) != nil }
	switch count := len(n.Field("answers").Items()); {
	case has("answers") && (has("answer") || has("sentences")):
		fail("write two examples", "an example with answers has no answer and no sentences of its own")
	case has("answers") && has("files"):
		fail(`write {"answer": "…", "files": […]} for each answer`, "an example with answers has no files of its own")
	case !has("answers") && has("preferred"):
		fail("write the two answers", "an example without answers has none that is preferred")
	case has("answers") && count != 2:
		fail("write one example for each two of them", "an example compares two answers, not %d", count)
	case !has("answers") && !(has("answer") && has("sentences")):
		fail(fmt.Sprintf("write %s, or %s", `"answer" and "sentences"`, `"answers" and "preferred"`), "an example has nothing that a person can decide")
	}
}
