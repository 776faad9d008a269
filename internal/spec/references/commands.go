package references

// A command is found as a shell would split it, in code that may be of a shell. Code in
// documentation is not always a program: a quote without a match is an apostrophe, and
// what precedes the program, such as a prompt or sudo, is skipped.

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
			words = trimCommand(words)
			if len(words) > 0 {
				out = append(out, Command{Words: words, Block: c.Block, Lang: lang, piece: i})
			}
		}
	}
	return out
}

// ShellCommands returns the commands of a shell script.
func ShellCommands(src string) []Command {
	var out []Command
	for _, words := range split(src, 0) {
		words = trimCommand(words)
		if len(words) > 0 {
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
	s := splitter{text: text, offset: offset, start: -1}
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
			s.endCommand(i)
		case ' ', '\t', '\r':
			s.endWord(i)
		case '#':
			if s.inWord() {
				continue
			}
			i = lineEnd - 1
			if text[i] == '\n' {
				s.endCommand(i)
			}
		case '\\':
			rest := strings.TrimLeft(text[i+1:], " \t\r")
			if strings.HasPrefix(rest, "\n") { // the command continues
				s.endWord(i)
				i = len(text) - len(rest)
				continue
			}
			s.begin(i)
		case '\'', '"':
			s.begin(i)
			if n := strings.IndexByte(text[i+1:lineEnd], c); n >= 0 {
				i = s.quoted(i, i+1+n)
			}
		default:
			s.begin(i)
		}
	}
	s.endCommand(len(text))
	return s.commands
}

// splitter collects the words and commands of a text from its start to its end.
type splitter struct {
	text     string
	offset   int // added to the offsets of words
	commands [][]Word
	words    []Word          // of the current command
	word     strings.Builder // the current word, up to its last closing quote
	start    int             // of the current word, -1 between words
	since    int             // start of its part that is not in word yet
}

func (s *splitter) inWord() bool { return s.start >= 0 }

// begin starts a word, unless the offset is in one.
func (s *splitter) begin(i int) {
	if !s.inWord() {
		s.start, s.since = i, i
	}
}

// quoted adds the text between two quotes to the current word. It returns the
// offset of the second one.
func (s *splitter) quoted(opening, closing int) int {
	s.word.WriteString(s.text[s.since:opening])
	s.word.WriteString(s.text[opening+1 : closing])
	s.since = closing + 1
	return closing
}

func (s *splitter) endWord(i int) {
	if !s.inWord() {
		return
	}
	word := s.text[s.since:i]
	if s.since > s.start { // the word has quotes
		s.word.WriteString(word)
		word = s.word.String()
		s.word.Reset()
	}
	s.words = append(s.words, Word{word, s.offset + s.start, s.offset + i})
	s.start = -1
}

func (s *splitter) endCommand(i int) {
	s.endWord(i)
	if len(s.words) > 0 {
		s.commands = append(s.commands, s.words)
		s.words = nil
	}
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
