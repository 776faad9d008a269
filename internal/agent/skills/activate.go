package skills

// A skill is loaded by the user, at the start of a prompt or by a flag, or by the model.
// Its content is sent once: if the conversation contains the current text, one sentence
// refers to it.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
)

// ErrUnknownSkill is returned for an unknown skill name; the error that wraps it has a
// hint with the known ones.
var ErrUnknownSkill = errors.New("no such skill")

// loadSkill reads the skill with a name. The error is an ErrUnknownSkill, or the reason
// why the skill is unreadable.
func (p *Provider) loadSkill(ctx context.Context, name string) (*loader.Skill, loader.Contents, error) {
	c, err := p.list(ctx)
	if err != nil {
		return nil, loader.Contents{}, err
	}
	match, similar := loader.Lookup(c.names, name)
	if match == "" {
		hint := "no skill was found; name a folder that holds some with --skills"
		if len(c.names) > 0 {
			hint = offer("skills", c.names, similar)
		}
		return nil, loader.Contents{}, &fault.Error{Message: fmt.Sprintf("skill %q not found", name), Hint: hint, Err: ErrUnknownSkill}
	}
	skill, _ := c.find(match)
	contents, err := contentsOf(ctx, skill)
	if err != nil {
		err = fmt.Errorf("loading skill %q: %w", skill.Name, err)
	}
	return skill, contents, err
}

// activation is a skill that the user has invoked for the next run, or the model loads.
type activation struct {
	name    string
	content string // for the model
	shown   string // for people, without the schemas of scripts
}

// newActivation returns a skill with its text as a session saves it, because invalid
// UTF-8 would not match later.
func (p *Provider) newActivation(s *loader.Skill, c loader.Contents) activation {
	c = p.described(s, c)
	c.Text = filled(s, c.Text)
	return activation{
		name: s.Name, content: string([]rune(prompt.ActivationContent(s, c))), shown: prompt.ShownContent(s, c),
	}
}

// lead returns the sentence that introduces the skill to the model.
func (a activation) lead() string {
	return fmt.Sprintf("The skill '%s' is to be used for this.", shown(a.name))
}

// loadedAlready follows the lead in front of the content.
const loadedAlready = " It is loaded already:\n\n"

// text returns the text of the message with the content.
func (a activation) text() string { return a.lead() + loadedAlready + a.content }

// again returns the result of load_skill if the conversation contains the content.
func (a activation) again() string {
	return fmt.Sprintf("The skill '%s' is loaded already. Its content is above, and has not changed since.", shown(a.name))
}

// activationMessages returns the messages about activated skills: the content, or a
// sentence if the conversation already contains it, as in a continued session. mask
// removes keys from a text, as it did in the conversation.
func activationMessages(conversation []agent.Message, activated []activation, mask func(string) string) []agent.Message {
	var out []agent.Message
	for _, a := range activated {
		text, shown := a.text(), a.lead()+loadedAlready+a.shown
		if a.isCurrent(slices.Concat(conversation, out), mask) {
			text, shown = a.lead()+" Its content is above, and has not changed since.", ""
		}
		out = append(out, agent.Message{Role: agent.User, Source: agent.FromContext, Provider: Name, Text: mask(text), Shown: mask(shown)})
	}
	return out
}

// isCurrent reports whether the last text of the skill in the conversation, from
// load_skill or from an activation, is the content.
func (a activation) isCurrent(conversation []agent.Message, mask func(string) string) (same bool) {
	loads := map[string]bool{} // ids of the calls that load the skill
	content, text, given, again := mask(a.content), mask(a.text()), mask(a.lead()+loadedAlready), mask(a.again())
	for _, m := range conversation {
		for _, call := range m.Calls {
			in, _ := agent.DecodeArguments[loadInput](loadTool, call.Arguments)
			loads[call.ID] = call.Name == loadTool && strings.EqualFold(strings.TrimSpace(in.SkillName), a.name)
		}
		result, _, _ := strings.Cut(m.Text, agent.RepeatNote)
		switch {
		case m.Role == agent.ToolRole && loads[m.CallID] && result != again:
			same = result == content
		case m.Role == agent.User && m.Provider == Name && strings.HasPrefix(m.Text, given):
			same = m.Text == text
		}
	}
	return same
}

