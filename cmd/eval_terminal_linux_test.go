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

// TestTriggerInterrupt checks that Ctrl-C ends a measurement with exit code 130 and how to go
// on, and that the same command repeats only the run that was interrupted.
func TestTriggerInterrupt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "colors")
	filetest.Write(t, dir, map[string]string{
		"SKILL.md":            "---\nname: colors\ndescription: Knows colors. Use when asked for a color.\n---\nRed is carmine.\n",
		"evals/triggers.json": `[{"query": "draw a cat", "should_trigger": false}]`,
	})
	load := openaitest.Do(openaitest.Call{ID: "c", Name: "load_skill", Arguments: `{"skillName":"colors"}`})
	server := openaitest.New(t, load, openaitest.Text("It knows colors."), openaitest.Reply{Text: "a cat", Gate: make(chan struct{})})
	c := atConsole(t, server, nil, "eval", "trigger", "--runs", "1", "--jobs", "1", dir)
	c.until("draw-a-cat-951355ae · with_skill · run 1 · turn 1 · ", 1)
	c.kind("\x03")
	screen, code := c.end()
	if code != 130 || !strings.Contains(screen, "error: interrupted by SIGINT\nhint: run the same command again to resume it; finished runs are not repeated\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	server.Add(openaitest.Text("a cat"))
	again := atConsole(t, server, nil, "eval", "trigger", "--runs", "1", "--jobs", "1", dir)
	screen, code = again.end()
	if code != 0 || !strings.Contains(screen, "colors: 1 of 2 runs reused\n") || !strings.Contains(screen, "trigger-1/trigger.md") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}
