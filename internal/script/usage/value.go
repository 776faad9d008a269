package usage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"skills/internal/params"
	"skills/internal/suggest"
)

// maxRepeats is how often a counted option is written.
const maxRepeats = 10

// values returns the words for a parameter's value; nil if it is not given. For a flag
// they are its names.
func (p Parameter) values(m member) ([]string, error) {
	off := p.negative(m.key)
	switch p.Kind {
	case Flag, Count:
		switch word := text(m.value); {
		case word == "true" && off != "":
			return []string{off}, nil
		case word == "true":
			return []string{p.Name()}, nil
		case word == "false" || word == "0":
			if off == "" && len(p.off) > 0 {
				return p.off[:1:1], nil
			}
			return nil, nil
		case p.Kind == Count:
			if n, err := strconv.Atoi(word); err == nil && n > 0 && n <= maxRepeats {
				return slices.Repeat([]string{p.Name()}, n), nil
			}
		}
		return nil, fmt.Errorf("argument %q must be true or false, got %s", p.Key, params.Kind(m.value))
	}
	if m.value[0] == 't' && p.Min == 0 && !p.Positional() { // the name alone
		return []string{""}, nil
	}
	items := []json.RawMessage{m.value}
	if m.value[0] == '[' {
		if !p.Many() {
			_ = json.Unmarshal(m.value, &items)
			if len(items) != 1 {
				return nil, fmt.Errorf("argument %q takes one value, got an array", p.Key)
			}
		} else {
			_ = json.Unmarshal(m.value, &items)
		}
	}
	var words []string
	for _, item := range items {
		word, err := p.word(item)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, p.checkNumber(len(words))
}

// checkNumber checks the number of values behind one name.
func (p Parameter) checkNumber(n int) error {
	switch {
	case p.Kind == List && n > 0:
	case n < p.Min:
		return fmt.Errorf("argument %q takes %s, got %d", p.Key, amount(p), n)
	case p.Max >= 0 && n > p.Max:
		return fmt.Errorf("argument %q takes %s, got %d", p.Key, amount(p), n)
	}
	return nil
}

func amount(p Parameter) string {
	switch {
	case p.Min == 1 && p.Max == 1:
		return "one value"
	case p.Max < 0:
		return fmt.Sprintf("at least %d values", p.Min)
	case p.Min == p.Max:
		return fmt.Sprintf("%d values", p.Min)
	}
	return fmt.Sprintf("at most %d values", p.Max)
}

// word returns one value as a word, and checks its type and the choices.
func (p Parameter) word(item json.RawMessage) (string, error) {
	word := text(item)
	isBoolean := item[0] == 't' || item[0] == 'f'
	switch {
	case item[0] == '{' && p.Type != String, item[0] == '[', item[0] == 'n':
		return "", fmt.Errorf("argument %q must be %s, got %s", p.Key, p.typeName(), params.Kind(item))
	case p.Type != Boolean && isBoolean && len(p.Choices) == 0:
		return "", fmt.Errorf("argument %q takes a value, got %s", p.Key, params.Kind(item))
	}
	return word, p.checkWord(word)
}

func (p Parameter) typeName() string {
	return map[Type]string{Integer: "an integer", Number: "a number", Boolean: "true or false"}[p.Type] + map[bool]string{true: "a string"}[p.Type == String]
}

// checkWord checks a word against the type and the choices.
func (p Parameter) checkWord(word string) error {
	_, notInteger := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(word), "_", ""), 10, 64)
	_, notNumber := strconv.ParseFloat(strings.TrimSpace(word), 64)
	switch {
	case p.Type == Integer && notInteger != nil && len(word) < 18, p.Type == Number && notNumber != nil:
		return fmt.Errorf("argument %q must be %s, got %q", p.Key, p.typeName(), word)
	case len(p.Choices) == 0 || p.converted:
		return nil
	}
	var names []string
	for _, c := range p.words() {
		name := fmt.Sprint(c)
		if name == word {
			return nil
		}
		names = append(names, name)
	}
	if len(names) == 0 || p.Type == Number {
		return nil
	}
	hint := ""
	if nearest := suggest.Nearest(word, names); nearest != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", nearest)
	}
	return fmt.Errorf("argument %q must be one of %s, got %q%s", p.Key, strings.Join(names, ", "), word, hint)
}
