// Package prompts finds interactive prompts in scripts.
package prompts

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
)

// Prompt is the byte range of a call that waits for user input.
type Prompt struct{ Start, End int }

// limit is the maximum number of results per kind and script.
const limit = 100

// Find returns the interactive prompts of a script, in order. language is
// python, shell, javascript, powershell, ruby, go, php, r, lua or batch; other
// languages give no results. Neither do scripts that test for a terminal or
// have a flag for unattended use.
func Find(language string, src []byte) []Prompt {
	var out []Prompt
	switch language {
	case "python":
		out = pythonPrompts(src)
	case "shell":
		out = shellPrompts(src)
	case "javascript":
		out = javascriptPrompts(src)
	// Skills rarely use the others, so only unambiguous lines are found.
	case "powershell":
		out = inLines(src, `(?im)^[ \t]*\$\w+[ \t]*=[ \t]*(Read-Host|Get-Credential)\b`)
	case "ruby":
		out = append(inLines(src, `(?m)^[ \t]*[\w@]+[ \t]*=[ \t]*((?:STDIN|\$stdin)\.gets(?:\.(?:chomp|strip|to_[if]))?|gets\.(?:chomp|strip|to_[if]))\b`),
			afterPrompt(src, inLines(src, `(?m)^[ \t]*[\w@]+[ \t]*=[ \t]*(gets)[ \t]*\r?$`))...)
	case "go":
		out = inLines(src, `(?m)^[^/\n"]*\b(term\.ReadPassword|survey\.Ask(?:One)?|huh\.NewForm)\(`)
		reads := `fmt\.Scan(?:ln|f)?`
		if containsAny(src, []string{"os.Stdin"}) {
			reads += `|(?:\w+|bufio\.NewReader\(os\.Stdin\))\.(?:ReadString|Scan)`
		}
		out = append(out, afterPrompt(src, inLines(src, `(?m)^[^/\n"]*\b(`+reads+`)\(`))...)
	case "php":
		out = inLines(src, `(?m)^[ \t]*\$\w+[ \t]*=[ \t]*(?:\w+\()?(readline\(|fgets\(STDIN\))`)
	case "r":
		out = inLines(src, `(?m)^[^#\n"]*(?:<-|=|invisible\()[ \t]*(?:[\w.]+\()?(readline\()`)
	case "lua":
		out = inLines(src, `io\.write\([^\n]*\n?[ \t]*(?:local[ \t]+)?\w+[ \t]*=[ \t]*(io\.read)\b`)
	case "batch":
		out = inLines(src, `(?im)^[ \t]*@?(pause|set[ \t]+/p)(?:[ \t">&][^<\r\n]*)?\r?$`)
	}
	if len(out) == 0 || worksUnattended(src) {
		return nil
	}
	slices.SortFunc(out, func(a, b Prompt) int { return a.Start - b.Start })
	return slices.Compact(out)
}

// inLines returns the matches of the first group of expr.
func inLines(src []byte, expr string) []Prompt {
	var out []Prompt
	for _, at := range regexp.MustCompile(expr).FindAllSubmatchIndex(src, limit) {
		out = append(out, Prompt{at[2], at[3]})
	}
	return out
}

// promptText is a string that ends like a prompt, such as "Name: " or "Continue?
// [y/N]", as an argument. printedPrompt matches a command that prints one, if what
// follows is on the same line or the next one that matters.
const promptText = `[ \t(]+(?:-\w+[ \t]+)*[fru]?["'][^\n]*(?:[?:]|> |[\[(]\w+(?:[/|]\w+)+[\])]|(?i:\bpress\b)[^\n"']*)(?:[ ]|\\[nc]|\$\{?\w+\}?)*["']`

