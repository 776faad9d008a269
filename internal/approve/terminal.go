package approve

// Questions are asked on the terminal itself, even if a standard stream leads elsewhere: in
// the foreground only, and with input discarded that was typed before. No answer is not an
// approval. While a question is open, the status line is hidden.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/terminal"
)

// errBackground means that another job uses the terminal, so that reading or writing
// would stop the run.
var errBackground = fmt.Errorf("%w: the run is in the background", ErrNoUser)

// Terminal is where a user is asked.
type Terminal struct {
	Stdin  io.Reader
	Stderr io.Writer
	Status func() *terminal.Status  // the status line, hidden meanwhile
	Named  bool                     // the user named the script
	Mask   func(text string) string // masks keys in what is shown
}

// Asker returns the function that prompts for approval, or nil if no user can answer. The
// function returns an [ErrNoUser] while the run is in the background.
func (t Terminal) Asker() Asker {
	if !t.present() {
		return nil
	}
	return func(ctx context.Context, req Request) (Answer, error) {
		c, done := t.open()
		defer done()
		masked := Masked(req, t.Mask)
		return c.ask(ctx, func(columns, rows int) approvalPrompt { return newApprovalPrompt(masked, t.Named, columns, rows) })
	}
}

// Confirmer returns the function that asks another question, or nil if no user can answer.
// Only a clear yes counts.
func (t Terminal) Confirmer() func(ctx context.Context, question func() string) (bool, error) {
	if !t.present() {
		return nil
	}
	return func(ctx context.Context, question func() string) (bool, error) {
		c, done := t.open()
		defer done()
		return c.confirm(ctx, question)
	}
}

// present reports whether a user can answer: at least one stream must be a terminal,
// because a process may have a terminal without a user.
func (t Terminal) present() bool {
	in, out := terminal.Is(t.Stdin), terminal.Is(t.Stderr)
	if !in && !out {
		return false
	}
	tty, err := openTerminal()
	if err != nil {
		return in && out
	}
	tty.Close()
	return true
}

// open returns the console, and a function that must be called afterwards.
func (t Terminal) open() (c *console, done func()) {
	status := t.Status()
	status.Hold()
	c = &console{in: t.Stdin, out: t.Stderr}
	tty, err := openTerminal()
	if err == nil {
		c = &console{in: tty, out: printable.Like(t.Stderr, tty), tty: tty}
	}
	resumed, stop := terminal.WatchJob()
	c.resumed = resumed
	return c, func() {
		stop()
		if err == nil {
			tty.Close()
		}
		status.Release()
	}
}

// confirm asks a question whose answer is yes or no.
func (c *console) confirm(ctx context.Context, question func() string) (yes bool, err error) {
	for range 3 {
		line, err := c.line(ctx, question(), confirmKeys, question)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line.text)) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		if line.err != nil {
			return false, nil
		}
	}
	return false, nil
}

// openTerminal opens the terminal of the process, even if standard input is redirected.
func openTerminal() (*os.File, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.ErrUnsupported
	}
	return os.OpenFile("/dev/tty", os.O_RDWR, 0)
}

// console is the terminal or standard input where the user is prompted.
type console struct {
	in      io.Reader
	out     io.Writer
	tty     *os.File         // the terminal, where a single key can be an answer; nil if answers are lines
	resumed <-chan os.Signal // receives a value when the stopped process continues

	lines   chan typed // nil before the first read
	reading bool

	clock func() time.Time // replaces the time in tests
}

func (c *console) now() time.Time {
	if c.clock != nil {
		return c.clock()
	}
	return time.Now()
}

// typed is a line, possibly incomplete at the end of the input.
type typed struct {
	text string
	err  error
}

// size returns the size of the terminal, 80 by 24 if unknown.
func (c *console) size() (columns, rows int) {
	if c.tty != nil {
		terminal.Control(c.tty, func(fd uintptr) { columns, rows, _ = term.GetSize(int(fd)) })
	} else if out, ok := c.out.(interface{ Fd() uintptr }); ok {
		columns, rows, _ = term.GetSize(int(out.Fd()))
	}
	if columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}

// present reports whether this job has the terminal.
func (c *console) present() bool {
	is := c.tty == nil
	if !is {
		terminal.Control(c.tty, func(fd uintptr) { is = terminal.InForeground(fd) })
	}
	return is
}

// line shows text and reads a line, or one of keys if the terminal supports it. If the
// process was stopped meanwhile, it shows the result of again, because text has
// scrolled away. The error is errBackground, agent.ErrUnanswered or the context's cause.
func (c *console) line(ctx context.Context, text, keys string, again func() string) (typed, error) {
	if c.lines == nil {
		c.lines = make(chan typed, 1)
		c.in = bufio.NewReaderSize(c.in, 256)
	}
	restore := func() {}
	defer func() { restore() }()
	for {
		if !c.present() {
			return typed{}, errBackground
		}
		if c.tty != nil { // also after a stop: the shell has set its own mode
			restore()
			terminal.FlushInput(c.tty) // earlier input is not an answer
			restore = terminal.MakeCbreak(c.tty)
		}
		if _, err := io.WriteString(c.out, text); err != nil {
			return typed{}, agent.ErrUnanswered
		}
		if !c.reading {
			c.reading = true
			go func(first func()) { c.lines <- c.read(keys, first) }(restore)
		}
		select {
		case <-ctx.Done():
			fmt.Fprintln(c.out)
			return typed{}, context.Cause(ctx)
		case <-c.resumed:
			text = again()
		case line := <-c.lines:
			c.reading = false
			switch {
			case line.err == nil:
				return line, nil
			case !c.present():
				return typed{}, errBackground
			case line.err != io.EOF:
				return typed{}, agent.ErrUnanswered
			}
			fmt.Fprintln(c.out)
			return line, nil
		}
	}
}

