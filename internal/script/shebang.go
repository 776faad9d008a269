package script

import (
	"bytes"
	"strings"
)

const maxShebang = 4096 // bytes of the longest line; systems stop earlier

// shebang returns the words of a file's shebang line, the interpreter first, or
// nil if there is none. The line is read, not executed: the file needs no
// executable bit, and the line may end in CR LF or follow a byte order mark.
// Words are separated at blanks, on every system; quotes mean nothing.
//
// "/usr/bin/env NAME" becomes NAME, with or without -S. With variables or options
// env stays the interpreter.
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
	behind := words[1:]
	if len(behind) > 0 {
		if behind[0] = strings.TrimPrefix(behind[0], "-S"); behind[0] == "" {
			behind = behind[1:]
		}
	}
	if len(behind) > 0 && (strings.HasPrefix(behind[0], "-") || strings.Contains(behind[0], "=")) {
		return append(words[:1:1], behind...)
	}
	return behind
}

// Shebang returns the interpreter that a file's shebang line names, as it is
// written, "" if there is none: of "/usr/bin/env NAME" it is NAME.
func Shebang(head []byte) string {
	if words := shebang(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// base is the last element of an interpreter's path, of whatever system.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}
