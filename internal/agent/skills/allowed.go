package skills

import (
	"context"
	"fmt"
	"strings"

	"skills/internal/loader"
	"skills/internal/printable"
)

// AllowedTools returns what a skill's allowed-tools asks for, in words for the
// person at the run, "" where it asks for nothing. The name may differ in case.
func (p *Provider) AllowedTools(ctx context.Context, name string) (string, error) {
	c, err := p.list(ctx)
	if err != nil {
		return "", err
	}
	match, similar := loader.Lookup(c.names, name)
	if match == "" {
		return "", c.unknown(name, similar)
	}
	skill, _ := c.find(match)
	return toolsNote(skill), nil
}

// toolsNote describes the field: a skill can ask, and the person decides.
func toolsNote(skill *loader.Skill) string {
	if blank(skill.AllowedTools) {
		return ""
	}
	return fmt.Sprintf("the skill %s asks to use: %s; that allows nothing by itself, --approve decides on its scripts",
		shown(skill.Name), brief(skill.AllowedTools))
}

// brief is a field's text on one line, and not too long.
func brief(text string) string {
	return printable.TruncateMiddle(strings.Join(strings.Fields(text), " "), 300)
}
