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