var printedPrompt = lazyregexp.New(`(?:^|[\n;{])[ \t]*(?:(?:echo|print|puts|fmt\.Print(?:ln)?|sys\.std(?:out|err)\.write)` + promptText + `(?:,[ \t]*(?:end|flush|file)=[^\n]*)?` +
	`|(?:fmt\.P|p)rintf` + promptText + `[^\n;>|]*)\)?(?:[ \t]*1?>&2)?[ \t]*(?:;|\r?\n)` +
	`(?:[^\n"']*(?:flush|\bvar |\blocal |bufio\.New(?:Reader|Scanner)\()[^\n"']*\n|[ \t]*\r?\n)*[^\n;]*$`)

// afterPrompt returns the results in front of which a prompt is printed, except
// loops: those read lines.
func afterPrompt(src []byte, found []Prompt) []Prompt {
	return slices.DeleteFunc(found, func(p Prompt) bool {
		line := bytes.TrimSpace(before(src, p.Start))
		return bytes.HasPrefix(line, []byte("while")) || bytes.HasPrefix(line, []byte("for ")) || !printedPrompt().Match(src[max(p.Start-400, 0):p.Start])
	})
}

func containsAny(src []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(src, []byte(w)) })
}

// worksUnattended reports whether a script tests for a terminal or has a flag
// for unattended use.
func worksUnattended(src []byte) bool {
	lower := bytes.ToLower(src)
	return len(wordsOf(lower, "--yes")) > 0 || containsAny(lower, []string{
		"isatty", "istty", "[ -t 0", "[ -t 1", "[ -t 2", "test -t ", "tty -s", "userinteractive", "cmdcmdline", "isinputredirected", "stdin.tty?", "isterminal", "interactive()", "stream_isatty", "$-", "$ps1",
		"noninteractive", "non-interactive", "non_interactive", "no-input", "no_input", "no-confirm", "no_confirm", "no-prompt", "no_prompt",
		"assume-yes", "assume_yes", "-y)", "-y'", `-y"`, "-y|", "--force", "skip-confirm", "skip_confirm", "skip-prompt", "skip_prompt",
		"auto-approve", "auto_approve", "auto-confirm", "auto_confirm", "auto-yes", "auto_yes",
		"--batch", "--interactive", "eoferror", "args.yes", "args.force", "args.interactive",
	})
}

// wordsOf returns the occurrences of name in code as a whole word.
func wordsOf(code []byte, name string) []Prompt {
	var out []Prompt
	for i := 0; len(out) < limit; {
		n := bytes.Index(code[i:], []byte(name))
		if n < 0 {
			break
		}
		start, end := i+n, i+n+len(name)
		i = end
		inWord := start > 0 && isWordByte(code[start-1]) && isWordByte(name[0])
		continues := end < len(code) && isWordByte(code[end])
		if !inWord && !continues {
			out = append(out, Prompt{start, end})
		}
	}
	return out
}

// callsOf returns the calls of functions by name, without the parenthesis. A
// name without a dot does not match methods; definitions are skipped.
func callsOf(code []byte, names ...string) []Prompt {
	var out []Prompt
	for _, name := range names {
		for _, w := range wordsOf(code, name) {
			before := bytes.TrimRight(before(code, w.Start), " \t")
			after := bytes.TrimLeft(code[w.End:min(len(code), w.End+50)], " \t")
			isMethod := bytes.HasSuffix(before, []byte(".")) && !strings.Contains(name, ".")
			isDefinition := bytes.HasSuffix(before, []byte("def")) || bytes.HasSuffix(before, []byte("function"))
			if bytes.HasPrefix(after, []byte("(")) && !isMethod && !isDefinition {
				out = append(out, w)
			}
		}
	}
	return out
}

// outsideText returns the results that stripping has left in the code.
func outsideText(found []Prompt, code []byte) []Prompt {
	return slices.DeleteFunc(found, func(p Prompt) bool { return code[p.Start] == ' ' })
}

// before returns up to 300 bytes of text before an offset on its line.
func before(code []byte, at int) []byte {
	code = code[max(at-300, 0):at]
	return code[bytes.LastIndexByte(code, '\n')+1:]
}

// isWordByte reports whether c may be part of a name.
func isWordByte(c byte) bool {
	return c == '_' || c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'z'
}
