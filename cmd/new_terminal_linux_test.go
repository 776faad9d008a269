package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestNewAsks checks that at a terminal new prompts for the description, but not for a
// skill that exists.
func TestNewAsks(t *testing.T) {
	t.Parallel()
	const prompt = "when should an agent use it? "
	server := openaitest.New(t)
	for _, tt := range []struct {
		name, keys, want string
		code             int
	}{
		{"fine", "Fills forms. Use when asked.\r", "\nCreated skills/fine/SKILL.md\n\nNext:\n  Replace", exitFine},
		{"empty", "\x04", "\nCreated skills/empty/SKILL.md\n\nNext:\n  Write the description", exitFine},
		{"stopped", "\x03", "\nerror: interrupted", 130},
		{"touch", "", "error: skills/touch exists\n", exitUsage},
	} {
		c := atConsole(t, server, nil, "new", tt.name)
		if tt.keys != "" {
			c.until(prompt, 1)
			c.kind(tt.keys)
		}
		screen, code := c.end()
		if code != tt.code || !strings.Contains(screen, tt.want) || strings.Contains(screen, prompt) != (tt.keys != "") {
			t.Errorf("%s: exit code %d, screen\n%s", tt.name, code, screen)
		}
		text, err := os.ReadFile(filepath.Join(c.cmd.Dir, "skills", tt.name, "SKILL.md"))
		if created := err == nil && tt.name != "touch"; created != (tt.code == exitFine) {
			t.Errorf("%s: created is %v", tt.name, created)
		}
		if tt.name == "fine" && !strings.Contains(string(text), "\ndescription: Fills forms. Use when asked.\n") {
			t.Errorf("got\n%s", text)
		}
	}
}
