package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// atShell is a shell with job control at a terminal of its own.
func atShell(t *testing.T, server *openaitest.Server) *terminalRun {
	t.Helper()
	c := openConsole(t, server, nil, "sh", "-i")
	c.until("ready$ ", 1)
	return c
}

// leave ends the shell, and returns what was shown.
func (c *terminalRun) leave() string {
	c.t.Helper()
	c.kind("exit\n")
	screen, _ := c.end()
	return screen
}

// toolResult is the result of a call that a request carries.
func toolResult(server *openaitest.Server, request int, id string) string {
	for _, m := range server.Requests()[request].Messages {
		if m.Role == "tool" && m.CallID == id {
			text, _, _ := strings.Cut(m.Text, "\n\n<context>\n")
			return text
		}
	}
	return ""
}

const inBackground = "Tool call invocation rejected. scripts need approval and no one is available: the run is in the background"

// TestBackground starts a run in the background of a terminal: it does not prompt, is
// not stopped, and draws nothing over the shell while it waits.
func TestBackground(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")), openaitest.Reply{Status: 503, Headers: map[string]string{"Retry-After": "1"}}, openaitest.Text("over"))
	c := atShell(t, server)
	c.kind("skills run go &\n")
	c.until("over\r\n", 1)
	screen := c.leave()
	if strings.Contains(c.shown.String(), "waiting for the-model · ") || strings.Contains(screen, "wants to run") {
		t.Errorf("the screen is\n%s", screen)
	}
	if got := toolResult(server, 1, "c1"); got != inBackground {
		t.Errorf("the result was %q", got)
	}
}

// TestBackgroundAndForeground moves a run between background and foreground: each prompt
// checks where it is.
func TestBackgroundAndForeground(t *testing.T) {
	t.Parallel()
	first, second := make(chan struct{}), make(chan struct{})
	back := openaitest.Do(touchCall("c2", "2"))
	back.Gate = second
	away := openaitest.Do(touchCall("c1", "1"))
	away.Gate = first
	server := openaitest.New(t, away, back, openaitest.Text("over"))
	c := atShell(t, server)
	c.kind("skills run go\n")
	c.until("waiting for the-model · ", 1)
	c.kind("\x1a")
	c.until("ready$ ", 2)
	c.kind("bg\n")
	c.until("ready$ ", 3)
	close(first)
	c.until("denied by policy", 1)
	waited := strings.Count(c.written(), "waiting for the-model · ")
	c.kind("fg\n")
	c.until("waiting for the-model · ", waited+1)
	close(second)
	c.until(promptEnd, 1)
	c.kind("y\n")
	c.until("over\r\n", 1)
	c.leave()
	if got := toolResult(server, 1, "c1"); got != inBackground {
		t.Errorf("in the background the result was %q", got)
	}
	if got := toolResult(server, 2, "c2"); !strings.Contains(got, "touched") {
		t.Errorf("in the foreground the result was %q", got)
	}
}

// TestBackgroundAtPrompt stops a run at its prompt: in the foreground it prompts again, in
// the background no user is available.
func TestBackgroundAtPrompt(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")), openaitest.Do(touchCall("c2", "2")), openaitest.Text("over"))
	c := atShell(t, server)
	c.kind("skills run go\n")
	c.until(promptEnd, 1)
	c.kind("\x1a")
	c.until("ready$ ", 2)
	c.kind("fg\n")
	c.until(promptEnd, 2)
	c.kind("y\n")
	c.until(promptEnd, 3)
	c.kind("\x1a")
	c.until("ready$ ", 3)
	c.kind("bg\n")
	c.until("over\r\n", 1)
	screen := c.leave()
	if got := toolResult(server, 1, "c1"); !strings.Contains(got, "touched") {
		t.Errorf("brought back, the result was %q", got)
	}
	if got := toolResult(server, 2, "c2"); got != inBackground || strings.Count(screen, promptEnd) != 3 {
		t.Errorf("in the background the result was %q, screen\n%s", got, screen)
	}
	if _, err := os.Stat(filepath.Join(c.cmd.Dir, "ran2")); err == nil {
		t.Error("the script ran")
	}
}
