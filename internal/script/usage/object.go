package usage

// Named arguments become the words of a command line, in an order that the script's parser
// reads as meant.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"skills/internal/suggest"
)

// fromObject returns the words for named arguments.
func (u Usage) fromObject(given []member) ([]string, error) {
	command, given, err := u.choose(given)
	if err != nil {
		return nil, err
	}
	var rest []member
	values := map[string][]string{} // the words of each parameter
	options := make([]string, 0, len(given))
	var variable []string // options with any number of values
	for _, m := range given {
		p, ok := u.find(m.key)
		if !ok {
			rest = append(rest, m)
			continue
		}
		if _, twice := values[p.Key]; twice {
			return nil, fmt.Errorf("argument %q is given twice", p.Key)
		}
		words, err := p.values(m)
		if err != nil {
			return nil, err
		}
		values[p.Key] = words
		switch {
		case words == nil:
			delete(values, p.Key)
		case p.Positional():
		case p.Kind == Value && p.Max < 0:
			variable = append(variable, composerOf(u).option(p, words)...)
		default:
			options = append(options, composerOf(u).option(p, words)...)
		}
	}
	options = append(variable, options...)
	var after []string
	switch {
	case command != nil:
		words, err := command.Usage.fromObject(rest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command.Name, err)
		}
		after = append([]string{command.Name}, words...)
	case u.Partial:
		for _, m := range rest {
			options = append(options, generic(m)...)
		}
	case len(rest) > 0:
		return nil, composerOf(u).unknown(rest[0].key)
	}
	if err := composerOf(u).complete(values, command != nil); err != nil {
		return nil, err
	}
	return append(composerOf(u).arrange(options, values, command != nil), after...), nil
}

// choose takes the choice of a command out of the arguments.
func (u Usage) choose(given []member) (*Command, []member, error) {
	if len(u.Commands) == 0 {
		return nil, given, nil
	}
	for i, m := range given {
		if m.key != u.CommandKey && fold(m.key) != fold(u.CommandKey) {
			continue
		}
		c, err := u.command(text(m.value))
		return c, slices.Delete(slices.Clone(given), i, i+1), err
	}
	return nil, given, nil
}

// command finds a command by name or alias.
func (u Usage) command(name string) (*Command, error) {
	var names []string
	for i, c := range u.Commands {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return &u.Commands[i], nil
		}
		names = append(names, c.Name)
	}
	return nil, fmt.Errorf("unknown command %q (%s)", name, suggest.Hint(name, names, "choose one of "+strings.Join(names, ", ")))
}

// composer checks named arguments and puts their words in order.
type composer struct{ Usage }

func composerOf(u Usage) composer { return composer{u} }

// unknown is the error for a name that no parameter has.
func (u composer) unknown(key string) error {
	var keys []string
	for _, p := range u.parameters() {
		if !p.Hidden {
			keys = append(keys, p.Key)
		}
	}
	if len(u.Commands) > 0 {
		for _, c := range u.Commands {
			if _, ok := c.Usage.find(key); ok {
				return fmt.Errorf("argument %q belongs to the command %s: add %q: %q", key, c.Name, u.CommandKey, c.Name)
			}
		}
		keys = append(keys, u.CommandKey)
	}
	if len(keys) == 0 {
		return fmt.Errorf("unknown argument %q: there are no arguments", key)
	}
	takes := "it takes " + strings.Join(keys, ", ")
	if nearest := suggest.Nearest(strings.TrimLeft(key, "-"), keys); nearest != "" {
		return fmt.Errorf("unknown argument %q (did you mean %q?); %s", key, nearest, takes)
	}
	return fmt.Errorf("unknown argument %q; %s", key, takes)
}

