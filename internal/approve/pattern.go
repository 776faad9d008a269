package approve

import (
	"fmt"
	"path"
	"strings"

	"skills/internal/fault"
	"skills/internal/loader"
)

// Pattern is a value of --allow-script or --allow-tool: an owner and a part of it.
type Pattern struct {
	Text        string
	owner, part string // patterns for path.Match; slashes in part are replaced
}

// ParsePattern parses a pattern such as "pdf/*". The error is a *fault.Error; owner and
// part name the two components in its text.
func ParsePattern(text, owner, part string) (Pattern, error) {
	before, after, ok := strings.Cut(text, "/")
	if !ok || before == "" || after == "" {
		return Pattern{}, &fault.Error{
			Message: fmt.Sprintf("the pattern %q does not name a %s and a %s", text, owner, part),
			Hint:    fmt.Sprintf("write %s/%s, for example '%s/*' for all %ss of a %s", owner, part, strings.Trim(text, "/"), part, owner),
		}
	}
	p := Pattern{Text: text, owner: before, part: flat(after)}
	for _, component := range []string{p.owner, p.part} {
		if _, err := path.Match(component, ""); err != nil {
			return Pattern{}, &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", text), Hint: "close every [, and put a character after every \\"}
		}
	}
	return p, nil
}

// Matches reports whether the pattern matches a part of an owner, such as a script as
// its skill lists it.
func (p Pattern) Matches(owner, part string) bool {
	match, _ := path.Match(p.part, flat(part)) // the patterns are valid
	return match && p.MatchesOwner(owner)
}

// MatchesOwner reports whether the pattern can match parts of an owner.
func (p Pattern) MatchesOwner(owner string) bool {
	match, _ := path.Match(p.owner, owner)
	return match
}

// flat replaces slashes, which * does not match, by a byte that no file name contains.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }

// CommandPattern is a value of --allow-command: words with * and ?.
type CommandPattern struct {
	Text  string
	words []string
}

// ParseCommandPattern parses a pattern such as "git status" or "npx eslint@* *". The error
// is a *fault.Error.
func ParseCommandPattern(text string) (CommandPattern, error) {
	p := CommandPattern{Text: text, words: strings.Fields(text)}
	if len(p.words) == 0 {
		return p, &fault.Error{Message: "the pattern is empty", Hint: "write a command, such as 'git status' or 'npm test *'"}
	}
	if strings.Trim(p.words[0], "*?") == "" {
		return p, &fault.Error{Message: fmt.Sprintf("the pattern %q allows every program", text), Hint: "name the program, or pass -y to approve everything"}
	}
	return p, nil
}

// Matches reports whether the pattern matches the words of one command: word by word, where
// * matches any characters, also slashes. A last word * matches any number of words.
func (p CommandPattern) Matches(words []string) bool {
	for i, pattern := range p.words {
		if pattern == "*" && i == len(p.words)-1 {
			return true
		}
		if i >= len(words) || !wildcard(pattern, words[i]) {
			return false
		}
	}
	return len(words) == len(p.words)
}

// wildcard reports whether a pattern with * and ? matches a text, in linear time for each
// star.
func wildcard(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			p, mark = star+1, mark+1
			t = mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// EditPattern is a value of --allow-edit: a path in the working folder with *, ? and **.
type EditPattern struct {
	Text string
	glob loader.Glob
}

// ParseEditPattern parses a pattern such as "docs/**" or "*.md". The error is a
// *fault.Error.
func ParseEditPattern(text string) (EditPattern, error) {
	g, ok := loader.ParseGlob(text)
	if !ok {
		return EditPattern{}, &fault.Error{Message: fmt.Sprintf("the pattern %q can never match", text), Hint: "write it like 'docs/**' or '*.md'"}
	}
	return EditPattern{Text: text, glob: g}, nil
}

// Matches reports whether the pattern matches the path of a file in the working folder;
// files elsewhere have absolute paths, which only absolute patterns match.
func (p EditPattern) Matches(name string) bool {
	if strings.HasPrefix(name, "/") != strings.HasPrefix(p.Text, "/") {
		return strings.HasPrefix(p.Text, "/") && p.glob.Match(name, false)
	}
	return p.glob.Match(strings.TrimPrefix(name, "/"), false)
}
