package script

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

const maxShebang = 4096 // bytes of the longest line; systems stop earlier

// shebang returns the words of a file's shebang line, the interpreter first, or
// nil if there is none. The line is read, not executed: the file needs no
// executable bit, and the line may end in CR LF or follow a byte order mark.
// Words are separated at blanks, on every system.
//
// "/usr/bin/env NAME" becomes NAME, with or without -S. With variables or options
// env stays the interpreter.
func shebang(head []byte) []string {
	line, found := bytes.CutPrefix(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("#!"))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if !found || len(line) > maxShebang || bytes.IndexByte(line, 0) >= 0 {
		return nil
	}
	words := split(strings.TrimRight(string(line), "\r"))
	if len(words) == 0 || base(words[0]) != "env" {
		return words
	}
	env, words := words[0], words[1:]
	if len(words) > 0 {
		if words[0] = strings.TrimPrefix(words[0], "-S"); words[0] == "" {
			words = words[1:]
		}
	}
	switch {
	case len(words) == 0 || words[0] == "":
		return nil
	case strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "="):
		return append([]string{env}, words...)
	}
	return words
}

// Shebang returns the interpreter that a file's shebang line names, as it is
// written, "" if there is none: of "/usr/bin/env NAME" it is NAME.
func Shebang(head []byte) string {
	if words := shebang(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// behindEnv returns the program that env will start, "" if that is not certain:
// none is named, PATH is another one, or an option is not known here. words are
// those after env.
func behindEnv(words []string) string {
	for i := 0; i < len(words); i++ {
		name, _, assigns := strings.Cut(words[i], "=")
		switch {
		case slices.Contains([]string{"-", "--", "-i", "--ignore-environment", "-S", "-iS"}, words[i]):
		case words[i] == "-u" || words[i] == "-C":
			i++ // its value
		case strings.HasPrefix(words[i], "-"), assigns && name == "PATH":
			return ""
		case !assigns:
			return words[i]
		}
	}
	return ""
}

// split separates words at blanks. Single and double quotes hold a word
// together, as for "env -S"; there are no escapes and no variables.
func split(line string) []string {
	words := regexp.MustCompile(`(?:[^ \t'"]|'[^']*'?|"[^"]*"?)+`).FindAllString(line, -1)
	quoted := regexp.MustCompile(`'([^']*)'?|"([^"]*)"?`)
	for i, word := range words {
		words[i] = quoted.ReplaceAllString(word, "$1$2")
	}
	return words
}

// base is the last element of an interpreter's path, of whatever system.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}
