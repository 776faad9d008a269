package usage

// Models write arguments that are almost right. They are repaired only where one meaning
// is certain: the result is what the script's parser accepts, and no other reading of the
// arguments is. Whatever was repaired is returned, so that the model learns the right form.

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"skills/internal/params"
	"skills/internal/printable"
)

// maxRespelled is the highest number of words whose names are corrected.
const maxRespelled = 1000

// Interpretation is how the arguments of a call are understood.
type Interpretation struct {
	Words []string // of the command line
	// Arguments are the right form of the arguments, which gives the same words; nil if
	// they were right.
	Arguments json.RawMessage
}

// Interpret returns what the arguments of a call mean, like [Usage.Words]. It also accepts
// an object inside an array, a command line in one text, and options with a slightly wrong
// name. The error is that of Words.
func (u Usage) Interpret(arguments json.RawMessage) (Interpretation, error) {
	given := bytes.TrimSpace(arguments)
	value := params.Unwrap(given)
	if inner := params.Single(value); inner != nil {
		right, err := guesserOf(u).interpretObject(given, inner)
		if err == nil || u.Check(value) != nil {
			return right, err
		}
	}
	if len(value) > 0 && (value[0] == '[' || value[0] == '"') {
		return guesserOf(u).interpretWords(given, value)
	}
	return guesserOf(u).interpretObject(given, value)
}

// guesser finds the one meaning of arguments that are almost right.
type guesser struct{ Usage }

func guesserOf(u Usage) guesser { return guesser{u} }

// interpretObject returns what named arguments mean.
func (u guesser) interpretObject(given, object json.RawMessage) (Interpretation, error) {
	words, err := u.Words(object)
	if err != nil {
		return Interpretation{}, err
	}
	right := Interpretation{Words: words}
	canonical, renamed := u.canonical(object)
	if renamed || len(object) > 0 && !bytes.Equal(object, given) {
		right.Arguments = canonical
	}
	return right, nil
}

// interpretWords returns what the words of a command line mean.
func (u guesser) interpretWords(given, value json.RawMessage) (Interpretation, error) {
	words, reason := u.Words(value)
	right := Interpretation{Words: words}
	line := u.splitLines(words)
	split := line != nil && (reason != nil || len(words) == 1 && u.namesOption(line))
	if !split {
		line = words
	}
	if u.checkWords(line) != nil {
		line = u.respell(line)
	}
	switch {
	case u.Partial:
		return right, reason
	case u.checkWords(line) == nil:
		right.Words = line
	case reason != nil:
		named := u.pairs(line)
		if named == nil || u.Check(named) != nil {
			return right, reason
		}
		return u.interpretObject(given, named)
	}
	if !bytes.Equal(value, given) || !slices.Equal(right.Words, words) {
		right.Arguments = json.RawMessage(printable.JSONText(right.Words))
	}
	return right, nil
}

// splitLines splits what may be a whole command line, or an option with its value, in one
// word. It returns nil if there is none.
func (u guesser) splitLines(words []string) (out []string) {
	split := false
	for _, word := range words {
		name, _, _ := strings.Cut(word, " ")
		_, isOption := u.byName(name)
		if !strings.ContainsAny(word, " \t\n") || len(words) > 1 && !isOption {
			out = append(out, word)
			continue
		}
		parts, ok := ShellWords(word)
		if !ok {
			return nil
		}
		out, split = append(out, parts...), true
	}
	if !split {
		return nil
	}
	return out
}

// namesOption reports whether one of the words is the name of an option.
func (u guesser) namesOption(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		_, ok := u.byName(name)
		return ok && strings.HasPrefix(name, "-")
	})
}

