package references

import (
	"slices"
	"strings"
)

// Word is a word of a command.
type Word struct {
	Text       string // without quotes
	Start, End int    // offsets in the body
}

// Command is a simple command in a page's code: the words between two shell
// separators, without prompt, variable assignments and sudo.
type Command struct {
	Words []Word
	Block bool   // in a code block, not in a code span
	Lang  string // language of the block, in lower case

	piece int // index of its code span or block in the page
}

func (p *Page) findCommands() []Command {
	out := make([]Command, 0, len(p.Code))
	for i, c := range p.Code {
		lang := strings.ToLower(c.Lang)
		if c.Block && !isShell(lang) {
			continue
		}
		for _, words := range split(p.Body[c.Start:c.End], c.Start) {
			if words = trimCommand(words); len(words) > 0 {
				out = append(out, Command{words, c.Block, lang, i})
			}
		}
	}
	return out
}

// ShellCommands returns the commands of a shell script.
func ShellCommands(src string) []Command {
	var out []Command
	for _, words := range split(src, 0) {
		if words = trimCommand(words); len(words) > 0 {
			out = append(out, Command{Words: words, Block: true, Lang: "sh"})
		}
	}
	return out
}

func isShell(lang string) bool {
	return slices.Contains([]string{"", "sh", "bash", "zsh", "fish", "shell", "console", "terminal", "shell-session", "shellsession", "sh-session", "powershell", "ps1", "pwsh", "cmd", "bat", "batch"}, lang)
}

// split splits a text into commands, roughly as a shell does, except that a
// quote without a match on its line is an apostrophe. offset is added to the
// offsets of words.
func split(text string, offset int) [][]Word {
	var commands [][]Word
	var words []Word      // of the current command
	var b strings.Builder // the current word, up to its last closing quote
	start, since := -1, 0 // start of the word, and of its part not yet in b
	begin := func(i int) {
		if start < 0 {
			start, since = i, i
		}
	}
	endWord := func(i int) {
		if start < 0 {
			return
		}
		word := text[since:i]
		if since > start { // the word has quotes
			b.WriteString(word)
			word = b.String()
			b.Reset()
		}
		words = append(words, Word{word, offset + start, offset + i})
		start = -1
	}
	endCommand := func(i int) {
		endWord(i)
		if len(words) > 0 {
			commands = append(commands, words)
			words = nil
		}
	}
	lineEnd := 0 // offset after the line break of the line at i
	for i := 0; i < len(text); i++ {
		if i >= lineEnd {
			lineEnd = len(text)
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				lineEnd = i + n + 1
			}
		}
		switch c := text[i]; c {
		case '\n', ';', '|', '&', '(', ')', '`':
			endCommand(i)
		case ' ', '\t', '\r':
			endWord(i)
		case '#':
			if start >= 0 {
				continue
			}
			if i = lineEnd - 1; text[i] == '\n' {
				endCommand(i)
			}
		case '\\':
			rest := strings.TrimLeft(text[i+1:], " \t\r")
			if strings.HasPrefix(rest, "\n") { // the command continues
				endWord(i)
				i = len(text) - len(rest)
				continue
			}
			begin(i)
		case '\'', '"':
			begin(i)
			if n := strings.IndexByte(text[i+1:lineEnd], c); n >= 0 {
				b.WriteString(text[since:i])
				b.WriteString(text[i+1 : i+1+n])
				i += n + 1
				since = i + 1
			}
		default:
			begin(i)
		}
	}
	endCommand(len(text))
	return commands
}

// trimCommand removes prompts, keywords and assignments before the program.
func trimCommand(words []Word) []Word {
	for len(words) > 0 {
		text := words[0].Text
		name, _, assigns := strings.Cut(text, "=")
		switch {
		case slices.Contains([]string{"$", "%", ">", "PS>", "sudo", "time", "exec", "env", "command", "nohup", "then", "do", "else", "if", "while", "!", "{"}, text),
			assigns && isVariableName(name):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

func isVariableName(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
