package skills

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"skills/internal/loader"
)

// Mentioned is a prompt taken apart: the skills it names at its start, and what
// is asked.
type Mentioned struct {
	Names []string // each once, as the skills are called
	Rest  string   // what follows; all of the prompt where it names none
	Notes []string // what the person who wrote it should know
}

// Prompt is what the model is asked: the rest, or, where nothing but names was
// given, to do what the skills are for.
func (m Mentioned) Prompt() string {
	switch {
	case m.Rest != "" || len(m.Names) == 0:
		return m.Rest
	case len(m.Names) == 1:
		return fmt.Sprintf("Do what the skill '%s' is for, as its instructions say.", shown(m.Names[0]))
	}
	var quoted []string
	for _, name := range m.Names {
		quoted = append(quoted, "'"+shown(name)+"'")
	}
	return fmt.Sprintf("Do what the skills %s are for, in this order, as their instructions say.", strings.Join(quoted, ", "))
}

// Mention takes the skills off the start of a prompt that begins with /name,
// or several of them in a row. A name may differ in case where no other skill
// could be meant. A path stays in the text with everything behind it. The error
// has a method Hint() string: a name of no skill, which is an ErrUnknownSkill,
// or a skill whose author lets only the model call it.
func (p *Provider) Mention(ctx context.Context, text string) (Mentioned, error) {
	m := Mentioned{Rest: text}
	word, rest, ok := mention(text)
	if !ok {
		return m, nil
	}
	c, err := p.list(ctx)
	if err != nil {
		return m, err
	}
	for ; ok && !strings.ContainsAny(word, `/\`); word, rest, ok = mention(m.Rest) { // a path is no name
		name, similar := loader.Lookup(c.names, word)
		if name == "" {
			if err := unknownMention(word, similar); err != nil {
				return m, err
			}
			break
		}
		if skill, _ := c.find(name); skill.NotUser {
			return m, &hintedError{
				text: fmt.Sprintf("/%s: the skill is for the model to call (its author wrote user-invocable: false)", skill.Name),
				hint: fmt.Sprintf("leave /%s out: the model loads the skill when a task calls for it; --skill %[1]s loads it at once", skill.Name),
			}
		}
		if name != word {
			m.Notes = append(m.Notes, fmt.Sprintf("/%s is taken for the skill %s", shown(word), shown(name)))
		}
		if !slices.Contains(m.Names, name) {
			m.Names = append(m.Names, name)
		}
		m.Rest = rest
	}
	return m, nil
}

// mention splits off a first word that begins with a slash.
func mention(text string) (word, rest string, ok bool) {
	const space = " \t\r\n"
	text, ok = strings.CutPrefix(strings.TrimLeft(text, space), "/")
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(text, space)
	if end < 0 {
		end = len(text)
	}
	return text[:end], strings.TrimSpace(text[end:]), end > 0
}

// unknownMention is the error for a word that can only be meant as a skill's
// name; nil for what looks like a path.
func unknownMention(word string, similar []string) error {
	if strings.ContainsFunc(word, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return nil
	}
	const asText = "pass --no-slash to send the prompt as text"
	hint := asText
	if len(similar) > 0 {
		hint = "did you mean /" + shown(similar[0]) + "? " + asText
	}
	return &hintedError{fmt.Sprintf("/%s: no skill has this name", shown(word)), hint, ErrUnknownSkill}
}
