package usage

// The words of a command line are read as the script's parser reads them, to find only what
// it certainly refuses.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/suggest"
)

// reading is the state of reading the words of a command line.
type reading struct {
	usage      Usage
	words      []string
	given      map[string][]string
	positional []string
	helped     bool // a word asks for help, whatever the others are
}

// checkWords checks the words of a command line. It reports only what the script's parser
// certainly rejects.
func (u Usage) checkWords(words []string) error {
	if u.Partial {
		return nil
	}
	r := &reading{usage: u, words: slices.Clone(words), given: map[string][]string{}}
	if u.Form == byPosition {
		r.positional = words
		return r.finish(false)
	}
	command := false
	err := r.read(func(c *Command, rest []string) error {
		command = true
		if err := c.Usage.checkWords(rest); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		return nil
	})
	if err != nil || r.helped {
		return err
	}
	return r.finish(command)
}

// read reads the words up to a command, for which it calls below with the words behind it.
func (r *reading) read(below func(c *Command, rest []string) error) error {
	u := r.usage
	for len(r.words) > 0 {
		word := r.words[0]
		switch {
		case word == "-h" || word == "--help" || word == "--version":
			r.helped = true
			return nil
		case r.atRest() && !looksLikeOption(word):
			r.positional, r.words = append(r.positional, r.words...), nil
		case word == "--":
			r.positional, r.words = append(r.positional, r.words[1:]...), nil
		case isOption(word):
			if err := r.option(word); err != nil {
				return err
			}
		case len(u.Commands) > 0 && len(r.positional) >= len(u.Positionals):
			c, err := u.command(word)
			if err != nil {
				return err
			}
			return below(c, r.words[1:])
		default:
			r.positional, r.words = append(r.positional, word), r.words[1:]
		}
	}
	return nil
}

// isOption reports whether a word is the name of an option: a word with a blank is none,
// but its value may have one.
func isOption(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return looksLikeOption(word) && !strings.ContainsAny(name, " \n")
}

// atRest reports whether all further words belong to the last positional.
func (r *reading) atRest() bool {
	n := len(r.positional)
	return n < len(r.usage.Positionals) && r.usage.Positionals[n].Rest
}

// option reads an option with its values.
func (r *reading) option(word string) error {
	name, value, joined := strings.Cut(word, "=")
	p, ok := r.usage.byName(name)
	if !ok && !strings.HasPrefix(word, "--") {
		p, ok = r.usage.byName(word[:2]) // -n5 or -vx
		value, joined = strings.TrimPrefix(word[2:], "="), len(word) > 2
		if ok && p.isFlag() && joined {
			r.given[p.Key] = nil
			r.words[0] = "-" + word[2:]
			return nil
		}
	}
	if !ok && r.usage.lax {
		r.words = r.words[1:]
		return nil
	}
	if !ok {
		return r.usage.unknownOption(name)
	}
	r.words = r.words[1:]
	if p.Kind == Flag || p.Kind == Count {
		r.given[p.Key] = nil
		return nil
	}
	values := []string{value}
	if !joined {
		n, most := 0, len(r.words)
		if p.Max >= 0 {
			most = min(most, p.Max)
		}
		for n < most && r.isValue(r.words[n]) {
			n++
		}
		values, r.words = slices.Clone(r.words[:n]), r.words[n:]
		if len(values) < p.Min {
			return fmt.Errorf("option %s takes %s, got %d", p.Name(), amount(p), len(values))
		}
	}
	for _, v := range values {
		if err := p.checkWord(v); err != nil {
			return err
		}
	}
	r.given[p.Key] = values
	return nil
}

// isValue reports whether a word behind an option can be its value.
func (r *reading) isValue(word string) bool {
	return word != "--" && (!isOption(word) || r.usage.Form != "argparse")
}

// byName finds an option by a name, or by the only name that begins like it.
func (u Usage) byName(name string) (Parameter, bool) {
	var match []Parameter
	for _, p := range u.Options {
		if slices.Contains(p.Names, name) {
			return p, true
		}
		if strings.HasPrefix(name, "--") && slices.ContainsFunc(p.Names, func(n string) bool { return strings.HasPrefix(n, name) }) {
			match = append(match, p)
		}
	}
	if len(match) == 1 && u.Form == "argparse" {
		return match[0], true
	}
	return Parameter{}, false
}

func (u Usage) unknownOption(name string) error {
	var names []string
	for _, p := range u.Options {
		if !p.Hidden {
			names = append(names, p.Names...)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("unknown option %s: there are no options", name)
	}
	if nearest := suggest.Nearest(name, names); nearest != "" {
		return fmt.Errorf("unknown option %s (did you mean %s?)", name, nearest)
	}
	return fmt.Errorf("unknown option %s; it takes %s", name, strings.Join(names, ", "))
}

// finish gives the positionals their words and checks what is missing.
func (r *reading) finish(command bool) error {
	u := r.usage
	least, most, spare := 0, 0, 0
	for _, p := range r.usage.Positionals {
		if p.Required {
			least += max(p.Min, 1)
		}
		if p.Max < 0 {
			spare++
		}
		most += max(p.Max, 0)
	}
	if n := len(r.positional); spare == 0 && n > most && !u.open {
		return fmt.Errorf("unexpected word %q: %d positional arguments are accepted", r.positional[most], most)
	}
	words := r.positional
	simple := spare == 0 && (least == most || u.Form == byPosition)
	for _, p := range r.usage.Positionals {
		if len(words) == 0 {
			break
		}
		n := len(words)
		if p.Max >= 0 {
			n = min(n, p.Max)
		}
		for _, word := range words[:n] {
			if err := p.checkWord(word); err != nil && simple {
				return err
			}
		}
		r.given[p.Key], words = words[:n], words[n:]
	}
	if len(r.positional) >= least { // whatever they belong to, there are enough
		for _, p := range r.usage.Positionals {
			if _, ok := r.given[p.Key]; !ok && p.Required {
				r.given[p.Key] = nil
			}
		}
	}
	return composerOf(r.usage).complete(r.given, command)
}
