package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestAnswerAfterRun ends a run at its first question, and answers at a terminal: Ctrl-C
// and a closed terminal are no answers, so that the call goes on waiting.
func TestAnswerAfterRun(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1"), touchCall("c2", "2")), openaitest.Text("over"))
	session := filepath.Join(t.TempDir(), "s.jsonl")
	later := atConsole(t, server, nil, "run", "--approve", "later", "--session", session, "go")
	if screen, code := later.end(); code != 3 || strings.Contains(screen, promptEnd) {
		t.Fatalf("exit code %d, screen\n%s", code, screen)
	}
	interrupted := atConsole(t, server, nil, "run", "--session", session)
	interrupted.until(promptEnd, 1)
	interrupted.kind("\x03")
	if screen, code := interrupted.end(); code != 130 || !strings.Contains(screen, "waiting for an approval (call c1)") {
		t.Fatalf("exit code %d, screen\n%s", code, screen)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests before the answer", n)
	}
	c := atConsole(t, server, nil, "run", "--session", session)
	for i, keys := range []string{"y", "n"} { // one at a time
		c.until(promptEnd, i+1)
		if ran, _ := filepath.Glob(filepath.Join(c.cmd.Dir, "ran*")); len(ran) != i {
			t.Errorf("before answer %d ran %v", i+1, ran)
		}
		c.kind(keys)
		if keys == "n" {
			c.until("Reason for the model", 1)
			c.kind("\n")
		}
	}
	screen, code := c.end()
	if code != 0 || !strings.Contains(screen, "over\n") || !strings.Contains(screen, "denied by user: the user answered no\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}

// TestStandingAnswers approves everything of a skill for the session, and then the same
// arguments for a run.
func TestStandingAnswers(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1"), touchCall("c2", "2")), openaitest.Text("over"),
		openaitest.Do(touchCall("c3", "3")), openaitest.Text("over"))
	session := filepath.Join(t.TempDir(), "s.jsonl")
	c := atConsole(t, server, nil, "run", "--session", session, "--approve-load", "go")
	c.until(promptEnd, 1)
	c.kind("a")
	c.until("Which? (Enter: 2, q: back) ", 1)
	c.kind("q") // back
	c.until(promptEnd, 2)
	c.kind("a")
	c.until("Which? (Enter: 2, q: back) ", 2)
	c.kind("3")
	c.until("For this [r]un or this [s]ession? ", 1)
	c.kind("s")
	screen, code := c.end()
	for _, want := range []string{"  1  this script with these arguments\n  2  this script\n  3  everything of this skill\n", " approved by user: approved for the rest of the session\n"} {
		if code != 0 || !strings.Contains(screen, want) {
			t.Errorf("exit code %d, %q is missing on the screen\n%s", code, want, screen)
		}
	}
	later := atConsole(t, server, nil, "run", "--session", session, "go")
	if screen, code := later.end(); code != 0 || !strings.Contains(screen, "approved for the rest of the session\n") || strings.Contains(screen, promptEnd) {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}
