package servers

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"skills/internal/lazyregexp"
)

// variable matches ${…}.
var variable = lazyregexp.New(`\$\{([^{}]*)\}`)

// variableName matches the name of an environment variable.
var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces the variables in a text. The error names the first that has no value.
func (e Environment) expand(text string) (string, error) {
	var first error
	out := variable().ReplaceAllStringFunc(text, func(match string) string {
		value, err := e.value(match[2 : len(match)-1])
		if err != nil && first == nil {
			first = err
		}
		return value
	})
	return out, first
}

// value returns the value of a variable by what is between its braces.
func (e Environment) value(text string) (string, error) {
	switch text {
	case "workspaceFolder", "CLAUDE_PROJECT_DIR":
		return e.Dir, nil
	case "workspaceFolderBasename":
		return filepath.Base(e.Dir), nil
	case "userHome":
		return e.Home, nil
	case "pathSeparator", "/":
		return string(filepath.Separator), nil
	}
	if id, ok := strings.CutPrefix(text, "input:"); ok {
		return "", fmt.Errorf("it asks for the input %q when it starts; write ${VAR} and set the environment variable", id)
	}
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(text, "env:"), ":-")
	switch value := e.Getenv(name); {
	case !variableName().MatchString(name):
		return "", fmt.Errorf("${%s} is not known", text)
	case value != "":
		return value, nil
	case hasFallback:
		return fallback, nil
	}
	return "", fmt.Errorf("the environment variable %s is not set", name)
}

// plainJSON returns JSON with comments and commas before a closing bracket, as VS Code writes
// it, as plain JSON with the same positions.
func plainJSON(src []byte) []byte {
	out := append([]byte(nil), src...)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	comma := -1 // the last one that nothing but blanks followed
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(out[i:], []byte("//")):
			end := len(out)
			if length := bytes.IndexByte(out[i:], '\n'); length >= 0 {
				end = i + length
			}
			blank(i, end)
			i = end - 1
		case bytes.HasPrefix(out[i:], []byte("/*")):
			end := len(out)
			if length := bytes.Index(out[i+2:], []byte("*/")); length >= 0 {
				end = i + 2 + length + 2
			}
			blank(i, end)
			i = end - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			blank(comma, comma+1)
			comma = -1
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			comma = -1
		}
	}
	return out
}