// respell corrects the names of options that only one can mean: with underscores, with one
// dash instead of two, and without dashes if the script takes nothing else.
func (u guesser) respell(words []string) []string {
	out := slices.Clone(words)
	if len(words) > maxRespelled {
		return out
	}
	bare := len(u.Positionals) == 0 && len(u.Commands) == 0
	for i := 0; i < len(out); i++ {
		if out[i] == "--" {
			break
		}
		name, value, joined := strings.Cut(out[i], "=")
		p, exact := u.byName(name)
		isName := (strings.HasPrefix(name, "-") || bare) && len(strings.TrimLeft(name, "-")) > 1
		if !exact && isName && !u.isCluster(name) {
			p, exact = u.find(name)
			if !exact || p.Positional() || p.negative(name) != "" {
				continue
			}
			out[i] = p.Name()
			if joined {
				out[i] += "=" + value
			}
		}
		takesOne := !p.isFlag() && p.Max == 1
		if exact && !joined && takesOne {
			i++ // its value
		}
	}
	return out
}

// pairs returns the object that a list of names with their values means; nil if a word is
// neither. A name is that of a parameter, also of a positional one.
func (u guesser) pairs(words []string) json.RawMessage {
	if len(words) > maxRespelled {
		return nil
	}
	var members []any
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		p, ok := u.find(name)
		isFlag := p.isFlag()
		alone := !joined && !isFlag && i+1 == len(words)
		switch {
		case !ok || alone:
			return nil
		case !joined && isFlag:
			members = append(members, p.Key, true)
			continue
		case isFlag:
			members = append(members, p.Key, value)
			continue
		case !joined:
			i++
			value = words[i]
		}
		members = append(members, p.Key, valueOf(p, []string{value}))
	}
	return json.RawMessage(object(members...))
}

// isCluster reports whether a word is a short option with more behind it: -n5, -vx.
func (u guesser) isCluster(word string) bool {
	if strings.HasPrefix(word, "--") || !strings.HasPrefix(word, "-") || len(word) < 3 {
		return false
	}
	_, ok := u.byName(word[:2])
	return ok
}

// canonical returns an object with the right key for each parameter, and whether a key was
// not right.
func (u guesser) canonical(value json.RawMessage) (json.RawMessage, bool) {
	given, err := members(value)
	if err != nil {
		return value, false
	}
	given, renamed := u.rename(given)
	var pairs []any
	for _, m := range given {
		pairs = append(pairs, m.key, m.value)
	}
	return json.RawMessage(object(pairs...)), renamed
}

// rename gives the arguments of a call the right keys.
func (u guesser) rename(given []member) (out []member, renamed bool) {
	command, rest, _ := u.choose(given)
	if command != nil && len(rest) < len(given) {
		out = append(out, member{u.CommandKey, json.RawMessage(printable.JSONText(command.Name))})
	}
	var left []member
	for _, m := range rest {
		p, ok := u.find(m.key)
		switch off := p.negative(m.key); {
		case !ok:
			left = append(left, m)
			continue
		case off == "" && m.key != p.Key:
			renamed, m.key = true, p.Key
		}
		out = append(out, m)
	}
	if command != nil {
		below, more := guesserOf(command.Usage).rename(left)
		return append(out, below...), renamed || more
	}
	return append(out, left...), renamed
}

// ShellWords splits a text into words as a shell does, without expansions. It returns
// false for an open quotation mark, and for what a shell would do more with.
func ShellWords(text string) (words []string, ok bool) {
	var word strings.Builder
	inWord, quote := false, rune(0)
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote == '"' && (r == '$' || r == '`'):
			return nil, false
		case quote == '\'' && r != '\'', quote == '"' && r != '"' && r != '\\':
			word.WriteRune(r)
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case r == '\\':
			i++
			if i == len(runes) {
				return nil, false
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", runes[i]) {
				word.WriteRune('\\')
			}
			word.WriteRune(runes[i])
			inWord = true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words, inWord = append(words, word.String()), false
				word.Reset()
			}
		case strings.ContainsRune("|&;<>()$`", r):
			return nil, false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}
