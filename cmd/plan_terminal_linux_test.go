package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestPlanAtTerminal has a plan made again for a reason, changes it in an editor, and
// approves it; then the work begins. Another plan is turned down.
func TestPlanAtTerminal(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("1. Touch it."), openaitest.Do(touchCall("c0", "0")), openaitest.Text("1. Touch two."),
		openaitest.Do(touchCall("c1", "1")), openaitest.Text("over"), openaitest.Text("1. Nothing."))
	editor := filepath.Join(t.TempDir(), "editor")
	must(t, os.WriteFile(editor, []byte("#!/bin/sh\necho '2. Check it.' >>\"$1\"\n"), 0o755))
	c := openConsole(t, server, nil, "env", "VISUAL="+editor, "skills", "run", "--plan", "-y", "--sandbox", "off", "go")
	const question, changed = "Carry out this plan? [y]es  [e]dit  [n]o  (n REASON asks for another): ", "Carry out the changed plan? [y]es  [e]dit  [n]o  (n REASON asks for another): "
	c.until(question, 1)
	c.kind("n")
	c.until("Reason for the model", 1)
	c.kind("touch two\n")
	c.until(question, 2)
	c.kind("?")
	c.until("  e  change it in $VISUAL or $EDITOR", 1)
	c.until(question, 3)
	c.kind("e")
	c.until(changed, 1)
	c.kind("y")
	screen, code := c.end()
	for _, want := range []string{"the plan is not approved: touch two", "denied by policy", "the plan is approved with changes", "approved: --approve always\n", "over\n"} {
		if code != 0 || !strings.Contains(screen, want) {
			t.Errorf("exit code %d, %q is missing on the screen\n%s", code, want, screen)
		}
	}
	requests := server.Requests()
	if last := requests[3].Messages; !strings.Contains(last[len(last)-1].Text, "Carry out this plan now:\n\n1. Touch two.\n2. Check it.") {
		t.Errorf("the model got %q", last[len(last)-1].Text)
	}
	no := atConsole(t, server, nil, "run", "--plan", "go")
	no.until(question, 1)
	no.kind("n")
	no.until("Reason for the model", 1)
	no.kind("\n")
	if screen, code := no.end(); code != 0 || !strings.Contains(screen, "nothing was run or changed") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}
