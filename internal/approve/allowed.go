package approve

// A skill's allowed-tools name commands and changes that it needs. What an entry matches is
// shown in the prompt, and approves nothing. For skills that the user trusts, entries with a
// pattern approve like --allow-command and --allow-edit; one without a pattern never does.

import (
	"slices"
	"strings"

	"skills/internal/agent"
)

// entry is one of the tools that a skill's allowed-tools name.
type entry struct {
	text, tool, pattern string // Bash(git:*), Bash, git:*
}

// splitAllowed splits a value of allowed-tools at blanks and commas outside parentheses.
func splitAllowed(text string) (all []entry) {
	depth, start := 0, 0
	add := func(end int) {
		word := strings.TrimSpace(text[start:end])
		start = end + 1
		if word == "" {
			return
		}
		e := entry{text: word, tool: word}
		tool, pattern, ok := strings.Cut(word, "(")
		inner, closed := strings.CutSuffix(pattern, ")")
		if ok && closed {
			e.tool, e.pattern = tool, strings.TrimSpace(inner)
		}
		all = append(all, e)
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth = max(depth-1, 0)
		case depth == 0 && strings.IndexByte(" ,\t\r\n", c) >= 0:
			add(i)
		}
	}
	add(len(text))
	return all
}

// command returns the pattern of an entry for commands; ok is false if it has none.
func (e entry) command() (p CommandPattern, ok bool) {
	if e.tool != "Bash" || e.pattern == "" {
		return p, false
	}
	text := e.pattern
	if words, prefix := strings.CutSuffix(text, ":*"); prefix {
		text = words + " *"
	}
	p, err := parseWords(text)
	return p, err == nil
}

// matches reports whether the entry names a part of an action: the words of one of its
// commands, or nil for a change of a file. narrow is true if it does so by a pattern.
func (e entry) matches(action agent.Summary, words []string) (is, narrow bool) {
	if action.Kind == agent.KindCommand {
		p, ok := e.command()
		return ok && p.matchesWords(words) || e.text == "Bash", ok
	}
	if !slices.Contains([]string{"Edit", "Write", "MultiEdit"}, e.tool) {
		return false, false
	}
	if e.pattern == "" {
		return e.text == e.tool, false
	}
	p, err := ParseEditPattern(e.pattern)
	return err == nil && p.Matches(action.Name), true
}

// rule is what the allowed-tools of a skill say about an action.
type rule struct {
	skill   string
	entries []string
	narrow  bool // all by a pattern
}

// rules returns the rules of loaded skills that name all of an action. Those of a skill say
// nothing about a command in the folder of another one, whose files are not its own.
func rules(a *agent.Approval) (all []rule) {
	isCommand := a.Action.Kind == agent.KindCommand
	if isCommand && (a.Opaque != "" || len(a.Parts) == 0) {
		return nil
	}
	parts := a.Parts
	if !isCommand {
		parts = [][]string{nil}
	}
	for _, skill := range a.Allowed {
		if a.Action.Owner != "" && a.Action.Owner != skill.Skill {
			continue
		}
		r, whole := rule{skill: skill.Skill, narrow: true}, true
		entries := splitAllowed(skill.Tools)
		for _, words := range parts {
			found := false
			for _, e := range entries { // one with a pattern counts more
				is, narrow := e.matches(a.Action, words)
				if is && narrow {
					found = r.add(e.text)
					break
				}
			}
			if found {
				continue
			}
			i := slices.IndexFunc(entries, func(e entry) bool { is, _ := e.matches(a.Action, words); return is })
			if i < 0 {
				whole = false
				break
			}
			r.narrow = false
			r.add(entries[i].text)
		}
		if whole {
			all = append(all, r)
		}
	}
	return all
}

// add adds an entry once, and returns true.
func (r *rule) add(text string) bool {
	if !slices.Contains(r.entries, text) {
		r.entries = append(r.entries, text)
	}
	return true
}

// trusted returns the flag that lets the rules of a skill approve an action, or "".
func (p *Policy) trusted(a *agent.Approval) string {
	for _, r := range rules(a) {
		if r.narrow && slices.ContainsFunc(p.opt.Trusted, func(name string) bool { return strings.EqualFold(name, r.skill) }) {
			return "--trust-allowed-tools " + r.skill
		}
	}
	return ""
}

// ruleFacts shows the rules of skills that name an action.
func ruleFacts(r Request) (notes []fact) {
	for _, rule := range rules(r.Approval) {
		notes = append(notes, valueFact("note", "allowed-tools of "+Quote(rule.skill)+": "+Quote(strings.Join(rule.entries, " "))))
	}
	return notes
}
