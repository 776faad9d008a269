package script

import (
	"bytes"
	"strings"
)

// shebang returns the words of a file's shebang line, the interpreter first,
// or nil where there is none. The line is read, not executed: the file needs
// no executable bit, it may end in CR LF, and a byte order mark before it is
// passed over. Words are separated at blanks, where kernels differ: Linux would
// hand everything after the interpreter over as one argument.
//
// "/usr/bin/env NAME" becomes NAME, to be looked up; "-S" is taken off. Where
// env is asked for more (variables, options), it stays the interpreter; see
// [behindEnv] for what it will start.
func shebang(head []byte) []string {
	line, found := bytes.CutPrefix(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("#!"))
	if !found {
		return nil
	}
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if len(line) > maxShebang || bytes.IndexByte(line, 0) >= 0 {
		return nil
	}
	words := split(strings.TrimRight(string(line), "\r"))
	if len(words) == 0 || base(words[0]) != "env" {
		return words
	}
	env, words := words[0], words[1:]
	if len(words) > 0 {
		switch first := words[0]; {
		case first == "-S", first == "-vS", first == "--split-string":
			words = words[1:]
		case strings.HasPrefix(first, "-S"):
			words[0] = strings.TrimPrefix(first, "-S")
		case strings.HasPrefix(first, "--split-string="):
			words[0] = strings.TrimPrefix(first, "--split-string=")
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil
	}
	if strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") {
		return append([]string{env}, words...)
	}
	return words
}

// Shebang returns the interpreter that a file's shebang line names, as it stands
// there, "" where there is none: of "/usr/bin/env NAME" it is NAME.
func Shebang(head []byte) string {
	if words := shebang(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// behindEnv returns the program that env is asked to start, "" where nothing
// can tell: none is named, or another search path. words are those behind env.
func behindEnv(words []string) string {
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "--"):
			if rest, ok := strings.CutPrefix(word, "--split-string="); ok && rest != "" {
				words[i] = rest
				i--
			} else if word == "--unset" || word == "--chdir" || word == "--argv0" {
				i++ // its value
			}
		case strings.HasPrefix(word, "-"):
			rest, skip := envOptions(word[1:])
			if rest != "" {
				words[i] = rest
				i--
			} else if skip {
				i++
			}
		case assigns && name == "PATH":
			return ""
		case !assigns:
			return word
		}
	}
	return ""
}

// envOptions reads letters of options, such as "iu": rest is the program that
// stands behind an S, skip says that the next word is an option's value.
func envOptions(letters string) (rest string, skip bool) {
	for i, letter := range letters {
		switch letter {
		case 'S':
			return letters[i+1:], false
		case 'u', 'C', 'P', 'a':
			return "", i == len(letters)-1
		}
	}
	return "", false
}

// maxShebang is the longest line that is read as a shebang; systems stop
// earlier.
const maxShebang = 4096

// split separates words at blanks. Single and double quotes hold a word
// together, as "env -S" has it; there are no escapes and no variables.
func split(line string) []string {
	var words []string
	var word strings.Builder
	started, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			started, quote = true, r
		case r == ' ' || r == '\t':
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			started = true
			word.WriteRune(r)
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words
}

// base is the last element of an interpreter's path, of whatever system.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}
