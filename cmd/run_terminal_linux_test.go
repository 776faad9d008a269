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

	"skills/internal/agent/openaitest"
)

// console is the program at a terminal of its own, with somebody at it.
type console struct {
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
func atConsole(t *testing.T, server *openaitest.Server, stdout io.Writer, args ...string) *console {
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
func openConsole(t *testing.T, server *openaitest.Server, stdout io.Writer, program string, args ...string) *console {
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
func startConsole(t *testing.T, stdout io.Writer, prepare func(*exec.Cmd), program string, args ...string) *console {
	t.Helper()
	master, slave := openTerminal(t, func(settings *unix.Termios) {
		settings.Lflag |= unix.NOFLSH // Ctrl-C takes away nothing that was written
	})
	defer slave.Close()
	must(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))

	ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
	t.Cleanup(cancel)
	c := &console{t: t, ctx: ctx, master: master, ended: make(chan struct{}), more: make(chan struct{})}
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
				return // nobody holds the other end
			}
		}
	}()
	return c
}

// until waits for a text to have been shown so often.
func (c *console) until(text string, times int) {
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
func (c *console) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown.String()
}

func (c *console) kind(keys string) {
	c.t.Helper()
	_, err := c.master.WriteString(keys)
	must(c.t, err)
}

// end waits for the end and returns the screen and the exit code.
func (c *console) end() (string, int) {
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

// TestStatusLine waits for a slow model: the line is there while it waits, and
// nothing of it is left, whatever the end.
func TestStatusLine(t *testing.T) {
	t.Run("answer", func(t *testing.T) {
		gate := make(chan struct{})
		server := openaitest.New(t, openaitest.Reply{Text: "All **done**.", Gate: gate})
		c := atConsole(t, server, nil, "run", "hello")
		c.until("waiting for the-model · ", 1)
		close(gate)
		screen, code := c.end()
		want := "the-model · " + server.URL + " · 1 skill · sandbox NAME\n1 user\n  hello\n2 assistant\n  All **done**.\n1 turn · 0 tool calls · TIME\n\n"
		screen = regexp.MustCompile(`\d+(\.\d)? m?s\n`).ReplaceAllString(screen, "TIME\n")
		screen = regexp.MustCompile(`sandbox \w+`).ReplaceAllString(screen, "sandbox NAME")
		if code != 0 || screen != want {
			t.Errorf("exit code %d, screen\n%s\nwant\n%s", code, screen, want)
		}
	})
	t.Run("quiet into a pipe", func(t *testing.T) {
		gate := make(chan struct{})
		server := openaitest.New(t, openaitest.Reply{Text: "done", Gate: gate})
		var out bytes.Buffer
		c := atConsole(t, server, &out, "run", "-q", "hello")
		c.until("waiting for the-model · ", 1)
		close(gate)
		screen, code := c.end()
		if code != 0 || screen != "\n" || out.String() != "done\n" {
			t.Errorf("exit code %d, screen %q, output %q", code, screen, out.String())
		}
	})
	t.Run("interrupt", func(t *testing.T) {
		never := make(chan struct{})
		t.Cleanup(func() { close(never) })
		server := openaitest.New(t, openaitest.Reply{Text: "late", Gate: never})
		c := atConsole(t, server, nil, "run", "hello")
		c.until("waiting for the-model · ", 1)
		c.kind("\x03")
		screen, code := c.end()
		if code != 130 || strings.Contains(screen, "waiting for") || strings.Count(screen, "error: interrupted by SIGINT\n") != 1 {
			t.Errorf("exit code %d, screen\n%s", code, screen)
		}
	})
	t.Run("failure", func(t *testing.T) {
		gate := make(chan struct{})
		server := openaitest.New(t, openaitest.Reply{Status: 401, Gate: gate})
		c := atConsole(t, server, nil, "run", "hello")
		c.until("waiting for the-model · ", 1)
		close(gate)
		screen, code := c.end()
		if code != 1 || strings.Contains(screen, "waiting for") || !strings.Contains(screen, "\nerror: ") {
			t.Errorf("exit code %d, screen\n%s", code, screen)
		}
	})
}

// TestStatusLineResized makes the terminal narrower while the line is there: it
// is redrawn so that it fits, and all of it goes.
func TestStatusLineResized(t *testing.T) {
	gate := make(chan struct{})
	server := openaitest.New(t, openaitest.Reply{Text: "done", Gate: gate})
	c := atConsole(t, server, nil, "run", "-m", "a-model-with-a-name", "hello")
	c.until("waiting for a-model-with-a-name · ", 1)
	must(t, unix.IoctlSetWinsize(int(c.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 25}))
	c.until("\rwaiting for a-m… · ", 1)
	close(gate)
	screen, code := c.end()
	_, after, _ := strings.Cut(c.shown.String(), "\rwaiting for a-m… · ")
	if code != 0 || strings.Contains(screen, "waiting") || !strings.Contains(after, " s\x1b[J\r\r\x1b[J") {
		t.Errorf("exit code %d, screen\n%s\nthe end was %q", code, screen, after)
	}
}

const questionEnd = " tells the model why): "

func touchCall(id, argument string) openaitest.Call {
	return openaitest.Call{ID: id, Name: "run_skill_script", Arguments: `{"skillName":"touch","scriptName":"scripts/touch.sh","arguments":["` + argument + `"]}`}
}

// TestApprovalAtTerminal answers questions as a person does.
func TestApprovalAtTerminal(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1"), touchCall("c2", "2"), touchCall("c3", "3")), openaitest.Do(touchCall("c4", "4"), touchCall("c5", "5")), openaitest.Say("over"))
	c := atConsole(t, server, nil, "run", "--parallel", "go")
	for i, keys := range []string{"n not today\n", "y\n", "\x04", "a\n"} {
		c.until(questionEnd, i+1)
		c.mu.Lock()
		n := strings.Count(c.shown.String(), questionEnd)
		c.mu.Unlock()
		if n != i+1 {
			t.Errorf("%d questions at a time", n-i)
		}
		c.kind(keys)
	}
	screen, code := c.end()
	if code != 0 || strings.Contains(screen, "waiting for") || strings.Contains(screen, "running ") || strings.Count(screen, questionEnd) != 4 {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	for _, want := range []string{
		"\nThe model wants to run a script:\n  skill      \"touch\"\n  script     \"scripts/touch.sh\"\n  arguments  1\n  folder     \"/", "/001\"\n  sandbox    ",
		"\n  note       the skill asks for \"Bash(touch:*)\"\n",
		"denied by user: the person at the terminal said no: not today\n", " approved by user\n", " approved by user: approved for the rest of the run\n", "over\n",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing on the screen\n%s", want, screen)
		}
	}
	told := map[string]int{}
	for _, m := range server.Requests()[2].Messages {
		switch {
		case m.Role != "tool":
		case strings.HasSuffix(m.Text, "said no: not today"):
			told["not today"]++
		case strings.HasSuffix(m.Text, "said no"):
			told["no"]++
		case strings.Contains(m.Text, "touched"):
			told["ran"]++
		}
	}
	if told["not today"] != 1 || told["no"] != 1 || told["ran"] != 3 {
		t.Errorf("the result was %v", told)
	}
	if ran, err := filepath.Glob(filepath.Join(c.cmd.Dir, "ran*")); err != nil || len(ran) != 3 {
		t.Errorf("ran: %v, %v", ran, err)
	}
}

// TestLocaleAtTerminal approves a script where the locale has no UTF-8: the
// program prints ASCII, and folds what it prints on standard error.
func TestLocaleAtTerminal(t *testing.T) {
	long := strings.Repeat("words ", 20)
	server := openaitest.New(t, openaitest.Do(touchCall("c1", strings.Repeat("x", 100))), openaitest.Reply{Status: 400, Body: `{"error":{"message":"` + long + `"}}`})
	c := openConsole(t, server, nil, "env", "LC_ALL=C", "skills", "run", "go")
	c.until(questionEnd, 1)
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

// TestPromptAtTerminal runs without a prompt, which is not waited for, and with
// one that is typed.
func TestPromptAtTerminal(t *testing.T) {
	server := openaitest.New(t, openaitest.Say("over"))
	c := openConsole(t, server, nil, "env", "-u", "OPENAI_API_KEY", "-u", "OPENAI_BASE_URL", "skills", "run")
	if screen, code := c.end(); code != exitUsage || screen != "error: no prompt\nhint: pass a prompt: skills run \"convert 1 kg to lb\"\n\n" {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	var out bytes.Buffer
	c = atConsole(t, server, &out, "run", "-")
	c.until("until Ctrl-D\r\n", 1)
	c.kind("typed\n\x04")
	screen, code := c.end()
	if code != 0 || out.String() != "1 user\n  typed\n2 assistant\n  over\n" {
		t.Errorf("exit code %d, output\n%s", code, out.String())
	}
	// The last line says how long it took, wherever the output goes.
	if !regexp.MustCompile(`(?m)^1 turn · 0 tool calls · .*\d m?s$`).MatchString(screen) {
		t.Errorf("the screen is\n%s", screen)
	}
}

// TestTypedBefore types an answer before there is a question: it is none. A word
// that means nothing holds no answer either.
func TestTypedBefore(t *testing.T) {
	gate := make(chan struct{})
	first := openaitest.Do(touchCall("c1", "1"))
	first.Gate = gate
	server := openaitest.New(t, first, openaitest.Say("over"))
	c := atConsole(t, server, nil, "run", "go")
	c.until("waiting for the-model · ", 1)
	c.kind("y\ny\n")
	c.until("y\r\ny\r\n", 1) // it has come, and waits to be read
	close(gate)
	c.until(questionEnd, 1)
	c.kind("xyes\n")
	c.until("\a", 1)
	time.Sleep(time.Second / 2)
	c.kind("n\n")
	screen, code := c.end()
	if code != 0 || strings.Count(screen, questionEnd) != 1 || !strings.Contains(screen, "denied by user: the person at the terminal said no\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}

// TestViewAtTerminal looks at the script and at arguments that are too long for
// a question, page by page.
func TestViewAtTerminal(t *testing.T) {
	long := strings.Repeat("a ", 1500) + "-rf " + strings.Repeat("b ", 1500)
	server := openaitest.New(t, openaitest.Do(touchCall("c1", long)), openaitest.Say("over"))
	c := atConsole(t, server, nil, "run", "go")
	c.until(questionEnd, 1)
	if shown := c.written(); strings.Contains(shown, "-rf") || !strings.Contains(shown, "  [v]iew all  ") {
		t.Errorf("first the screen is\n%s", shown)
	}
	c.kind("v\n")
	for page := 1; page <= 4; page++ {
		c.until("lines -- Enter or space: more, q: back ", page)
		c.kind("\n")
	}
	c.until(questionEnd, 2)
	shown := strings.NewReplacer("\r\n  : ", "", "\r\n", "\n").Replace(c.written())
	if i := strings.Index(shown, "lines -- Enter or space: more, q: back \n"); i < 0 || !strings.Contains(shown, "-rf") || !strings.Contains(shown, "\nText of the script\n  | #!/bin/sh\n  | echo touched \"$1\"\n") {
		t.Errorf("then the screen is\n%s", shown)
	}
	c.kind("?\n")
	c.until("  n  deny it; you may give a reason\r\n", 1)
	c.until(questionEnd, 3)
	c.kind("n\n")
	if screen, code := c.end(); code != 0 || !strings.Contains(screen, "said no\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
}

// TestForgedQuestion pads arguments so that wrapped rows would look like those of
// a question, and makes paths so long that the question would scroll away.
func TestForgedQuestion(t *testing.T) {
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
				server := openaitest.New(t, openaitest.Do(call), openaitest.Say("over"))
				c := atConsole(t, server, nil, "run", "-q", "go")
				must(t, unix.IoctlSetWinsize(int(c.master.Fd()), unix.TIOCSWINSZ, &size))
				end := questionEnd
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
						if width++; r > 0x7f {
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
				if !strings.Contains(labels, "skill,script,arguments,folder,sandbox,") || strings.Count(labels, "sandbox") != 1 {
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

// TestInterruptAtQuestion is Ctrl-C where an answer is wanted: the script does
// not run, and the run ends with its one result.
func TestInterruptAtQuestion(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")))
	var out bytes.Buffer
	c := atConsole(t, server, &out, "run", "--format", "jsonl", "go")
	c.until(questionEnd, 1)
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

// TestInterruptTwice is a run that cannot end by itself, for nobody takes what
// it writes: the second Ctrl-C ends it at once.
func TestInterruptTwice(t *testing.T) {
	server := openaitest.New(t, openaitest.Say(strings.Repeat("x", 1<<20)))
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	c := atConsole(t, server, w, "run", "--format", "jsonl", "go")
	must(t, w.Close())
	begun := bufio.NewReaderSize(r, 4096)
	for row := 0; row < 100; { // it is in the middle of the long text
		b, err := begun.ReadByte()
		must(t, err)
		if row++; b != 'x' {
			row = 0
		}
	}
	again := time.NewTicker(50 * time.Millisecond) // two at once may count as one
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

// TestExecAtTerminal asks about a script that the person named: there is no
// model that wants it.
func TestExecAtTerminal(t *testing.T) {
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

// TestOneKey answers with single keys, after some that mean nothing. A no waits for its line, and afterwards
// the terminal is as it was.
func TestOneKey(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(touchCall("c1", "1")), openaitest.Do(touchCall("c2", "2")), openaitest.Say("over"))
	c := atConsole(t, server, nil, "run", "go")
	mode := func() uint32 {
		termios, err := unix.IoctlGetTermios(int(c.master.Fd()), unix.TCGETS)
		must(t, err)
		return termios.Lflag & (unix.ICANON | unix.ECHO | unix.ECHOCTL)
	}
	before := mode()
	c.until(questionEnd, 1)
	c.kind("q")
	c.until("\a", 1)
	for _, key := range "ca" { // of a word
		time.Sleep(20 * time.Millisecond)
		c.kind(string(key))
	}
	c.until("\a", 3)
	time.Sleep(time.Second / 2)
	c.kind("y")
	c.until(questionEnd, 2)
	c.kind("n")
	c.until("Reason for the model (Enter for none): ", 1)
	c.kind("no more\n")
	screen, code := c.end()
	if code != 0 || !strings.Contains(screen, "\n  approved by user\n") || !strings.Contains(screen, "said no: no more\n") {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	if got := toolResult(server, 1, "c1"); !strings.Contains(got, "touched") {
		t.Errorf("the result was %q", got)
	}
	if after := mode(); after != before {
		t.Errorf("the terminal's mode is %x, was %x", after, before)
	}
}
