package script

import "skills/internal/script/usage"

// maxUsageSource is how much of a script is read to find out what it takes.
const maxUsageSource = 1 << 20

// Takes is what a script takes.
type Takes struct {
	// Schema is the JSON Schema of the arguments.
	Schema map[string]any
	// Certain is true if the script takes exactly that. Otherwise a file takes an array
	// of words that nobody can check.
	Certain bool
	// Usage is what the text of a file says; nil for a function, and if it is not known.
	Usage *usage.Usage
}

// Describe returns what a script takes, as its text says. The map known caches results by
// text; it may be nil. The errors are those of [Source].
func Describe(s Script, known map[string]Takes) (Takes, error) {
	text, _, digest, err := Source(s, maxUsageSource)
	if err != nil {
		return takesWords(), err
	}
	key := s.Name + "\x00" + digest
	if t, ok := known[key]; ok {
		return t, nil
	}
	t := takesWords()
	if u, ok := usage.Of(s.Name, text); ok {
		t.Usage, t.Certain = &u, !u.Partial
		if t.Certain {
			t.Schema = u.Schema()
		}
	}
	if known != nil {
		known[key] = t
	}
	return t, nil
}

// takesWords is a script whose text does not say what it takes.
func takesWords() Takes {
	return Takes{Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}
}
