package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestEvalProgress checks that a running case, the overall bar and the tokens are shown at
// a terminal while a slow model is awaited, and that nothing of it is left at the end.
func TestEvalProgress(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "colors")
	filetest.Write(t, dir, map[string]string{
		"SKILL.md":         "---\nname: colors\ndescription: Knows colors. Use when asked for a color.\n---\nRed is carmine.\n",
		"evals/evals.json": `{"skill_name":"colors","evals":[{"id":7,"prompt":"What is red?","expected_output":"red","assertions":[{"name":"red","type":"contains","value":"red"}]}]}`,
	})
	plan := atConsole(t, openaitest.New(t), nil, "eval", "--dry-run", "-m", "a-model-with-a-rather-long-name-of-two-words", dir)
	if screen, code := plan.end(); code != 0 || !strings.Contains(screen, "  requests: at most 246 to a-model-with-a-rather-long-name-of-two-words and 0 to\n    the judge, without retries\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	gate := make(chan struct{})
	server := openaitest.New(t, openaitest.Reply{Text: "red", Gate: gate})
	c := atConsole(t, server, nil, "eval", "--runs", "1", "--baseline", "none", dir)
	c.until("0/1 runs · ", 1)
	c.until("s · 0 tokens", 1)
	c.until("  7 · with_skill · run 1 · turn 1 · ", 1)
	close(gate)
	screen, code := c.end()
	if code != 0 || strings.Contains(screen, "0/1 runs") || !strings.Contains(screen, "mean score 1.00") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}
