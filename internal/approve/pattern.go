package approve

// Patterns are the values of --allow-script, --allow-tool, --allow-command and --allow-edit.
// Each names whose thing it approves, never more than a person would read in it: a skill's
// script or command with the skill, a command or a file without one in the working folder.

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/fault"
	"skills/internal/lazyregexp"
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
			Hint:    patternHint(strings.Trim(text, "/"), owner, part),
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

// patternHint says how a pattern is written that names only one component.
func patternHint(text, owner, part string) string {
	if strings.Trim(text, "*") == "" {
		return fmt.Sprintf("write %s/%s: '*/*' for all %ss of every %s, or name one, as in '%[1]s/*'", owner, part, part, owner)
	}
	return fmt.Sprintf("write %s/%s, for example '%s/*' for all %ss of a %s", owner, part, text, part, owner)
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

// CommandPattern is a value of --allow-command: words with * and ?, for commands in the working
// folder, or after "SKILL:" for those in the folder of a skill.
type CommandPattern struct {
	Text  string
	skill string // a pattern too; "" for the working folder
	words []string
}

// skillPrefix matches the name of a skill, or a pattern of names, before the program.
var skillPrefix = lazyregexp.New(`^\s*([^\s:/.]+):`)

// ParseCommandPattern parses a pattern such as "git status", "npx eslint@* *" or
// "release:make *". The error is a *fault.Error.
func ParseCommandPattern(text string) (CommandPattern, error) {
	skill, words := "", text
	if match := skillPrefix().FindStringSubmatch(text); match != nil {
		skill, words = match[1], text[len(match[0]):]
	}
	p, err := parseWords(words)
	p.Text, p.skill = text, skill
	if err != nil && skill != "" {
		return p, &fault.Error{
			Message: fmt.Sprintf("the pattern %q names no program for the folder of the skill %s", text, skill),
			Hint:    fmt.Sprintf("write '%s *' for the program %s, or '%s:PROGRAM *' for a program in the folder of that skill", skill, skill, skill),
		}
	}
	return p, err
}

// parseWords parses a pattern without the name of a skill.
func parseWords(text string) (CommandPattern, error) {
	p := CommandPattern{Text: text, words: strings.Fields(text)}
	if len(p.words) == 0 {
		return p, &fault.Error{Message: "the pattern is empty", Hint: "write a command, such as 'git status' or 'npm test *'"}
	}
	if strings.Trim(p.words[0], "*?") == "" {
		return p, &fault.Error{Message: fmt.Sprintf("the pattern %q allows every program", text), Hint: "name the program, or pass -y to approve everything"}
	}
	return p, nil
}

// Matches reports whether the pattern matches the words of one command in the folder of a
// skill, or in the working folder if skill is "".
func (p CommandPattern) Matches(skill string, words []string) bool {
	if (p.skill == "") != (skill == "") || !wildcard(p.skill, skill) {
		return false
	}
	return p.matchesWords(words)
}

// matchesWords compares word by word, where * matches any characters, also slashes. A last
// word * matches any number of words.
func (p CommandPattern) matchesWords(words []string) bool {
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

// commandPattern returns a pattern that matches a command; ok is false if there is none.
func commandPattern(skill string, words []string) (text string, ok bool) {
	var all []string
	for _, word := range words {
		var b strings.Builder
		for _, c := range word {
			if unicode.IsSpace(c) {
				b.WriteString(strings.Repeat("?", utf8.RuneLen(c)))
				continue
			}
			b.WriteRune(c)
		}
		all = append(all, b.String())
	}
	last := len(all) - 1
	if all[last] == "*" { // would match any words
		all[last] = "?"
	}
	text = strings.Join(all, " ")
	if skill != "" {
		text = skill + ":" + text
	}
	p, err := ParseCommandPattern(text)
	return text, err == nil && p.Matches(skill, words)
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
