package runner

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/fault"
	"skills/internal/files"
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

// readPrompt combines the argument and standard input to the prompt.
func (r *Runner) readPrompt(ctx context.Context, args []string) (string, error) {
	text, alone, timeout := "", true, promptTimeout
	if len(args) > 0 && args[0] != "-" {
		text, alone, timeout = args[0], false, argumentTimeout
	}
	if alone && terminal.Is(r.Stdin) {
		timeout = terminalTimeout
		fmt.Fprintln(r.Stderr, "note: reading the prompt from the terminal until Ctrl-D")
	}
	if len(args) > 0 && alone || isPiped(r.Stdin) {
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
	_, err := files.Wait(soon, what, func() (bool, error) { _, err := in.Peek(1); return err == nil, nil })
	switch {
	case errors.Is(err, errNoInput):
		return "", errNoInput
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

const maxTextFile = 1 << 20

// file reads a file or pipe of at most limit bytes named by a flag; without a name the
// text is empty. If the context ends first, the error is a *files.UnfinishedError.
func (r *Runner) file(ctx context.Context, flag, name string, limit int64) (string, error) {
	if name == "" {
		return "", nil
	}
	path := r.absolute(name)
	data, err := files.WaitForPipe(ctx, flag+": "+name, path, r.pipeTime(), func() ([]byte, error) { return files.Read(path, limit) })
	switch {
	case errors.Is(err, files.ErrSilentPipe):
		return "", silentPipe(flag, name)
	case errors.As(err, new(*files.UnfinishedError)):
		return "", err
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.Usage("check the path and the current directory", "%s: %s does not exist", flag, name)
	case errors.Is(err, files.ErrTooLarge):
		return "", fault.Usage("name a smaller file", "%s: reading %s: it is larger than %d bytes", flag, name, limit)
	}
	if err != nil {
		return "", fault.Usage("name a readable file", "%s: reading %s: %w", flag, name, files.Reason(err))
	}
	return strings.TrimPrefix(string(data), byteOrderMark), nil
}

// pipeTime is how long a pipe that a flag names may take.
func (r *Runner) pipeTime() time.Duration { return cmp.Or(r.PipeTime, files.PipeTime) }

// silentPipe returns the error for a pipe that a flag names.
func silentPipe(flag, name string) error {
	return fault.Usage("start the program that writes to it, or name a regular file", "%s: %s %w", flag, name, files.ErrSilentPipe)
}

// maxAttached is how many bytes all files of a prompt may have together: they are sent
// with every request, and a session has them in one line.
const maxAttached = 8 << 20

// images are the types of images that servers take.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// attach reads the files of --image and --file. What they are is seen from their
// content, for names may be wrong.
func (r *Runner) attach(ctx context.Context) error {
	left := int64(maxAttached)
	for _, list := range []struct {
		flag, hint string
		names      []string
	}{
		{"--image", "name a PNG, JPEG, GIF or WebP image, or use --file", r.Images},
		{"--file", "name a text file or a PDF, or use --image", r.Files},
	} {
		for _, name := range list.names {
			text, err := r.file(ctx, list.flag, name, maxAttached)
			if err != nil {
				return err
			}
			if left -= int64(len(text)); left < 0 {
				return fault.Usage("attach less: files are sent with every request", "the attached files are larger than %d bytes together", maxAttached)
			}
			kind, _, _ := strings.Cut(http.DetectContentType([]byte(text)), ";")
			isImage := slices.Contains(images, kind)
			isText := utf8.ValidString(text) && !strings.Contains(text, "\x00")
			switch {
			case text == "":
				return fault.Usage(list.hint, "%s: %s is empty", list.flag, name)
			case list.flag == "--image" && isImage, kind == "application/pdf" && list.flag == "--file":
			case list.flag == "--file" && isText:
				kind = model.PlainText
			case strings.HasPrefix(text, "\xFF\xFE"), strings.HasPrefix(text, "\xFE\xFF"):
				return fault.Usage("save it as UTF-8", "%s: %s cannot be sent: its content is UTF-16 text", list.flag, name)
			default:
				return fault.Usage(list.hint, "%s: %s cannot be sent: its content is %s", list.flag, name, kind)
			}
			r.config.Attachments = append(r.config.Attachments, agent.Part{
				Name: strings.ToValidUTF8(filepath.Base(name), "\uFFFD"), Type: kind, Size: len(text), Data: []byte(text),
			})
		}
	}
	return nil
}
