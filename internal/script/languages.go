package script

import (
	"bytes"
	"strings"

	"skills/internal/programs"
)

// Runnable reports whether a regular file can be run as a script: it has a known
// extension, or a shebang in head. The executable bit does not matter.
func Runnable(name string, head []byte) bool {
	_, known := programs.LanguageOf(name)
	return known || len(shebang(head)) > 0
}

const maxShebang = 4096 // bytes of the longest line; systems read less

// shebang returns the words of a file's shebang, the interpreter first, or nil.
// The line is parsed, not executed: the file needs no executable bit, and the
// line may end with CR LF or follow a byte order mark. Words are separated by
// blanks, on every system; quotes are not special.
//
// "/usr/bin/env NAME" becomes NAME, with or without -S. With variables or
// options, env remains the interpreter.
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
		behind[0] = strings.TrimPrefix(behind[0], "-S")
		if behind[0] == "" {
			behind = behind[1:]
		}
	}
	if len(behind) > 0 && (strings.HasPrefix(behind[0], "-") || strings.Contains(behind[0], "=")) {
		return append(words[:1:1], behind...)
	}
	return behind
}

// Shebang returns the interpreter in a file's shebang as written, or "". For
// "/usr/bin/env NAME" it is NAME.
func Shebang(head []byte) string {
	if words := shebang(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// base returns the last element of an interpreter's path, on any system.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}
