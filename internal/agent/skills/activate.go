package skills

import (
	"context"
	"errors"
	"fmt"

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
func (c *catalogue) unknown(name string, near []string) error {
	if len(c.names) == 0 {
		return &unknownSkill{name, "no skill was found; name a folder that holds some with --skills"}
	}
	return &unknownSkill{name, offer("skills", c.names, near)}
}

// Activate loads a skill for the next run of the session, as a person asks for
// it with --skill: the model finds the content of load_skill among the messages
// after the prompt. It returns that message. The name may differ in case.
//
// The error is an [ErrUnknownSkill], or says why the skill cannot be read.
func (p *Provider) Activate(ctx context.Context, session *agent.Session, name string) (agent.Message, error) {
	c, err := p.list(ctx)
	if err != nil {
		return agent.Message{}, err
	}
	match, near := loader.Lookup(c.names, name)
	if match == "" {
		return agent.Message{}, c.unknown(name, near)
	}
	skill, _ := c.find(match)
	contents, err := contentsOf(ctx, skill)
	if err != nil {
		return agent.Message{}, fmt.Errorf("loading skill %q: %w", skill.Name, err)
	}
	message := agent.Message{
		Role: agent.User, Source: agent.FromContext, Provider: Name,
		Text: fmt.Sprintf("The skill '%s' is to be used for this. It is loaded already:\n\n%s", shown(skill.Name), prompt.ActivationContent(skill, contents)),
	}
	err = state().Update(session, func(r *record) error {
		r.activated = append(r.activated, message)
		return nil
	})
	if err != nil {
		return agent.Message{}, err
	}
	_, err = noteLoaded(session, skill.Name)
	return message, err
}
