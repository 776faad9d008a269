package script

import (
	"bytes"
	"strings"
)

// maxShebang is the longest line that is read as a shebang; systems stop
// earlier.
const maxShebang = 4096

// shebang returns the words of a file's shebang line, the interpreter first, or
// nil if there is none. The line is read, not executed: the file needs no
// executable bit, and the line may end in CR LF or follow a byte order mark.
// Words are separated at blanks, on every system.
//
// "/usr/bin/env NAME" becomes NAME, with or without -S. If env gets variables or
// options, it stays the interpreter; see [behindEnv] for what it will start.
func shebang(head []byte) []string {
	line, found := bytes.CutPrefix(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("#!"))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if !found || len(line) > maxShebang || bytes.IndexByte(line, 0) >= 0 {
		return nil
	}
	words := strings.Fields(string(line))
	if len(words) == 0 || base(words[0]) != "env" {
		return words
	}
	env, words := words[0], words[1:]
	if len(words) > 0 {
		if words[0] = strings.TrimPrefix(words[0], "-S"); words[0] == "" {
			words = words[1:]
		}
	}
	if len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
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
// none is named, PATH is another one, or there are options. words are those after
// env.
func behindEnv(words []string) string {
	for _, word := range words {
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "-"), assigns && name == "PATH":
			return ""
		case !assigns:
			return word
		}
	}
	return ""
}

// base is the last element of an interpreter's path, of whatever system.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}
