package skills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
)

// ErrUnknownSkill says that there is no skill of a name; the error that wraps
// it has a method Hint() string with those there are.
var ErrUnknownSkill = errors.New("no such skill")

// hintedError is an error of a kind, with what to do about it.
type hintedError struct {
	text, hint string
	kind       error // or nil
}

func (e *hintedError) Error() string { return e.text }
func (e *hintedError) Unwrap() error { return e.kind }

// Hint says what to do.
func (e *hintedError) Hint() string { return e.hint }

// skill lists the skills and returns the one of a name. The error of a name that
// none has is an ErrUnknownSkill.
func (p *Provider) skill(ctx context.Context, name string) (*loader.Skill, error) {
	c, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	match, similar := loader.Lookup(c.names, name)
	if match != "" {
		skill, _ := c.find(match)
		return skill, nil
	}
	hint := "no skill was found; name a folder that holds some with --skills"
	if len(c.names) > 0 {
		hint = offer("skills", c.names, similar)
	}
	return nil, &hintedError{fmt.Sprintf("skill %q not found", name), hint, ErrUnknownSkill}
}

// loadSkill returns the skill of a name and what it contains.
func (p *Provider) loadSkill(ctx context.Context, name string) (*loader.Skill, loader.Contents, error) {
	skill, err := p.skill(ctx, name)
	if err != nil {
		return nil, loader.Contents{}, err
	}
	contents, err := contentsOf(ctx, skill)
	if err != nil {
		err = fmt.Errorf("loading skill %q: %w", skill.Name, err)
	}
	return skill, contents, err
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
// of the conversation.
func activationMessages(conversation []agent.Message, activated []activation, mask func(string) string) []agent.Message {
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

// isCurrent reports whether the conversation ends up with the content at the end
// of text, which load_skill may have given as well. given begins the message of
// an activation.
func (a activation) isCurrent(conversation []agent.Message, text, given string) (same bool) {
	for _, m := range conversation {
		switch {
		case m.Role == agent.ToolRole && m.Name == loadTool:
			same = same || m.Text != "" && strings.HasSuffix(text, "\n\n"+m.Text)
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
	skill, contents, err := p.loadSkill(ctx, name)
	if err != nil {
		return agent.Message{}, err
	}
	// As a session saves it: invalid UTF-8 would not be found again.
	a := activation{skill.Name, string([]rune(prompt.ActivationContent(skill, contents)))}
	err = state().Update(session, func(r *record) error {
		r.activated = append(r.activated, a)
		r.note(skill.Name)
		return nil
	})
	return a.message(a.given() + a.content), err
}

// AllowedTools returns what a skill's allowed-tools asks for, in words for the
// person at the run, "" where it asks for nothing. The name may differ in case.
func (p *Provider) AllowedTools(ctx context.Context, name string) (string, error) {
	skill, err := p.skill(ctx, name)
	if err != nil {
		return "", err
	}
	return toolsNote(skill), nil
}

// toolsNote describes the field: a skill can ask, and the person decides.
func toolsNote(skill *loader.Skill) string {
	if blank(skill.AllowedTools) {
		return ""
	}
	return fmt.Sprintf("the skill %s asks to use: %s; that allows nothing by itself, --approve decides on its scripts",
		shown(skill.Name), printable.TruncateMiddle(strings.Join(strings.Fields(skill.AllowedTools), " "), 300))
}
