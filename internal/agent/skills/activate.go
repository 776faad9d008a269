package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/prompt"
)

// ErrUnknownSkill says that there is no skill of a name; the error that wraps
// it has a method Hint() string with those there are.
var ErrUnknownSkill = errors.New("no such skill")

// unknownSkill is an ErrUnknownSkill with its name and a hint.
type unknownSkill struct{ name, hint string }

func (e *unknownSkill) Error() string { return fmt.Sprintf("skill %q not found", e.name) }
func (e *unknownSkill) Unwrap() error { return ErrUnknownSkill }

// Hint lists the skills there are and the nearest name, or says how to have
// some.
func (e *unknownSkill) Hint() string { return e.hint }

// unknown is the error for a name that none of the skills has.
func (c *catalogue) unknown(name string, similar []string) error {
	if len(c.names) == 0 {
		return &unknownSkill{name, "no skill was found; name a folder that holds some with --skills"}
	}
	return &unknownSkill{name, offer("skills", c.names, similar)}
}

// activation is a skill that a person has called, waiting for the run to begin.
type activation struct{ name, content string }

// lead is how the model is introduced to it.
func (a activation) lead() string {
	return fmt.Sprintf("The skill '%s' is to be used for this.", shown(a.name))
}

// given begins the message that has the content behind it.
func (a activation) given() string { return a.lead() + " It is loaded already:\n\n" }

func (a activation) message(text string) agent.Message {
	return agent.Message{Role: agent.User, Source: agent.FromContext, Provider: Name, Text: text}
}

// activationMessages returns what the model reads about activated skills: the content, or
// where the conversation holds it already, as in a session that is continued,
// a sentence that says so. mask takes keys out of a text, as it did with those
// of the conversation; nil takes nothing out.
func activationMessages(conversation []agent.Message, activated []activation, mask func(string) string) []agent.Message {
	if mask == nil {
		mask = func(text string) string { return text }
	}
	var out []agent.Message
	for _, a := range activated {
		text := mask(a.given() + a.content)
		if a.isCurrent(slices.Concat(conversation, out), text, mask(a.given())) {
			text = mask(a.lead() + " Its content is above, and has not changed since.")
		}
		out = append(out, a.message(text))
	}
	return out
}

// isCurrent reports whether the last content of the skill in a conversation, which
// load_skill may have given as well, is that at the end of text. given begins
// the message of an activation.
func (a activation) isCurrent(conversation []agent.Message, text, given string) bool {
	calls := map[string]bool{} // of load_skill, for this skill
	same := false
	for _, m := range conversation {
		for _, call := range m.Calls {
			var in loadInput
			if call.Name == loadTool && json.Unmarshal([]byte(call.Arguments), &in) == nil && strings.EqualFold(in.SkillName, a.name) {
				calls[call.ID] = true
			}
		}
		switch {
		case m.Role == agent.ToolRole && m.Name == loadTool:
			if found := m.Text != "" && strings.HasSuffix(text, "\n\n"+m.Text); found || calls[m.CallID] {
				same = found
			}
		case m.Role == agent.User && m.Provider == Name && strings.HasPrefix(m.Text, given):
			same = m.Text == text
		}
	}
	return same
}

// Activate loads a skill for the next run of the session, as a person asks for
// it with --skill: the model finds the content of load_skill among the messages
// after the prompt, or where the conversation has it already, that it is
// there. It returns the message with the content. The name may differ in case.
//
// The error is an [ErrUnknownSkill], or says why the skill cannot be read.
func (p *Provider) Activate(ctx context.Context, session *agent.Session, name string) (agent.Message, error) {
	c, err := p.list(ctx)
	if err != nil {
		return agent.Message{}, err
	}
	match, similar := loader.Lookup(c.names, name)
	if match == "" {
		return agent.Message{}, c.unknown(name, similar)
	}
	skill, _ := c.find(match)
	contents, err := contentsOf(ctx, skill)
	if err != nil {
		return agent.Message{}, fmt.Errorf("loading skill %q: %w", skill.Name, err)
	}
	// As a session keeps it: what is no UTF-8 would not be found again.
	a := activation{skill.Name, string([]rune(prompt.ActivationContent(skill, contents)))}
	err = state().Update(session, func(r *record) error {
		r.activated = append(r.activated, a)
		return nil
	})
	if err != nil {
		return agent.Message{}, err
	}
	_, err = noteLoaded(session, skill.Name)
	return a.message(a.given() + a.content), err
}
