package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"skills/internal/params"
)

// answer is what a hook printed, each key as it was written.
type answer map[string]json.RawMessage

// parse reads an answer. What is misspelt, or said twice, must not count as
// unsaid, so that there may be nothing in it that is not known, and no key
// twice, in the arguments neither. The error says what is wrong in words of
// JSON.
func parse(text string) (answer, error) {
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("it is not one JSON value: %q", brief(text))
	}
	if kind := params.Kind(json.RawMessage(text)); kind != "an object" {
		return nil, fmt.Errorf("it has to be a JSON object, got %s", kind)
	}
	if err := unique(json.NewDecoder(strings.NewReader(text))); err != nil {
		return nil, err
	}
	a := answer{}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, err // an object always can be
	}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		switch key {
		case "decision", "reason", "arguments", "result":
		default:
			return nil, fmt.Errorf("it has the unknown key %q; those there are: decision, reason, arguments, result", key)
		}
	}
	return a, nil
}

// unique reads one valid value and refuses a key that an object has twice.
func unique(d *json.Decoder) error {
	var open []map[string]bool // the keys of each object around, nil for a list
	key := false               // whether a key, or the end of an object, comes next
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch delim, _ := token.(json.Delim); {
		case delim == '{':
			open = append(open, map[string]bool{})
		case delim == '[':
			open = append(open, nil)
		case delim != 0:
			open = open[:len(open)-1]
		case key:
			name, keys := token.(string), open[len(open)-1]
			if keys[name] {
				return fmt.Errorf("it has the key %q twice", name)
			}
			keys[name], key = true, false
			continue
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}

// verdict says what the answer to a hook of a kind comes to. Null is no answer
// where a decision, arguments or a result are expected, and a reason is none
// without the decision that it is for.
func (a answer) verdict(kind string) (v verdict, err error) {
	var decision string
	_, decided := a["decision"]
	for _, field := range []struct {
		key  string
		into any
		want string
	}{
		{"decision", &decision, "a string"}, {"reason", &v.reason, "a string"},
		{"arguments", &v.arguments, "an object"}, {"result", &v.result, "a string"},
	} {
		raw, there := a[field.key]
		null := bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
		if there && (null && field.key != "reason" || json.Unmarshal(raw, field.into) != nil) {
			return verdict{}, fmt.Errorf("%q has to be %s, got %s", field.key, field.want, params.Kind(raw))
		}
	}
	v.reason = brief(v.reason)
	_, reasoned := a["reason"]
	switch {
	case kind == after && v.arguments != nil:
		return verdict{}, errors.New("arguments can be changed before the call only")
	case reasoned && !decided:
		return verdict{}, errors.New("there is a reason without a decision")
	case decision == "deny":
		v.denied = true
	case decided && decision != "allow":
		return verdict{}, fmt.Errorf("the decision %q is neither allow nor deny", decision)
	}
	return v, nil
}