// complete checks what has to be given together, or not.
func (u composer) complete(values map[string][]string, command bool) error {
	var missing []string
	for _, p := range u.parameters() {
		if _, ok := values[p.Key]; !ok && p.Required && !slices.Contains(p.Uncertain, "required") {
			missing = append(missing, p.Key)
		}
	}
	if len(u.Commands) > 0 && u.CommandRequired && !command {
		missing = append(missing, u.CommandKey)
	}
	if gap := u.gap(values); gap != "" && !slices.Contains(missing, gap) {
		missing = append(missing, gap)
	}
	switch len(missing) {
	case 0:
	case 1:
		return fmt.Errorf("argument %q is missing%s", missing[0], u.remark(missing[0]))
	default:
		return fmt.Errorf("arguments are missing: %s", strings.Join(missing, ", "))
	}
	for _, g := range u.Exclusive {
		var given []string
		for _, key := range g.Keys {
			if _, ok := values[key]; ok {
				given = append(given, key)
			}
		}
		switch {
		case len(given) > 1:
			return fmt.Errorf("only one of %s can be given", strings.Join(given, ", "))
		case len(given) == 0 && g.Required:
			return fmt.Errorf("one of %s is required", strings.Join(g.Keys, ", "))
		}
	}
	return nil
}

// gap returns a positional that is not given although a later one is: its value would
// take its place.
func (u composer) gap(values map[string][]string) string {
	gap := ""
	for _, p := range u.Positionals {
		_, given := values[p.Key]
		switch {
		case given && gap != "" && u.Form == byPosition:
			return gap
		case !given && gap == "":
			gap = p.Key
		}
	}
	return ""
}

// remark says more about a missing parameter.
func (u composer) remark(key string) string {
	if len(u.Commands) > 0 && key == u.CommandKey {
		var names []string
		for _, c := range u.Commands {
			names = append(names, c.Name)
		}
		return ": choose one of " + strings.Join(names, ", ")
	}
	if p, ok := u.find(key); ok && p.Help != "" {
		return ": " + p.Help
	}
	return ""
}

// arrange returns options and positionals in an order that the parser reads as meant.
func (u composer) arrange(options []string, values map[string][]string, command bool) []string {
	var positional []string
	dashes, rest := false, false
	for _, p := range u.Positionals {
		positional = append(positional, values[p.Key]...)
		rest = rest || p.Rest && len(values[p.Key]) > 0
		dashes = dashes || !p.Rest && slices.ContainsFunc(values[p.Key], looksLikeOption)
	}
	switch {
	case u.Form == byPosition:
		return positional
	case u.dashes && len(positional) > 0:
		return slices.Concat(options, []string{"--"}, positional)
	case u.isShell() && (!dashes || !u.ends):
		return slices.Concat(options, positional)
	case dashes && !command:
		return slices.Concat(options, []string{"--"}, positional)
	case u.Form == "argparse" && !rest && !command:
		return slices.Concat(positional, options)
	}
	return slices.Concat(options, positional)
}

// isShell reports whether a shell script reads its options itself.
func (u Usage) isShell() bool { return u.Form == shellForm || u.Form == getoptsForm }

// looksLikeOption reports whether a word begins with a dash and is not a number.
func looksLikeOption(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return strings.HasPrefix(word, "-") && word != "-" && err != nil
}

// option returns the words of an option with its values.
func (u composer) option(p Parameter, words []string) []string {
	name := p.Name()
	joins := u.Form == "argparse" || u.Form == "click" || u.Form == "typer" || u.Form == parseArgsForm || u.Form == commanderForm || u.Form == yargsForm
	pair := func(word string) []string {
		if p.joined {
			return []string{name + "=" + word}
		}
		if joins && looksLikeOption(word) && strings.HasPrefix(name, "--") {
			return []string{name + "=" + word}
		}
		return []string{name, word}
	}
	switch {
	case p.Kind == Flag || p.Kind == Count:
		return words
	case p.Kind == List && p.Max == 1:
		var out []string
		for _, word := range words {
			out = append(out, pair(word)...)
		}
		return out
	case len(words) == 1 && words[0] == "" && p.Min == 0:
		return []string{name}
	case len(words) == 1:
		return pair(words[0])
	}
	return append([]string{name}, words...)
}

// generic returns the words for an argument that is not known: --key value.
func generic(m member) []string {
	name := m.key
	if !strings.HasPrefix(name, "-") {
		name = "--" + name
	}
	switch m.value[0] {
	case 'f':
		return nil
	case 't':
		return []string{name}
	case '[':
		var out []string
		for _, word := range wordsOf(m.value) {
			out = append(out, name, word)
		}
		return out
	}
	return []string{name, text(m.value)}
}
