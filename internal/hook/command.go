package hook

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Command is a hook's command line.
type Command struct {
	Text  string // as it was written
	Words []string
}

// Parse splits a command line into words like a shell: at blanks, except in '..' or
// ".." or after a backslash. There is no shell, so any other shell syntax is an error.
func Parse(text string) (Command, error) {
	c := Command{Text: strings.TrimSpace(text)}
	var word strings.Builder
	begun := false             // a word may be empty: ''
	quote := rune(0)           // the open quote
	in := []rune(c.Text + " ") // ends the last word
	for i := 0; i < len(in); i++ {
		r := in[i]
		switch plain := quote == 0; {
		case r == 0:
			return c, errors.New("a NUL character cannot be in a command line")
		case r == quote:
			quote = 0
		case plain && (r == '\'' || r == '"'):
			quote, begun = r, true
		case plain && strings.ContainsRune(" \t\n\r", r):
			if begun {
				c.Words = append(c.Words, word.String())
			}
			word.Reset()
			begun = false
		case plain && r == '\\' && runtime.GOOS != "windows",
			quote == '"' && r == '\\' && strings.ContainsRune("\"\\$`", in[i+1]):
			i++
			if plain && i == len(in)-1 {
				return c, errors.New("it ends with a backslash")
			}
			begun = true
			word.WriteRune(in[i])
		case plain && strings.ContainsRune("|&;<>()*?[", r),
			quote != '\'' && strings.ContainsRune("$`", r),
			plain && !begun && strings.ContainsRune("~#", r):
			return c, fmt.Errorf("%q needs a shell, which is not used: put it in single quotes to mean the character, or write sh -c '…'", r)
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return c, fmt.Errorf("the quote %c has no end", quote)
	case len(c.Words) == 0 || c.Words[0] == "":
		return c, errors.New("no program is named")
	}
	return c, nil
}
