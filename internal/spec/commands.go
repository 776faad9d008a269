package spec

import (
	"slices"
	"strings"

	"skills/internal/markdown"
)

// word is a word of a command, in bytes of the body; text is without quotes.
type word struct {
	text       string
	start, end int
}

// command is one simple command in the code of a body: what stands between two
// separators of the shell, without prompt, variables set and sudo.
type command struct {
	words []word
	block bool   // in a block of code, not in a span of it
	lang  string // of the block, lower case
}

// commands returns the commands in the body's code, split when first asked for.
func (d *Document) commands() []command {
	if d.shell == nil {
		d.shell = commandsIn(d.Page().Code, d.Body)
	}
	return d.shell
}

// commands returns the commands in the page's code.
func (in *page) commands() []command {
	if in.name == "" {
		return in.doc.commands()
	}
	return commandsIn(in.Code, in.body())
}

// commandsIn returns the commands in the code of a text, as far as it may be a
// shell's; never nil. It splits as a shell does, roughly: quotes that are not
// closed on their line are apostrophes.
func commandsIn(code []markdown.Code, body string) []command {
	out := make([]command, 0, len(code))
	s := splitter{words: make([]word, 0, 4*len(code))}
	for _, c := range code {
		lang := strings.ToLower(c.Lang)
		if c.Start < 0 || c.End > len(body) || c.Start > c.End || c.Block && !shellLanguage(lang) {
			continue
		}
		for _, words := range s.split(body[c.Start:c.End], c.Start) {
			if words = bareCommand(words); len(words) > 0 {
				out = append(out, command{words, c.Block, lang})
			}
		}
	}
	return out
}

func shellLanguage(lang string) bool {
	return slices.Contains([]string{"", "sh", "bash", "zsh", "fish", "shell", "console", "terminal", "shell-session", "shellsession", "sh-session", "powershell", "ps1", "pwsh", "cmd", "bat", "batch"}, lang)
}

// splitter splits texts into commands.
type splitter struct {
	commands [][]word // of the last text
	words    []word   // of all texts
}

// split splits a text into commands of words; offset is added to their places.
// The result is good until the next call, its commands are for longer.
func (s *splitter) split(text string, offset int) [][]word {
	s.commands = s.commands[:0]
	first := len(s.words) // word of the command under way
	var b strings.Builder // the word under way, up to its last quotes
	start, since := -1, 0 // where it starts, and where what is not in b yet does
	begin := func(i int) {
		if start < 0 {
			start, since = i, i
		}
	}
	endWord := func(i int) {
		if start < 0 {
			return
		}
		w := text[since:i]
		if since > start {
			b.WriteString(w)
			w = b.String()
			b.Reset()
		}
		s.words = append(s.words, word{w, offset + start, offset + i})
		start = -1
	}
	endCommand := func(i int) {
		endWord(i)
		if n := len(s.words); n > first {
			s.commands = append(s.commands, s.words[first:n:n])
			first = n
		}
	}
	lineEnd := 0 // just behind the line that i is on, its line break included
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
			if strings.HasPrefix(rest, "\n") { // the command goes on
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
	return s.commands
}

// bareCommand takes off what stands before a command's program.
func bareCommand(words []word) []word {
	for len(words) > 0 {
		text := words[0].text
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
