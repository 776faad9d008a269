package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/script"
)

// maxReason is how many characters of a hook's text the model gets.
const maxReason = 4 << 10

type verdict struct {
	denied    bool
	reason    string
	arguments map[string]json.RawMessage // nil for the current ones
	result    *string                    // nil for the current one
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
		if said := brief(r.Stderr); said != "" {
			why += ": " + said
		}
		return verdict{}, errors.New(why)
	case r.Truncated:
		return verdict{}, errors.New("it printed more than can be read")
	case strings.TrimSpace(r.Stdout) == "":
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
	fields := map[string]any{"decision": &decision, "reason": &v.reason, "arguments": &v.arguments, "result": &v.result}
	said := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return v, err
	}
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if fields[key] == nil {
			return v, fmt.Errorf("it has the unknown key %q; those there are: decision, reason, arguments, result", key)
		}
		kind, want := params.Kind(said[key]), "a string"
		if key == "arguments" {
			want = "an object"
		}
		if kind == "null" && key != "reason" || json.Unmarshal(said[key], fields[key]) != nil {
			return v, fmt.Errorf("%q has to be %s, got %s", key, want, kind)
		}
	}
	v.reason = brief(v.reason)
	switch {
	case kind == after && v.arguments != nil:
		return v, errors.New("arguments can be changed before the call only")
	case decision == nil && said["reason"] != nil:
		return v, errors.New("there is a reason without a decision")
	case decision != nil && *decision != "allow" && *decision != "deny":
		return v, fmt.Errorf("the decision %q is neither allow nor deny", *decision)
	}
	v.denied = decision != nil && *decision == "deny"
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
