package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"skills/internal/testing/openaitest"
)

func touchCall(id, argument string) openaitest.Call {
	return openaitest.Call{ID: id, Name: "run_skill_script", Arguments: `{"skillName":"touch","scriptName":"scripts/touch.sh","arguments":["` + argument + `"]}`}
}

// TestApprovalAtTerminal answers prompts like a user.
func TestApprovalAtTerminal(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1"), touchCall("c2", "2"), touchCall("c3", "3")), openaitest.Do(touchCall("c4", "4"), touchCall("c5", "5")), openaitest.Text("over"))
	c := atConsole(t, server, nil, "run", "--parallel", "go")
	for i, keys := range []string{"n not today\n", "y\n", "\x04", "a\n"} {
		c.until(promptEnd, i+1)
		c.mu.Lock()
		n := strings.Count(c.shown.String(), promptEnd)
		c.mu.Unlock()
		if n != i+1 {
			t.Errorf("%d prompts at a time", n-i)
		}
		c.kind(keys)
	}
	c.until("Which? (Enter: 2, q: back) ", 1)
	c.kind("\n")
	screen, code := c.end()
	if code != 0 || strings.Contains(screen, "waiting for") || strings.Contains(screen, "running ") || strings.Count(screen, promptEnd) != 4 {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	for _, want := range []string{
		`  script     "scripts/touch.sh"`, "  arguments  1\n", "/001\"\n", `allowed-tools: "Bash(touch:*)"`, // the text is in internal/approve
		"denied by user: the user answered no: not today\n", " approved by user\n", " approved by user: approved for the rest of the run\n", "over\n",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing on the screen\n%s", want, screen)
		}
	}
	results := map[string]int{}
	for _, m := range server.Requests()[2].Messages {
		switch {
		case m.Role != "tool":
		case strings.HasSuffix(m.Text, "answered no: not today"):
			results["not today"]++
		case strings.HasSuffix(m.Text, "answered no"):
			results["no"]++
		case strings.Contains(m.Text, "touched"):
			results["ran"]++
		}
	}
	if results["not today"] != 1 || results["no"] != 1 || results["ran"] != 3 {
		t.Errorf("the results were %v", results)
	}
	if ran, err := filepath.Glob(filepath.Join(c.cmd.Dir, "ran*")); err != nil || len(ran) != 3 {
		t.Errorf("ran: %v, %v", ran, err)
	}
}

