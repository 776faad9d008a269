package prompts

import (
	"bytes"
	"regexp"

	"skills/internal/lazyregexp"
)

// literals match the comments and string literals of a language. If the first
// group matches, only that is the literal.
var literals = map[string]func() *regexp.Regexp{
	"python": lazyregexp.New(`#[^\n]*` +
		`|"""(?s:\\.|[^\\])*?(?:"""|\z)|'''(?s:\\.|[^\\])*?(?:'''|\z)` +
		`|"(?s:\\.|[^"\\\n])*"?|'(?s:\\.|[^'\\\n])*'?`),
	"shell": lazyregexp.New(`(?s:\\.)|(?:^|[\s;&|()])(#[^\n]*)` +
		`|\$('(?s:\\.|[^'\\])*'?)|'[^']*'?|"(?s:\\.|[^"\\])*"?`),
	"javascript": lazyregexp.New(`^#![^\n]*|//[^\n]*|/\*(?s:.*?)(?:\*/|\z)` +
		`|"(?s:\\.|[^"\\\n])*"?|'(?s:\\.|[^'\\\n])*'?` + "|`(?s:\\\\.|[^`\\\\])*`?" +
		`|[(,=:\[!&|?{};][ \t]*(/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/*\\\[\n])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])*/)`),
}

// stripped returns a program with the contents of comments and strings replaced
// by spaces. Offsets, line ends and quotes are kept.
func stripped(language string, src []byte) []byte {
	out := bytes.Clone(src)
	if language == "shell" {
		blankHeredocs(out)
	}
	for _, at := range literals[language]().FindAllSubmatchIndex(out, -1) {
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				at[0], at[1] = at[i], at[i+1]
			}
		}
		if bytes.IndexByte([]byte("\"'`"), out[at[0]]) >= 0 {
			at[0]++
			at[1]--
		}
		blank(out, at[0], at[1])
	}
	return out
}

// blank replaces a range with spaces, except line ends.
func blank(code []byte, from, to int) {
	for i := from; i < to; i++ {
		if code[i] != '\n' && code[i] != '\r' {
			code[i] = ' '
		}
	}
}

var heredocStart = lazyregexp.New(`(?:^|[^<])<<-?[ \t]*['"\\]?([A-Za-z_][\w-]*)`)

// blankHeredocs blanks the lines of here documents, up to the first unclosed
// one.
func blankHeredocs(code []byte) {
	for at := 0; at < len(code); {
		end := lineEnd(code, at)
		line := code[at:end]
		at = end
		if !bytes.Contains(line, []byte("<<")) {
			continue
		}
		for _, name := range heredocStart().FindAllSubmatch(line, limit) {
			from := at
			for closed := false; !closed; {
				if at == len(code) {
					return
				}
				end := lineEnd(code, at)
				closed = bytes.Equal(bytes.TrimSpace(code[at:end]), name[1])
				at = end
			}
			blank(code, from, at)
		}
	}
}

// lineEnd returns the offset after the line that starts at an offset.
func lineEnd(code []byte, at int) int {
	if n := bytes.IndexByte(code[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(code)
}
