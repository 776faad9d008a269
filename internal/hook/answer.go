package hook

// The answer of a hook is read strictly: what is not understood must not allow anything. A
// table says which keys each kind of hook may answer with.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/jsonpos"
	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/script"
)

// maxReason is how many characters of a hook's text the model gets.
const maxReason = 4 << 10

// The decisions of a hook.
const (
	allow = "allow"
	deny  = "deny"
	stop  = "stop" // the run ends here, for the reason
)

// verdict is what a hook answers. What is nil is left as it is.
type verdict struct {
	decision string // or "", which allows the step
	reason   string
	state    json.RawMessage // for later hooks of the same program
	lift     bool            // a person may lift the denial

	tool      *string // before a call: the tool to call instead
	arguments map[string]json.RawMessage
	result    *string

	text     *string           // of the reply or the answer
	calls    *[]agent.ToolCall // of the reply
	messages []agent.Message   // before a request: those to send; before a run and after a call: those to add

	instructions *string
	remove       []removal
	tools        []ToolSpec
}

// removal is what a hook before a run removes: a message of earlier runs by its index, or
// the prompt or the instructions by these words.
type removal struct {
	index int
	word  string
}

// UnmarshalJSON reads an index or a word.
func (r *removal) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &r.index) == nil && r.index >= 0 {
		return nil
	}
	err := json.Unmarshal(data, &r.word)
	if err != nil || r.word != removePrompt && r.word != removeInstructions {
		return fmt.Errorf("it is neither an index nor %s nor %s", removePrompt, removeInstructions)
	}
	return nil
}

// What a hook can remove by a word.
const (
	removePrompt       = "prompt"
	removeInstructions = "instructions"
)

// message is one that a hook adds to a run.
type message struct {
	Role   agent.Role `json:"role"`
	Text   string     `json:"text"`
	Source string     `json:"source"` // who it is from, "" for an earlier run
}

// read converts the outcome of a program to a verdict; a failure denies.
func read(kind string, r script.Result) (verdict, error) {
	switch {
	case r.TimedOut:
		return verdict{}, fmt.Errorf("it timed out after %s", r.Limit)
	case r.Interrupted:
		return verdict{}, errors.New("the run was stopped")
	case r.Signal != "":
		return verdict{}, fmt.Errorf("it was terminated by %s", r.Signal)
	case r.ExitCode == 2:
		return verdict{decision: deny, reason: brief(r.Stderr)}, nil
	case r.ExitCode != 0:
		why := fmt.Sprintf("it ended with exit code %d", r.ExitCode)
		if stderr := brief(r.Stderr); stderr != "" {
			why += ": " + stderr
		}
		return verdict{}, errors.New(why)
	case r.Truncated:
		return verdict{}, errors.New("it printed more than can be read")
	case strings.Trim(r.Stdout, " \t\r\n") == "" && r.Printed:
		return verdict{}, errors.New("it printed control characters only")
	case strings.Trim(r.Stdout, " \t\r\n") == "":
		return verdict{}, nil
	}
	v, err := parse(kind, strings.TrimPrefix(r.Stdout, "\uFEFF")) // the mark of some Windows programs
	if err != nil {
		return verdict{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	return v, nil
}

// parse parses the answer to a hook of a kind. A misspelt or duplicate key must not be
// ignored, so unknown keys and duplicates are errors, even in the arguments. Null is
// invalid, and so is a reason without a decision.
func parse(kind, text string) (v verdict, err error) {
	if !json.Valid([]byte(text)) {
		return v, fmt.Errorf("it is not one JSON value: %q", brief(text))
	}
	if kind := params.Kind(json.RawMessage(text)); kind != "an object" {
		return v, fmt.Errorf("it has to be a JSON object, got %s", kind)
	}
	if key, twice := jsonpos.RepeatedKey(json.NewDecoder(strings.NewReader(text))); twice {
		return v, fmt.Errorf("it has the key %q twice", key)
	}
	var added []message
	keys := slices.Concat([]string{"decision", "reason"}, answers[kind], []string{"state"})
	fields := map[string]any{
		"decision": &v.decision, "reason": &v.reason, "state": &v.state, "tool": &v.tool, "arguments": &v.arguments, "result": &v.result, "text": &v.text,
		"tool_calls": &v.calls, "instructions": &v.instructions, "messages": &v.messages, "remove": &v.remove, "tools": &v.tools,
	}
	if kind == beforeRun || kind == after {
		fields["messages"] = &added
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return v, err
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(keys, key) {
			return v, fmt.Errorf("unknown key %q; allowed: %s", key, strings.Join(keys, ", "))
		}
		kind, want := params.Kind(given[key]), cmp.Or(wanted[key], "a string")
		value := json.NewDecoder(bytes.NewReader(given[key]))
		value.DisallowUnknownFields() // of messages
		if kind == "null" && key != "reason" || value.Decode(fields[key]) != nil {
			return v, fmt.Errorf("%q has to be %s, got %s", key, want, kind)
		}
	}
	if given["messages"] != nil && v.messages == nil {
		v.messages = []agent.Message{} // the hook wants none
	}
	for _, m := range added {
		if kind == after {
			m.Source = cmp.Or(m.Source, after)
		}
		v.messages = append(v.messages, agent.Message{Role: m.Role, Text: m.Text, Provider: m.Source})
	}
	err = checkMessages(kind, v.messages)
	if err != nil {
		return v, err
	}
	v.reason = brief(v.reason)
	switch {
	case given["decision"] == nil && given["reason"] != nil:
		return v, errors.New("a reason requires a decision")
	case given["decision"] != nil && !slices.Contains([]string{allow, deny, stop}, v.decision):
		return v, fmt.Errorf("the decision %q is neither allow, deny nor stop", v.decision)
	case kind == afterRun && v.decision == stop:
		return v, errors.New("there is nothing to stop after the run")
	}
	return v, nil
}

// answers are the keys of an answer besides the decision, the reason and the state.
var answers = map[string][]string{
	before:      {"tool", "arguments", "result"},
	after:       {"result", "messages"},
	beforeModel: {"instructions", "messages"},
	afterModel:  {"text", "tool_calls"},
	output:      {"text"},
	beforeRun:   {"instructions", "messages", "remove", "tools"},
}

// wanted are the forms of what is no string.
var wanted = map[string]string{
	"arguments":  "an object",
	"messages":   "a list of objects with role (user or assistant) and text",
	"remove":     "a list of indexes of messages, " + removePrompt + " and " + removeInstructions,
	"state":      "a JSON value",
	"tool_calls": "a list of objects with id, name and arguments (a string)",
	"tools":      "a list of objects with name, description, schema and command (a list of words)",
}

// checkMessages returns what is wrong with the messages of a hook.
func checkMessages(kind string, messages []agent.Message) error {
	roles, names := []agent.Role{agent.User, agent.Assistant}, "neither user nor assistant"
	switch kind {
	case after:
		roles, names = []agent.Role{agent.User}, "not user"
	case beforeModel:
		roles, names = append(roles, agent.ToolRole), "neither user, assistant nor tool"
	}
	for i, m := range messages {
		switch {
		case !slices.Contains(roles, m.Role):
			return fmt.Errorf("message %d has the role %q, which is %s", i+1, m.Role, names)
		case m.Text == "" && len(m.Calls) == 0 && m.Role != agent.ToolRole:
			return fmt.Errorf("message %d has no text", i+1)
		}
	}
	return nil
}

func brief(s string) string { return printable.Truncate(strings.TrimSpace(s), maxReason) }
