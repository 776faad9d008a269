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
// env is asked for more (variables, options), it stays the interpreter.
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
