package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"skills/internal/builtin"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/run"
	"skills/internal/terminal"
)

// Timeouts for the first byte of standard input: many programs leave that of their
// children open without using it. After the first byte there is no timeout, because
// builds and downloads pause.
const (
	maxPrompt       = 4 << 20
	argumentTimeout = 2 * time.Second  // with a prompt argument
	promptTimeout   = 10 * time.Second // if it is the prompt
	terminalTimeout = 24 * time.Hour   // if the user types it
)

const noPromptHint = `pass a prompt: skills run "convert 1 kg to lb"`

// prompt returns the prompt of the run.
func (c *console) prompt(ctx context.Context, o run.Options, args []string) (string, error) {
	switch {
	case o.Demo && len(args) > 0:
		return "", fault.Usage(fmt.Sprintf("omit the prompt; the demo uses %q", builtin.DemoPrompt), "--demo plays a recorded conversation, with its own prompt")
	case o.Demo:
		return builtin.DemoPrompt, nil
	case len(args) == 0 && (o.Preview || run.Waits(c.Env.Env, o.Files.Session)):
		return "", nil
	}
	return c.readPrompt(ctx, args)
}

// readPrompt combines the argument and standard input to the prompt.
func (r *console) readPrompt(ctx context.Context, args []string) (string, error) {
	text, alone, timeout := "", true, promptTimeout
	if len(args) > 0 && args[0] != "-" {
		text, alone, timeout = args[0], false, argumentTimeout
	}
	typed := alone && terminal.Is(r.Stdin)
	if typed {
		timeout = terminalTimeout
		fmt.Fprintln(r.Stderr, "note: reading the prompt from the terminal until Ctrl-D")
	}
	named := len(args) > 0 && alone
	if named || typed || isPiped(r.Stdin) {
		data, err := readInput(ctx, r.Stdin, timeout, func() { fmt.Fprintln(r.Stderr, "note: waiting for the end of standard input") })
		switch {
		case errors.Is(err, errNoInput) && alone:
			return "", fault.Usage("pass the prompt as an argument, or write it to standard input and close it", "no data on standard input for %s", timeout)
		case errors.Is(err, errNoInput):
			r.Warn("no data on standard input for %s; ignoring it", timeout)
		case err != nil:
			return "", err
		}
		if alone {
			text = data
		} else if strings.TrimSpace(data) != "" {
			text += "\n\n<stdin>\n" + strings.TrimRight(data, "\n") + "\n</stdin>"
		}
	}
	if strings.TrimSpace(text) == "" {
		return "", fault.Usage(noPromptHint, "the prompt is empty")
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError)), nil
}

// isPiped reports whether standard input is a pipe, a socket or a file.
func isPiped(stdin io.Reader) bool {
	f, ok := stdin.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return stdin != nil
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0)
}

var errNoInput = errors.New("no data on standard input")

// readInput reads everything. It waits up to timeout for the first byte, and then for
// the end, or that of the context. It calls waiting if reading takes as long again. It
// returns complete input only.
func readInput(ctx context.Context, r io.Reader, timeout time.Duration, waiting func()) (string, error) {
	const what = "standard input"
	in := bufio.NewReader(io.LimitReader(r, maxPrompt+1))
	soon, cancel := context.WithTimeoutCause(ctx, timeout, errNoInput)
	defer cancel()
	ended, err := files.Wait(soon, what, func() (bool, error) { _, err := in.Peek(1); return errors.Is(err, io.EOF), nil })
	switch {
	case errors.Is(err, errNoInput):
		return "", errNoInput
	case ended:
		return "", nil // reading again would wait again: the end of what is typed comes once
	case err != nil:
		return "", err
	}
	waited := make(chan struct{})
	timer := time.AfterFunc(timeout, func() { waiting(); close(waited) })
	defer func() {
		if !timer.Stop() {
			<-waited // so that nothing else is printed meanwhile
		}
	}()
	data, err := files.Wait(ctx, what, func() ([]byte, error) { return io.ReadAll(in) })
	switch {
	case errors.As(err, new(*files.UnfinishedError)):
		return "", err
	case err != nil:
		return "", fault.Usage("pass the prompt as an argument", "standard input cannot be read")
	case len(data) > maxPrompt:
		return "", fault.Usage("put it in a file that a skill or a script reads", "standard input is larger than %d bytes", maxPrompt)
	}
	return strings.TrimPrefix(string(data), byteOrderMark), nil
}

// byteOrderMark begins UTF-8 text of some Windows programs.
const byteOrderMark = "\uFEFF"
