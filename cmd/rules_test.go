package cmd

import (
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/list"
)

// TestTableWidth checks that tables fit a terminal and are not cut elsewhere.
func TestTableWidth(t *testing.T) {
	rows := []list.Skill{{Name: "a-skill", Description: strings.Repeat("Does 技能 and more. ", 20), State: list.StateShadowed, ShadowedBy: "skills/another-folder"}}
	for _, width := range []int{0, 60, 80, 120} {
		var list, all strings.Builder
		must(t, printRows(&list, rows, width))
		must(t, listRules(&all, width))
		for line := range strings.Lines(list.String() + all.String()) {
			if n := lipgloss.Width(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		if narrow := width == 60; strings.Contains(list.String(), "DESCRIPTION") == narrow {
			t.Errorf("at %d columns:\n%s", width, list.String())
		}
		if whole := strings.Contains(all.String(), "(specification, "); whole != (width == 0) {
			t.Errorf("at %d columns: sources are %v", width, whole)
		}
		if !strings.Contains(all.String(), "SKILL.md") || !strings.Contains(list.String(), "a-skill") {
			t.Errorf("at %d columns:\n%s%s", width, list.String(), all.String())
		}
	}
}
