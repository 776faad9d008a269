package usage

// A wrong call is answered with the right one, whole: what was given and is usable, and a
// placeholder in <> for each missing value.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"skills/internal/params"
	"skills/internal/printable"
)

// Bounds of an example.
const (
	maxExampleValue = 200  // bytes of a value that is repeated
	maxOthers       = 1500 // characters of the parameters that are not in it
)

// Example returns arguments that the script accepts once the placeholders are replaced:
// a JSON object with what is usable of the given arguments and whatever is required.
// others describes the further parameters, and is "" if there are none.
func (u Usage) Example(arguments json.RawMessage) (example json.RawMessage, others string) {
	value := params.Unwrap(arguments)
	if inner := params.Single(value); inner != nil {
		value = inner
	}
	var given []member
	switch {
	case len(value) > 0 && value[0] == '{':
		given, _ = members(value)
	case len(value) > 0 && value[0] == '[':
		given = illustratorOf(u).fromWords(wordsOf(value))
	case len(value) > 0 && value[0] == '"':
		given = illustratorOf(u).fromWords([]string{text(value)})
	}
	var pairs []any
	rest := illustratorOf(u).example(given, &pairs)
	return json.RawMessage(object(pairs...)), printable.Truncate(strings.Join(rest, ", "), maxOthers)
}

// illustrator makes the right call from a wrong one.
type illustrator struct{ Usage }

func illustratorOf(u Usage) illustrator { return illustrator{u} }

// example adds the parameters of a call, and returns descriptions of the others.
func (u illustrator) example(given []member, pairs *[]any) (others []string) {
	command, given, err := u.choose(given)
	if err != nil {
		command = nil
	}
	optional := u.exampleValues(given, pairs)
	switch {
	case command != nil:
		*pairs = append(*pairs, u.CommandKey, command.Name)
		return append(optional, illustratorOf(command.Usage).example(given, pairs)...)
	case len(u.Commands) > 0 && u.CommandRequired:
		*pairs = append(*pairs, u.CommandKey, "<"+strings.Join(u.commandNames(), "|")+">")
	case len(u.Commands) > 0:
		optional = append(optional, u.CommandKey+" ("+strings.Join(u.commandNames(), "|")+")")
	}
	return optional
}

// exampleValues adds the parameters above all commands.
func (u illustrator) exampleValues(given []member, pairs *[]any) (optional []string) {
	usable := map[string]json.RawMessage{}
	for _, m := range given {
		p, ok := u.find(m.key)
		if !ok || len(m.value) > maxExampleValue || p.negative(m.key) != "" {
			continue
		}
		if _, err := p.values(m); err == nil {
			usable[p.Key] = m.value
		}
	}
	chosen := u.chosen(usable)
	for _, p := range u.parameters() {
		value, ok := usable[p.Key]
		switch excluded := chosen[p.Key] == excludedByOther; {
		case p.Hidden && !ok || excluded:
		case ok:
			*pairs = append(*pairs, p.Key, value)
		case p.Required || chosen[p.Key] == neededOfGroup:
			*pairs = append(*pairs, p.Key, p.placeholderValue())
		default:
			optional = append(optional, p.Key+" ("+brief(p)+")")
		}
	}
	return optional
}

// What a group of exclusive parameters means for one of them.
const (
	excludedByOther = 1 + iota
	neededOfGroup
)

// chosen decides for the groups: of several that were given the first stays, and of a
// required group without any, the first is needed.
func (u illustrator) chosen(usable map[string]json.RawMessage) map[string]int {
	out := map[string]int{}
	for _, g := range u.Exclusive {
		one := slices.IndexFunc(g.Keys, func(key string) bool { return usable[key] != nil })
		for i, key := range g.Keys {
			switch {
			case one >= 0 && i != one, one < 0 && g.Required && i > 0:
				out[key] = excludedByOther
			case one < 0 && g.Required:
				out[key] = neededOfGroup
			}
		}
	}
	return out
}

// placeholderValue returns an example of a value.
func (p Parameter) placeholderValue() any {
	switch {
	case p.Kind == Flag || p.Kind == Count:
		return true
	case p.Many():
		return []string{p.placeholderText()}
	}
	return p.placeholderText()
}

// placeholderText names the type or the choices.
func (p Parameter) placeholderText() string {
	if choices := p.choiceText(); choices != "" {
		return "<" + choices + ">"
	}
	if p.Type != String {
		return "<" + string(p.Type) + ">"
	}
	return "<" + strings.ToLower(strings.Trim(p.Key, "<>-")) + ">"
}

// choiceText returns the choices in one word, or "".
func (p Parameter) choiceText() string {
	var words []string
	for _, c := range p.words() {
		words = append(words, fmt.Sprint(c))
	}
	return printable.Truncate(strings.Join(words, "|"), maxDescription)
}

// brief describes a parameter in a few words.
func brief(p Parameter) string {
	text := string(p.Type)
	if choices := p.choiceText(); choices != "" {
		text = choices
	}
	if p.Many() {
		text = "array of " + text
	}
	if value, ok := p.defaultText(); ok {
		text += ", default " + value
	}
	return text
}

func (u illustrator) commandNames() (names []string) {
	for _, c := range u.Commands {
		names = append(names, c.Name)
	}
	return names
}

// fromWords returns what the words of a command line give by name, up to the first wrong
// one.
func (u illustrator) fromWords(words []string) (given []member) {
	if line := guesserOf(u.Usage).splitLines(words); line != nil {
		words = line
	}
	r := &reading{usage: u.Usage, words: guesserOf(u.Usage).respell(words), given: map[string][]string{}}
	var below []member
	_ = r.read(func(c *Command, rest []string) error {
		below = append([]member{{u.CommandKey, json.RawMessage(printable.JSONText(c.Name))}}, illustratorOf(c.Usage).fromWords(rest)...)
		return nil
	})
	_ = r.finish(below != nil)
	for _, p := range u.parameters() {
		if words, ok := r.given[p.Key]; ok {
			given = append(given, member{p.Key, valueOf(p, words)})
		}
	}
	return append(given, below...)
}

// valueOf returns words as the JSON value of the parameter.
func valueOf(p Parameter, words []string) json.RawMessage {
	one := func(word string) any {
		if p.Type != String && json.Valid([]byte(word)) {
			return json.RawMessage(word)
		}
		return word
	}
	switch {
	case p.Kind == Flag || p.Kind == Count:
		return json.RawMessage("true")
	case p.Many():
		values := make([]any, len(words))
		for i, word := range words {
			values[i] = one(word)
		}
		return json.RawMessage(printable.JSONText(values))
	case len(words) == 0:
		return json.RawMessage("null")
	}
	return json.RawMessage(printable.JSONText(one(words[0])))
}
