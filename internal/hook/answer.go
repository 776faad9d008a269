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
	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/script"
)

// maxReason is how many characters of a hook's text the model gets.
const maxReason = 4 << 10

type verdict struct {
	denied    bool
	stop      bool // the run ends here, for the reason
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

// UnmarshalJSON refuses what a conversation cannot begin with.
func (m *message) UnmarshalJSON(raw []byte) error {
	type plain message
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(m)); err != nil {
		return err
	}
	if m.Role != agent.User && m.Role != agent.Assistant || m.Text == "" {
		return errors.New("it has another role, or no text")
	}
	return nil
}

// read converts the outcome of a program to a verdict; a failure denies.
func read(kind string, r script.Result) (verdict, error) {
	switch {
	case r.TimedOut:
		return verdict{}, fmt.Errorf("it did not end within %s", r.Limit)
	case r.Interrupted:
		return verdict{}, errors.New("the run was stopped")
	case r.Signal != "":
		return verdict{}, fmt.Errorf("it was ended by %s", r.Signal)
	case r.ExitCode == 2:
		return verdict{denied: true, reason: brief(r.Stderr)}, nil
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
	v, err := parse(kind, r.Stdout)
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
	if err := unique(json.NewDecoder(strings.NewReader(text))); err != nil {
		return v, err
	}
	var decision *string
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
		"decision": &decision, "reason": &v.reason, "arguments": &v.arguments, "result": &v.result,
		"instructions": &v.instructions, "messages": &v.messages,
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return v, err
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(keys, key) {
			return v, fmt.Errorf("it has the unknown key %q; those there are: %s", key, strings.Join(keys, ", "))
		}
		kind, want := params.Kind(given[key]), cmp.Or(wanted[key], "a string")
		if kind == "null" && key != "reason" || json.Unmarshal(given[key], fields[key]) != nil {
			return v, fmt.Errorf("%q has to be %s, got %s", key, want, kind)
		}
	}
	v.reason = brief(v.reason)
	switch {
	case kind == after && v.arguments != nil:
		return v, errors.New("arguments can be changed before the call only")
	case decision == nil && given["reason"] != nil:
		return v, errors.New("there is a reason without a decision")
	case decision != nil && !slices.Contains([]string{"allow", "deny", "stop"}, *decision):
		return v, fmt.Errorf("the decision %q is neither allow, deny nor stop", *decision)
	case kind == afterRun && decision != nil && *decision == "stop":
		return v, errors.New("there is nothing to stop after the run")
	}
	v.denied = decision != nil && *decision == "deny"
	v.stop = decision != nil && *decision == "stop"
	return v, nil
}

// unique reads one valid value and returns an error for a duplicate key.
func unique(d *json.Decoder) error {
	open, err := d.Token()
	if open != json.Delim('{') && open != json.Delim('[') {
		return err
	}
	seen := map[any]bool{}
	for d.More() {
		if open == json.Delim('{') {
			key, _ := d.Token()
			if seen[key] {
				return fmt.Errorf("it has the key %q twice", key)
			}
			seen[key] = true
		}
		if err := unique(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func brief(s string) string { return printable.Truncate(strings.TrimSpace(s), maxReason) }
