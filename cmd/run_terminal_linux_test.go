package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"skills/internal/testing/openaitest"
)

// terminalRun is the program at its own terminal, with a simulated user.
type terminalRun struct {
	t      *testing.T
	ctx    context.Context
	cmd    *exec.Cmd
	master *os.File
	ended  chan struct{} // closed when nothing more is going to be shown

	mu    sync.Mutex
	shown bytes.Buffer
	more  chan struct{} // closed and replaced whenever something is shown
}

// atConsole starts the program; stdout nil is the terminal as well.
func atConsole(t *testing.T, server *openaitest.Server, stdout io.Writer, args ...string) *terminalRun {
	t.Helper()
	return openConsole(t, server, stdout, "skills", args...)
}

// openTerminal opens both ends of a pseudo-terminal with changed settings.
func openTerminal(t *testing.T, change func(*unix.Termios)) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { master.Close() })
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	settings, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	must(t, err)
	change(settings)
	must(t, unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, settings))
	return master, slave
}

// openConsole starts any program at a terminal of its own.
func openConsole(t *testing.T, server *openaitest.Server, stdout io.Writer, program string, args ...string) *terminalRun {
	t.Helper()
	return startConsole(t, stdout, func(cmd *exec.Cmd) {
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PS1=ready$ ", "HOME=/nonexistent", "TERM=xterm", "LANG=C.UTF-8", "NO_COLOR=1", "OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-test", "OPENAI_MODEL=the-model"}
		must(t, os.MkdirAll(filepath.Join(cmd.Dir, "skills", "touch", "scripts"), 0o755))
		makeFile(t, filepath.Join(cmd.Dir, "skills", "touch", "SKILL.md"), "---\nname: touch\ndescription: Touches a file. Use when testing.\nallowed-tools: Bash(touch:*)\n---\nTouch.\n")
		makeFile(t, filepath.Join(cmd.Dir, "skills", "touch", "scripts", "touch.sh"), "#!/bin/sh\necho touched \"$1\"\n: > \"ran$1\"\n")
	}, program, args...)
}

// startConsole starts a program, with the folder and environment that prepare
// gives it, at a terminal of its own.
func startConsole(t *testing.T, stdout io.Writer, prepare func(*exec.Cmd), program string, args ...string) *terminalRun {
	t.Helper()
	master, slave := openTerminal(t, func(settings *unix.Termios) {
		settings.Lflag |= unix.NOFLSH // Ctrl-C takes away nothing that was written
	})
	defer slave.Close()
	must(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))

	ctx, cancel := context.WithTimeout(t.Context(), endLimit)
	t.Cleanup(cancel)
	c := &terminalRun{t: t, ctx: ctx, master: master, ended: make(chan struct{}), more: make(chan struct{})}
	c.cmd = exec.CommandContext(ctx, program, args...)
	prepare(c.cmd)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, slave
	if stdout != nil {
		c.cmd.Stdout = stdout
	}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, c.cmd.Start())
	go func() {
		defer close(c.ended)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			c.mu.Lock()
			c.shown.Write(buf[:n])
			close(c.more)
			c.more = make(chan struct{})
			c.mu.Unlock()
			if err != nil {
				return // the other end is closed
			}
		}
	}()
	return c
}

// until waits for a text to have been shown so often.
func (c *terminalRun) until(text string, times int) {
	c.t.Helper()
	for {
		c.mu.Lock()
		shown, more := c.shown.String(), c.more
		c.mu.Unlock()
		if strings.Count(shown, text) >= times {
			return
		}
		select {
		case <-more:
		case <-c.ended:
			c.t.Fatalf("%q was never shown; this was:\n%q", text, shown)
		case <-c.ctx.Done():
			c.t.Fatalf("%q is not shown; this is:\n%q", text, shown)
		}
	}
}

// written is what was shown so far, with everything in it.
func (c *terminalRun) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown.String()
}

func (c *terminalRun) kind(keys string) {
	c.t.Helper()
	_, err := c.master.WriteString(keys)
	must(c.t, err)
}

// end waits for the end and returns the screen and the exit code.
func (c *terminalRun) end() (string, int) {
	c.t.Helper()
	err := c.cmd.Wait()
	must(c.t, c.ctx.Err())
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	<-c.ended
	return onScreen(c.shown.String()), c.cmd.ProcessState.ExitCode()
}

var styleEscapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// onScreen is what a terminal shows after it has obeyed what was written.
func onScreen(written string) string {
	var screen [][]rune
	var line []rune
	column := 0
	written = styleEscapes.ReplaceAllString(written, "")
	for written != "" {
		if rest, is := strings.CutPrefix(written, "\x1b[J"); is {
			line, written = line[:min(column, len(line))], rest
			continue
		}
		if up := regexp.MustCompile("^\x1b\\[(\\d)A").FindStringSubmatch(written); up != nil { // before what is below is erased
			at := len(screen) - int(up[1][0]-'0')
			line, screen, written = screen[at], screen[:at], written[len(up[0]):]
			continue
		}
		r := []rune(written)[0]
		written = written[len(string(r)):]
		switch {
		case r == '\n':
			screen, line, column = append(screen, line), nil, 0
		case r == '\r':
			column = 0
		case column < len(line):
			line[column] = r
			column++
		default:
			line = append(line, r)
			column++
		}
	}
	var out strings.Builder
	for _, l := range append(screen, line) {
		out.WriteString(string(l) + "\n")
	}
	return out.String()
}

const promptEnd = " tells the model why): "

// TestLocaleAtTerminal approves a script where the locale has no UTF-8: the
// program prints ASCII, and folds what it prints on standard error.
func TestLocaleAtTerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words ", 20)
	server := openaitest.New(t, openaitest.Do(touchCall("c1", strings.Repeat("x", 100))), openaitest.Reply{Status: 400, Body: `{"error":{"message":"` + long + `"}}`})
	c := openConsole(t, server, nil, "env", "LC_ALL=C", "skills", "run", "go")
	c.until(promptEnd, 1)
	c.kind("y")
	screen, code := c.end()
	if strings.ContainsFunc(screen, func(r rune) bool { return r > 127 }) || !strings.Contains(screen, "xxx...\n") {
		t.Errorf("the screen is\n%s", screen)
	}
	for line := range strings.Lines(screen) {
		if len(line) > 80+len("\n") {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	if code != exitProblems || !strings.Contains(screen, "\n  words words ") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}

// TestPromptAtTerminal types the prompt, with an argument - and without one, and nothing.
func TestPromptAtTerminal(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Text("over"), openaitest.Text("over"))
	screen := ""
	for _, args := range [][]string{{"run", "-"}, {"run"}} {
		var out bytes.Buffer
		c := atConsole(t, server, &out, args...)
		c.until("until Ctrl-D\r\n", 1)
		c.kind("typed\n\x04")
		var code int
		screen, code = c.end()
		if code != 0 || out.String() != "user\n  typed\nassistant\n  over\n" {
			t.Errorf("%v: exit code %d, output\n%s", args, code, out.String())
		}
	}
	c := atConsole(t, server, nil, "run")
	c.until("until Ctrl-D\r\n", 1)
	c.kind("\x04")
	if screen, code := c.end(); code != exitUsage || !strings.Contains(screen, "error: the prompt is empty") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	// The last line shows the duration on every output.
	if !regexp.MustCompile(`(?m)^1 turn · 0 tool calls · .*\d m?s$`).MatchString(screen) {
		t.Errorf("the screen is\n%s", screen)
	}
}

// TestInterruptTwice is a run that cannot end because its output is not read: the
// second Ctrl-C ends it immediately.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	var long strings.Builder // one character without end would be stopped
	for i := range 10_000 {
		fmt.Fprintf(&long, "%s%d", strings.Repeat("x", 100), i)
	}
	server := openaitest.New(t, openaitest.Text(long.String()))
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	c := atConsole(t, server, w, "run", "--format", "jsonl", "go")
	must(t, w.Close())
	begun := bufio.NewReaderSize(r, 4096)
	for row := 0; row < 100; { // it is in the middle of the long text
		b, err := begun.ReadByte()
		must(t, err)
		row++
		if b != 'x' {
			row = 0
		}
	}
	again := time.NewTicker(50 * time.Millisecond) // those within a second count as one
	defer again.Stop()
	for ended := false; !ended; {
		_, err := c.master.WriteString("\x03")
		select {
		case <-c.ended:
			ended = true
		case <-again.C:
			must(t, c.ctx.Err())
		}
		ended = ended || err != nil
	}
	screen, code := c.end()
	rest, err := io.ReadAll(begun)
	if err != nil || code != 130 || bytes.Contains(rest, []byte("run.result")) || strings.Contains(screen, "waiting for") {
		t.Errorf("exit code %d, %v, screen\n%s\noutput …%s", code, err, screen, rest[max(0, len(rest)-200):])
	}
}

// TestExecAtTerminal prompts for a script named by the user, without a model.
func TestExecAtTerminal(t *testing.T) {
	t.Parallel()
	const end = "  [?]: "
	for keys, want := range map[string]int{"y\n": 0, "n\n": 1} {
		c := atConsole(t, openaitest.New(t), nil, "exec", "--approve", "ask", "touch", "scripts/touch.sh")
		c.until(end, 1)
		c.kind(keys)
		screen, code := c.end()
		if code != want || !strings.Contains(screen, "\nYou asked to run a script:\n  skill      \"touch\"\n") || strings.Contains(screen, "model") {
			t.Errorf("%q: exit code %d, screen\n%s", keys, code, screen)
		}
	}
}
