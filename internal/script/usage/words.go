package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"skills/internal/params"
)

// Check reports why the arguments of a call do not fit, in words for the model that wrote
// them: an unknown name with the nearest one, a missing one, a wrong value.
func (u Usage) Check(arguments json.RawMessage) error {
	_, err := u.Words(arguments)
	return err
}

// Words returns the words of the command line for the arguments of a call. They are an
// object by [Parameter.Key], also with the other spellings of a name, or the words
// themselves as an array. The order of the words is one that the script's parser reads as
// meant; values that look like options are written so that they are values.
func (u Usage) Words(arguments json.RawMessage) ([]string, error) {
	arguments = params.Unwrap(bytes.TrimSpace(arguments))
	if len(arguments) == 0 || string(arguments) == "null" || string(arguments) == `""` {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) {
		return nil, fmt.Errorf("the arguments are not valid JSON")
	}
	switch arguments[0] {
	case '{':
		given, err := members(arguments)
		if err != nil {
			return nil, err
		}
		return u.fromObject(given)
	case '[':
		words := wordsOf(arguments)
		return words, u.checkWords(words)
	}
	words := []string{text(arguments)}
	return words, u.checkWords(words)
}

// member is one of the arguments of a call.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of an object in order, without those that are null.
func members(object json.RawMessage) (out []member, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		var m member
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		err = d.Decode(&m.value)
		if err != nil {
			return nil, err
		}
		m.key, _ = name.(string)
		if string(m.value) != "null" {
			out = append(out, m)
		}
	}
	return out, nil
}

// wordsOf returns the elements of an array as words, without nulls.
func wordsOf(array json.RawMessage) (out []string) {
	var items []json.RawMessage
	_ = json.Unmarshal(array, &items) // it is valid
	for _, item := range items {
		if string(item) != "null" {
			out = append(out, text(item))
		}
	}
	return out
}

// text returns a value as a word: a string's text, anything else as compact JSON.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// fold removes what spellings of a name differ in.
func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_<> ", r) {
			return -1
		}
		return r
	}, name))
}

// find returns the parameter that a key of a call means.
func (u Usage) find(key string) (Parameter, bool) {
	all := u.parameters()
	for _, p := range all {
		if p.Key == key || slices.Contains(p.Names, key) {
			return p, true
		}
	}
	var match []Parameter
	for _, p := range all {
		spelled := fold(key) == fold(p.Key) || p.dest != "" && fold(key) == fold(p.dest) ||
			slices.ContainsFunc(p.Names, func(n string) bool { return "-"+key == n || "--"+key == n || len(key) > 1 && fold(n) == fold(key) })
		if spelled && fold(key) != "" {
			match = append(match, p)
		}
	}
	if len(match) == 1 {
		return match[0], true
	}
	return Parameter{}, false
}

// negative returns the name that turns a flag off if a key means that one.
func (p Parameter) negative(key string) string {
	for _, n := range p.off {
		if n == key || fold(n) == fold(key) {
			return n
		}
	}
	return ""
}
