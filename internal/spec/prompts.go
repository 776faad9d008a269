package spec

import (
	"bytes"
	"slices"
)

// prompt is a place where a script waits for a person, in bytes of it.
type prompt struct{ start, end int }

// maxPrompts bounds what is found of one kind in one script.
const maxPrompts = 100

// findPrompts returns the places where a script of a language waits for a
// person to type. A script that tests for a terminal, or can be told not to
// ask, has none.
//
// Most scripts do not ask: only where one may do so is it searched again
// without its comments and quotes.
func findPrompts(language string, src []byte) []prompt {
	search, known := promptSearches()[language]
	if !known || !search.maybe(src) {
		return nil
	}
	out := search.find(src, stripped(language, src))
	if len(out) == 0 || canDoWithout(src) {
		return nil
	}
	slices.SortFunc(out, func(a, b prompt) int { return a.start - b.start })
	return out
}

// promptSearch is how scripts of a language are searched.
type promptSearch struct {
	maybe func(src []byte) bool           // quick, and never false where find finds something
	find  func(src, code []byte) []prompt // code is src without comments and quotes, of the same length
}

// promptSearches is the table of languages.
func promptSearches() map[string]promptSearch {
	return map[string]promptSearch{
		"python": {func(src []byte) bool { return len(callsOf(src, pythonAsks()...)) > 0 }, pythonPrompts},
		"shell":  {func(src []byte) bool { return containsAny(src, shellAsks()) }, shellPrompts},
		"javascript": {func(src []byte) bool {
			return containsAny(src, []string{"readline", "prompts", "inquirer", "enquirer", "deno", "bun"})
		}, javascriptPrompts},
		"powershell": {func(src []byte) bool { return containsAny(lowerASCII(src), append(powershellAsks(), "pause")) }, powershellPrompts},
		"ruby":       {func(src []byte) bool { return containsAny(src, []string{"gets.", "STDIN."}) }, rubyPrompts},
		"perl":       {func(src []byte) bool { return containsAny(src, []string{"<STDIN>"}) }, perlPrompts},
		"batch":      {func(src []byte) bool { return containsAny(lowerASCII(src), []string{"pause", "/p", "choice"}) }, batchPrompts},
	}
}

func containsAny(src []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(src, []byte(w)) })
}

// canDoWithout reports whether a script knows that somebody is there, or can be
// told that nobody is.
func canDoWithout(src []byte) bool {
	lower := lowerASCII(src)
	return len(wordsOf(lower, "--yes")) > 0 || containsAny(lower, []string{
		"isatty", "istty", "[ -t 0", "[ -t 1", "[ -t 2", "test -t ", "tty -s", "userinteractive", "isinputredirected", "stdin.tty?", "$-", "$ps1",
		"noninteractive", "non-interactive", "non_interactive", "no-input", "no_input", "no-confirm", "no_confirm", "no-prompt", "no_prompt",
		"assume-yes", "assume_yes", "-y)", "-y'", `-y"`, "-y|", "--force", "skip-confirm", "skip_confirm", "skip-prompt", "skip_prompt",
		"auto-approve", "auto_approve", "auto-confirm", "auto_confirm", "auto-yes", "auto_yes",
		"--batch", "--interactive", "eoferror", "args.yes", "args.force", "args.interactive",
	})
}

// lowerASCII is a text with its ASCII letters in lower case, of the same
// length.
func lowerASCII(src []byte) []byte {
	out := bytes.Clone(src)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return out
}

// wordsOf returns where a name stands in code by itself, not as a part of a
// longer name.
func wordsOf(code []byte, name string) []prompt {
	var out []prompt
	for i := 0; len(out) < maxPrompts; {
		n := bytes.Index(code[i:], []byte(name))
		if n < 0 {
			break
		}
		start, end := i+n, i+n+len(name)
		i = end
		if (start == 0 || !inClass("word", code[start-1]) || !inClass("word", name[0])) && (end == len(code) || !inClass("word", code[end])) {
			out = append(out, prompt{start, end})
		}
	}
	return out
}

// callsOf returns where one of several functions is called: its name without
// the parenthesis. A name without a dot is not that of a method, and a
// definition is no call.
func callsOf(code []byte, names ...string) []prompt {
	var out []prompt
	for _, name := range names {
		for _, w := range wordsOf(code, name) {
			before := bytes.TrimRight(before(code, w.start), " \t")
			if startsWithBlanks(code[w.end:], '(') &&
				(bytes.IndexByte([]byte(name), '.') >= 0 || !bytes.HasSuffix(before, []byte("."))) &&
				!bytes.HasSuffix(before, []byte("def")) && !bytes.HasSuffix(before, []byte("function")) {
				out = append(out, w)
			}
		}
	}
	return out
}

// startsWithBlanks reports whether a byte follows blanks, or none.
func startsWithBlanks(code []byte, c byte) bool {
	rest := bytes.TrimLeft(code[:min(len(code), 50)], " \t")
	return len(rest) > 0 && rest[0] == c
}

// before is what stands on a line before a place, as far as matters.
func before(code []byte, at int) []byte {
	code = code[max(at-300, 0):at]
	return code[bytes.LastIndexByte(code, '\n')+1:]
}