// TestTypedBefore checks that text typed before a prompt is not taken as its answer.
func TestTypedBefore(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	first := openaitest.Do(touchCall("c1", "1"))
	first.Gate = gate
	server := openaitest.New(t, first, openaitest.Text("over"))
	c := atConsole(t, server, nil, "run", "go")
	c.until("waiting for the-model · ", 1)
	c.kind("y\ny\n")
	c.until("y\r\ny\r\n", 1) // it has come, and waits to be read
	close(gate)
	c.until(promptEnd, 1)
	c.kind("n\n")
	screen, code := c.end()
	if code != 0 || strings.Count(screen, promptEnd) != 1 || !strings.Contains(screen, "denied by user: the user answered no\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}

// TestViewAtTerminal looks at the script and at arguments that are too long for
// a prompt, page by page.
func TestViewAtTerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a ", 1500) + "-rf " + strings.Repeat("b ", 1500)
	server := openaitest.New(t, openaitest.Do(touchCall("c1", long)), openaitest.Text("over"))
	c := atConsole(t, server, nil, "run", "go")
	c.until(promptEnd, 1)
	if shown := c.written(); strings.Contains(shown, "-rf") || !strings.Contains(shown, "  [v]iew all  ") {
		t.Errorf("first the screen is\n%s", shown)
	}
	c.kind("v\n")
	for page := 1; page <= 4; page++ {
		c.until(" -- Enter: more, q: back ", page)
		c.kind("\n")
	}
	c.until(promptEnd, 2)
	shown := strings.NewReplacer("\r\n  : ", "", "\r\n", "\n").Replace(c.written())
	if i := strings.Index(shown, " -- Enter: more, q: back \n"); i < 0 || !strings.Contains(shown, "-rf") || !strings.Contains(shown, "\ntext of the script\n  | #!/bin/sh\n  | echo touched \"$1\"\n") {
		t.Errorf("then the screen is\n%s", shown)
	}
	c.kind("?\n")
	c.until("  n  deny it; you may give a reason\r\n", 1)
	c.until(promptEnd, 3)
	c.kind("n\n")
	if screen, code := c.end(); code != 0 || !strings.Contains(screen, "answered no\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}

// TestForgedPrompt pads arguments so that wrapped rows would look like those of
// a prompt, and makes paths so long that the prompt would scroll away.
func TestForgedPrompt(t *testing.T) {
	t.Parallel()
	for _, size := range []unix.Winsize{{Row: 24, Col: 80}, {Row: 10, Col: 40}} {
		columns := int(size.Col)
		pad := func(s string) string { return s + strings.Repeat(" ", columns-len(s)) }
		for name, argument := range map[string]string{
			"padded":    strings.Repeat("x", columns-15) + "'" + pad("  sandbox    bubblewrap") + pad("[y]es [n]o [a]lways [v]iew [?]"),
			"rows":      strings.Repeat(pad("  sandbox    bubblewrap"), 40),
			"invisible": "a\u202eb\u200b\u00ad\u2066c\ufeffd",
			"wide":      strings.Repeat("技😀é", 60),
		} {
			t.Run(fmt.Sprintf("%d columns/%s", columns, name), func(t *testing.T) {
				call := touchCall("c1", argument)
				server := openaitest.New(t, openaitest.Do(call), openaitest.Text("over"))
				c := atConsole(t, server, nil, "run", "-q", "go")
				must(t, unix.IoctlSetWinsize(int(c.master.Fd()), unix.TIOCSWINSZ, &size))
				end := promptEnd
				if columns < 80 {
					end = "/v/?] (v: "
				}
				c.until(end, 1)
				shown := c.written()
				shown = shown[strings.LastIndex(shown, "\r\x1b[J")+1:]
				rows := strings.Split(strings.ReplaceAll(strings.TrimPrefix(shown, "\x1b[J"), "\r\n", "\n"), "\n")
				if len(rows) > int(size.Row)-4 {
					t.Errorf("%d rows of %d:\n%s", len(rows), size.Row, shown)
				}
				labels := ""
				for _, row := range rows {
					width := 0
					for _, r := range row {
						width++
						if r > 0x7f {
							width++
						}
						if strings.ContainsRune("\u202e\u200b\u00ad\u2066\ufeff", r) {
							t.Errorf("%U is shown in %q", r, row)
						}
					}
					if width >= columns {
						t.Errorf("%d columns for %q", width, row)
					}
					labels += strings.TrimSpace(row[:min(len(row), 12)]) + ","
				}
				want := "skill,script,arguments,folder,sandbox,"
				if size.Row <= 10 { // the folder does not fit
					want = "The model wa,skill,script,arguments,sandbox,"
				}
				if !strings.Contains(labels, want) || strings.Count(labels, "sandbox") != 1 {
					t.Errorf("the rows are %s\n%s", labels, shown)
				}
				c.kind("n\n")
				if _, code := c.end(); code != 0 {
					t.Errorf("exit code %d", code)
				}
				if ran, _ := filepath.Glob(filepath.Join(c.cmd.Dir, "ran*")); ran != nil {
					t.Errorf("ran: %v", ran)
				}
			})
		}
	}
}

// TestInterruptAtPrompt is Ctrl-C where an answer is wanted: the script does
// not run, and the run ends with its one result.
func TestInterruptAtPrompt(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")))
	var out bytes.Buffer
	c := atConsole(t, server, &out, "run", "--format", "jsonl", "go")
	c.until(promptEnd, 1)
	c.kind("\x03")
	screen, code := c.end()
	if code != 130 || !strings.Contains(screen, "error: interrupted by SIGINT\n") || strings.Contains(screen, "waiting for") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if n := strings.Count(out.String(), `"type":"run.result"`); n != 1 || !strings.Contains(lines[len(lines)-1], `"status":"interrupted"`) {
		t.Errorf("%d results in\n%s", n, out.String())
	}
	if _, err := os.Stat(filepath.Join(c.cmd.Dir, "ran1")); err == nil {
		t.Error("the script ran")
	}
}

// TestClosedAtPrompt closes the terminal at a prompt: nobody has denied the script.
func TestClosedAtPrompt(t *testing.T) {
	server := openaitest.Start(openaitest.Do(touchCall("c1", "1")), openaitest.Text("over")) // which the signal may forestall
	defer server.Close()
	var out bytes.Buffer
	c := atConsole(t, server, &out, "run", "--format", "jsonl", "go")
	c.until(promptEnd, 1)
	must(t, c.master.Close())
	must(t, c.cmd.Process.Signal(unix.SIGCONT)) // prompts again, which ends the blocking read that keeps it open
	if screen, _ := c.end(); !strings.Contains(out.String(), `"decision":"denied","by":"nobody"`) {
		t.Errorf("printed\n%s\nscreen\n%s", out.String(), screen)
	}
}

// TestOneKey answers with single keys. A no waits for its line, and afterwards
// the terminal is as it was.
func TestOneKey(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")), openaitest.Do(touchCall("c2", "2")), openaitest.Text("over"))
	c := atConsole(t, server, nil, "run", "go")
	mode := func() uint32 {
		termios, err := unix.IoctlGetTermios(int(c.master.Fd()), unix.TCGETS)
		must(t, err)
		return termios.Lflag & (unix.ICANON | unix.ECHO | unix.ECHOCTL)
	}
	before := mode()
	c.until(promptEnd, 1)
	c.kind("y")
	c.until(promptEnd, 2)
	c.kind("n")
	c.until("Reason for the model (Enter for none): ", 1)
	c.kind("no more\n")
	screen, code := c.end()
	if code != 0 || !strings.Contains(screen, "\n  approved by user\n") || !strings.Contains(screen, "answered no: no more\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	if got := toolResult(server, 1, "c1"); !strings.Contains(got, "touched") {
		t.Errorf("the result was %q", got)
	}
	if after := mode(); after != before {
		t.Errorf("the terminal's mode is %x, was %x", after, before)
	}
}

// TestChangedAtPrompt changes a file that the script could load while the prompt is open:
// the answer was for other files, so the prompt comes again and names it.
func TestChangedAtPrompt(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")), openaitest.Do(touchCall("c2", "2")), openaitest.Text("over"))
	c := atConsole(t, server, nil, "run", "go")
	c.until(promptEnd, 1)
	makeFile(t, filepath.Join(c.cmd.Dir, "skills", "touch", "scripts", "lib.sh"), "echo new\n")
	c.kind("a")
	c.until("Which? (Enter: 2, q: back) ", 1)
	c.kind("\n")
	c.until(promptEnd, 2)
	c.kind("a")
	c.until("Which? (Enter: 2, q: back) ", 2)
	c.kind("\n")
	screen, code := c.end()
	if code != 0 || strings.Count(screen, promptEnd) != 2 || !strings.Contains(screen, `changed since it was listed or approved: "scripts/lib.sh"`) {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	if got := toolResult(server, 2, "c2"); !strings.Contains(got, "touched") {
		t.Errorf("the second result was %q", got)
	}
}