// Activate loads a skill for the session's next run, as with --skill: the messages
// after the prompt contain the content of load_skill, or a sentence if the conversation
// already does. The name may differ in case. The note describes the skill's
// allowed-tools for the user, and is "" if there are none.
//
// The error is an [ErrUnknownSkill], or the reason why the skill is unreadable.
func (p *Provider) Activate(ctx context.Context, session *agent.Session, name string) (note string, err error) {
	skill, contents, err := p.loadSkill(ctx, name)
	if err != nil {
		return "", err
	}
	p.opt.OnLoad(skill, contents)
	return p.toolsNote(skill), state().Update(session, func(r *record) error {
		r.activated = append(r.activated, p.newActivation(skill, contents))
		r.note(skill.Name)
		return nil
	})
}

// Invoke loads a skill for the session as [Provider.Activate] does, and returns the text
// for the model: a program that does not see the conversation sends it itself.
func Invoke(ctx context.Context, p *Provider, session *agent.Session, name string) (text string, err error) {
	skill, contents, err := p.loadSkill(ctx, name)
	if err != nil {
		return "", err
	}
	p.opt.OnLoad(skill, contents)
	err = state().Update(session, func(r *record) error {
		r.note(skill.Name)
		return nil
	})
	return p.opt.Mask(p.newActivation(skill, contents).text()), err
}

// toolsNote describes the field: it has no effect, because only the user approves
// tools, or trusts the skill to.
func (p *Provider) toolsNote(skill *loader.Skill) string {
	tools := allowedTools(skill)
	if tools == "" {
		return ""
	}
	effect := "this approves nothing (see --approve)"
	if slices.ContainsFunc(p.opt.Trusted, func(name string) bool { return strings.EqualFold(name, skill.Name) }) {
		effect = "those with a pattern approve what they name (--trust-allowed-tools)"
	}
	return fmt.Sprintf("the skill %s lists allowed-tools: %s; %s", shown(skill.Name), printable.TruncateMiddle(tools, 300), effect)
}

// allowedTools returns the skill's field on one line.
func allowedTools(skill *loader.Skill) string {
	return strings.Join(strings.Fields(skill.AllowedTools), " ")
}

// Mentioned is a prompt split into the skills at its start and the rest.
type Mentioned struct {
	Names []string // unique names of the skills
	Rest  string   // the rest; the whole prompt if there are no skills
	Notes []string // notes for the user
}

// Prompt returns the prompt for the model: the rest, or a request to use the skills.
func (m Mentioned) Prompt() string {
	var quoted []string
	for _, name := range m.Names {
		quoted = append(quoted, "'"+shown(name)+"'")
	}
	switch {
	case m.Rest != "" || len(quoted) == 0:
		return m.Rest
	case len(quoted) == 1:
		return fmt.Sprintf("Do what the skill %s is for, as its instructions say.", quoted[0])
	}
	return fmt.Sprintf("Do what the skills %s are for, in this order, as their instructions say.", strings.Join(quoted, ", "))
}

// Mention splits skills off a prompt that begins with /name, or several of them. A name
// may differ in case if it is unambiguous. A path is part of the rest. The error has a
// hint: the name is unknown, which is an ErrUnknownSkill, or only the
// model may invoke the skill.
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
	for ; ok && !strings.ContainsAny(word, `/\`); word, rest, ok = mention(m.Rest) { // a path is not a name
		name, similar := loader.Lookup(c.names, word)
		if name == "" {
			if err := unknownMention(word, similar); err != nil {
				return m, err
			}
			break
		}
		if skill, _ := c.find(name); skill.NotUser {
			return m, &fault.Error{
				Message: fmt.Sprintf("/%s cannot be invoked by the user (user-invocable: false)", skill.Name),
				Hint:    fmt.Sprintf("remove /%s: the model loads the skill when a task calls for it; --skill %[1]s loads it at once", skill.Name),
			}
		}
		if name != word {
			m.Notes = append(m.Notes, fmt.Sprintf("/%s means the skill %s", shown(word), shown(name)))
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
	word = text
	if end := strings.IndexAny(text, space); end >= 0 {
		word, rest = text[:end], strings.TrimSpace(text[end:])
	}
	return word, rest, ok && word != ""
}

// unknownMention returns the error for a word that looks like a name, or nil for a
// path.
func unknownMention(word string, similar []string) error {
	if strings.ContainsFunc(word, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return nil
	}
	const asText = "pass --no-slash to send the prompt as text"
	hint := asText
	if len(similar) > 0 {
		hint = "did you mean /" + shown(similar[0]) + "? " + asText
	}
	return &fault.Error{Message: fmt.Sprintf("/%s: no skill has this name", shown(word)), Hint: hint, Err: ErrUnknownSkill}
}