// wordPause is the pause after which a key does not belong to a word, a paste or an
// escape sequence that began with a key without a meaning.
const wordPause = 300 * time.Millisecond

// read reads a line, or if restore is not nil one of the keys. A key without a meaning
// rings the bell, and so does a paste that only begins with a key; the rest of either is
// ignored. A no is continued as an editable line.
func (c *console) read(keys string, restore func()) typed {
	in := c.in.(*bufio.Reader)
	if c.tty == nil {
		line, err := in.ReadString('\n')
		return typed{line, err}
	}
	const endOfInput = 4 // Ctrl-D
	for stray := (time.Time{}); ; stray = c.now() {
		key, err := in.ReadByte()
		rest, _ := in.Peek(in.Buffered())
		word := strings.TrimSpace(string(key) + string(rest))
		_, known := readAnswer(word)
		asks := keys == answerKeys || keys == planKeys // a no may have a reason
		switch {
		case err != nil:
			return typed{"", agent.ErrUnanswered} // not typed: the terminal was closed
		case key == endOfInput:
			restore()
			return typed{"", io.EOF}
		case c.now().Sub(stray) < wordPause, asks && len(word) > 1 && !known: // typed or pasted at once
		case key == '\n' || strings.IndexByte(keys, key) >= 0:
			restore()
			in.Discard(in.Buffered())
			echo := asks || keys == scopeKeys || keys == periodKeys
			if echo && key != '\n' {
				fmt.Fprintf(c.out, "%c", key)
			}
			fmt.Fprintln(c.out)
			return typed{string(key), nil}
		case asks && (key == 'n' || key == 'N'):
			restore()
			return c.reason(in, key)
		}
		in.Discard(in.Buffered())
		fmt.Fprint(c.out, "\a")
	}
}

// reason reads the rest of a line that begins with the key for no.
func (c *console) reason(in *bufio.Reader, key byte) typed {
	fmt.Fprintf(c.out, "%c", key)
	asked := in.Buffered() == 0
	if asked { // show that the key had an effect
		fmt.Fprint(c.out, "\nReason for the model (Enter for none): ")
	} else if typed, _ := in.Peek(in.Buffered()); bytes.Contains(typed, []byte("\n")) {
		fmt.Fprintln(c.out)
	}
	rest, err := in.ReadString('\n')
	if word, _, _ := strings.Cut(strings.TrimSpace(rest), " "); asked && word != "o" {
		rest = " " + rest
	}
	return typed{string(key) + rest, err}
}

// Keys that answer immediately. A no is a line, because it may have a reason.
const (
	answerKeys  = "yYaArRvVhH?"
	confirmKeys = "yYnN"
	pageKeys    = "qQ "
)

// ask shows a prompt, rendered for the terminal's size each time, and reads the
// answer. The end of the input means no, and so does a third invalid answer.
func (c *console) ask(ctx context.Context, make func(columns, rows int) approvalPrompt) (Answer, error) {
	whole := func() string {
		q := make(c.size())
		return q.text + q.choice
	}
	text := whole()
	for tries := 0; tries < 3; {
		line, err := c.line(ctx, text, answerKeys, whole)
		if err != nil {
			return Answer{}, err
		}
		q := make(c.size())
		answer, ok := readAnswer(line.text)
		switch word := strings.ToLower(strings.TrimSpace(line.text)); {
		case ok && answer.Scope != ScopeCall && !q.req.Attended:
			chosen, back, err := c.scope(ctx, q, answer)
			if err != nil || !back {
				return chosen, err
			}
			text = whole()
		case ok && (!answer.Read || len(q.req.Unseen) > 0): // reading is only offered then
			return answer, nil
		case line.err != nil:
			return Answer{Reason: userDenied}, nil
		case word == "v" || word == "view":
			if over, err := c.page(ctx, q); err != nil || over {
				return Answer{Reason: userDenied}, err
			}
			text = whole()
		case word == "?" || word == "h" || word == "help":
			text = q.help() + q.choice
		default:
			tries++
			text = "Please answer y, n, a or v.\n" + q.choice
		}
	}
	return Answer{Reason: "no valid answer after three attempts"}, nil
}

// page shows the view of a prompt page by page; over is true at the end of the input.
func (c *console) page(ctx context.Context, q approvalPrompt) (over bool, err error) {
	lines := q.view()
	_, rows := c.size()
	for from, most := 0, max(rows-2, 4); ; from += most {
		to := min(from+most, len(lines))
		screen := func() string {
			text := "\n" + strings.Join(lines[from:to], "\n") + "\n"
			if to < len(lines) {
				text += fmt.Sprintf("-- %d of %d -- Enter: more, q: back ", to, len(lines))
			}
			return text
		}
		if to == len(lines) {
			_, err := io.WriteString(c.out, screen())
			return false, err
		}
		line, err := c.line(ctx, screen(), pageKeys, screen)
		switch {
		case err != nil || line.err != nil:
			return true, err
		case strings.EqualFold(strings.TrimSpace(line.text), "q"):
			return false, nil
		}
	}
}
