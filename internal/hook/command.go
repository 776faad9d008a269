package hook

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Parse splits a command line into words, the way a shell would: at blanks, but
// for those in '..' or ".." or behind a backslash. There is no shell, so what
// only a shell could do is an error instead of something else than was meant.
func Parse(text string) (Command, error) {
	c := Command{Text: strings.TrimSpace(text)}
	var word strings.Builder
	begun := false // a word may be empty: ''
	end := func() {
		if begun {
			c.Words = append(c.Words, word.String())
		}
		word.Reset()
		begun = false
	}
	in := []rune(c.Text)
	for i := 0; i < len(in); i++ {
		switch r := in[i]; {
		case r == 0:
			return c, errors.New("a NUL character cannot be in a command line")
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		case r == '\'' || r == '"':
			begun = true
			next, err := quoted(&word, in, i)
			if err != nil {
				return c, err
			}
			i = next
		case r == '\\' && runtime.GOOS != "windows":
			if i+1 == len(in) {
				return c, errors.New("there is nothing behind the backslash at its end")
			}
			i++
			begun = true
			word.WriteRune(in[i])
		case strings.ContainsRune("|&;<>()`$*?[", r), !begun && (r == '~' || r == '#'):
			return c, fmt.Errorf("%q needs a shell, and there is none: put it in single quotes to mean the character, or write sh -c '…'", r)
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	end()
	if len(c.Words) == 0 || c.Words[0] == "" {
		return c, errors.New("no program is named")
	}
	return c, nil
}

// quoted takes the text between the quote at in[i] and its end, and returns
// where that is.
func quoted(word *strings.Builder, in []rune, i int) (int, error) {
	quote := in[i]
	for i++; i < len(in); i++ {
		switch r := in[i]; {
		case r == 0:
			return i, errors.New("a NUL character cannot be in a command line")
		case r == quote:
			return i, nil
		case quote == '"' && r == '\\' && i+1 < len(in) && strings.ContainsRune("\"\\$`", in[i+1]):
			i++
			word.WriteRune(in[i])
		case quote == '"' && (r == '$' || r == '`'):
			return i, fmt.Errorf("%q needs a shell, and there is none: put it in single quotes to mean the character, or write sh -c '…'", r)
		default:
			word.WriteRune(r)
		}
	}
	return i, fmt.Errorf("the quote %c has no end", quote)
}
