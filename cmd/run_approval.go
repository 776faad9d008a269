package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/terminal"
)

// openTerminal opens the terminal that the process belongs to, for questions
// and answers, whatever standard input is.
func openTerminal() (io.ReadWriteCloser, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.ErrUnsupported
	}
	return os.OpenFile("/dev/tty", os.O_RDWR, 0)
}

// asker returns the function that asks a person before a script runs, nil
// where nobody is there to ask: the person must be able to see the question,
// so standard error has to be a terminal too.
func (a *app) asker() func(context.Context, skills.Request) (skills.Answer, error) {
	if !isTerminal(a.Stderr) {
		return nil
	}
	var in io.Reader
	var out io.Writer
	if tty, err := openTerminal(); err == nil {
		in, out = tty, tty
	} else if isTerminal(a.Stdin) {
		in, out = a.Stdin, a.Stderr
	} else {
		return nil
	}
	lines := bufio.NewReaderSize(in, 1024)
	return func(ctx context.Context, req skills.Request) (skills.Answer, error) {
		fmt.Fprint(out, question(req))
		return answer(ctx, lines, out)
	}
}

// question shows what would run: everything in it comes from a skill or a
// model, so nothing in it may move the cursor.
func question(req skills.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe skill %s wants to run %s\n", terminal.Line(req.Skill), terminal.Line(req.Script))
	if req.Command != nil {
		fmt.Fprintf(&b, "  command  %s\n", terminal.Line(shellWords(req.Command)))
	} else {
		fmt.Fprintf(&b, "  arguments  %s\n", terminal.Line(string(req.Arguments)))
	}
	fmt.Fprintf(&b, "  folder   %s\n  sandbox  %s\n", terminal.Line(req.Dir), terminal.Line(req.Sandbox))
	b.WriteString("Run it? [y]es, [n]o, [a]lways this script: ")
	return b.String()
}

// answer reads one answer. Nothing but a clear yes is one.
func answer(ctx context.Context, lines *bufio.Reader, out io.Writer) (skills.Answer, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := lines.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return skills.Answer{}, context.Cause(ctx)
	case r := <-got:
		switch strings.ToLower(strings.TrimSpace(r.line)) {
		case "y", "yes":
			return skills.Answer{Approved: true}, nil
		case "a", "always":
			return skills.Answer{Approved: true, Remember: true}, nil
		}
		if r.err != nil && r.line == "" {
			fmt.Fprintln(out)
		}
		return skills.Answer{Reason: "the person at the terminal said no"}, nil
	}
}

// shellWords shows a command line the way a person would type it.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%{}", r)
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
