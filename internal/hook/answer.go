package hook

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

type verdict struct {
	decision  string // or "", which allows the call
	reason    string
	arguments map[string]json.RawMessage // nil for the current ones
	result    *string                    // nil for the current one

	instructions string // of a hook before a run
	messages     []message
}

// message is one that a hook adds before the prompt.
type message struct {
	Role agent.Role `json:"role"`
	Text string     `json:"text"`
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
	keys, wanted := []string{"decision", "reason", "arguments", "result"}, map[string]string{
		"arguments": "an object", "messages": "a list of objects with role (user or assistant) and text",
	}
	switch kind {
	case beforeRun:
		keys = []string{"decision", "reason", "instructions", "messages"}
	case afterRun:
		keys = keys[:2]
	}
	fields := map[string]any{
		"decision": &v.decision, "reason": &v.reason, "arguments": &v.arguments, "result": &v.result,
		"instructions": &v.instructions, "messages": &v.messages,
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
	for i, m := range v.messages {
		switch {
		case m.Role != agent.User && m.Role != agent.Assistant:
			return v, fmt.Errorf("message %d has the role %q, which is neither user nor assistant", i+1, m.Role)
		case m.Text == "":
			return v, fmt.Errorf("message %d has no text", i+1)
		}
	}
	v.reason = brief(v.reason)
	switch {
	case kind == after && v.arguments != nil:
		return v, errors.New("arguments can be changed before the call only")
	case given["decision"] == nil && given["reason"] != nil:
		return v, errors.New("a reason requires a decision")
	case given["decision"] != nil && !slices.Contains([]string{allow, deny, stop}, v.decision):
		return v, fmt.Errorf("the decision %q is neither allow, deny nor stop", v.decision)
	case kind == afterRun && v.decision == stop:
		return v, errors.New("there is nothing to stop after the run")
	}
	return v, nil
}

func brief(s string) string { return printable.Truncate(strings.TrimSpace(s), maxReason) }
