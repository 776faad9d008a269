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

// asker returns the function that asks a person before a script runs, nil
// where nobody is there to ask: a process may belong to a terminal that nobody
// looks at, so one of its own streams has to be one, too.
func (a *app) asker() func(context.Context, skills.Request) (skills.Answer, error) {
	if !isTerminal(a.Stdin) && !isTerminal(a.Stderr) {
		return nil
	}
	if tty, err := openTerminal(); err == nil {
		tty.Close()
	} else if !isTerminal(a.Stdin) || !isTerminal(a.Stderr) {
		return nil
	}
	return func(ctx context.Context, req skills.Request) (skills.Answer, error) {
		a.status.Hold() // nobody else writes until there is an answer
		defer a.status.Release()
		in, out := a.Stdin, a.Stderr
		if tty, err := openTerminal(); err == nil {
			defer tty.Close()
			dropTyped(tty)
			in, out = tty, tty
		}
		if _, err := io.WriteString(out, a.mask.Text(question(req))); err != nil {
			return skills.Answer{}, err
		}
		return answer(ctx, in, out)
	}
}

// openTerminal opens the terminal that the process belongs to, for questions
// and answers, whatever standard input is.
func openTerminal() (*os.File, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.ErrUnsupported
	}
	return os.OpenFile("/dev/tty", os.O_RDWR, 0)
}

// question shows what would run: everything in it comes from a skill or a
// model, so nothing in it may move the cursor or push the rest off the screen.
func question(req skills.Request) string {
	name := brief(terminal.Line(req.Skill)+"/"+terminal.Line(req.Script), 200)
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe model wants to run the script %s\n", name)
	if req.Command != nil {
		fmt.Fprintf(&b, "  command  %s\n", brief(terminal.Line(shellWords(req.Command)), 1500))
	} else {
		fmt.Fprintf(&b, "  arguments  %s\n", brief(terminal.Line(string(req.Arguments)), 1500))
	}
	fmt.Fprintf(&b, "  folder   %s\n  sandbox  %s\n", terminal.Line(req.Dir), terminal.Line(req.Sandbox))
	for _, gap := range req.Gaps {
		fmt.Fprintf(&b, "           open: %s\n", brief(terminal.Line(gap), 300))
	}
	if req.Changed {
		b.WriteString("  note     the script has changed since it was listed or approved\n")
	}
	if req.AllowedTools != "" {
		fmt.Fprintf(&b, "  note     the skill asks to use: %s; you decide all the same\n", brief(terminal.Line(req.AllowedTools), 300))
	}
	fmt.Fprintf(&b, "Run %s? [y]es, [n]o (n and why, for the model), [a]lways this script: ", name)
	return b.String()
}

// brief cuts a long text in its middle and says how much is missing.
func brief(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return fmt.Sprintf("%s …(%d characters left out)… %s", string(r[:most*2/3]), len(r)-most*2/3-most/3, string(r[len(r)-most/3:]))
}

// answer reads one answer. Nothing but a clear yes is one.
func answer(ctx context.Context, in io.Reader, out io.Writer) (skills.Answer, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := bufio.NewReaderSize(in, 256).ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return skills.Answer{}, context.Cause(ctx)
	case r := <-got:
		if r.err != nil {
			fmt.Fprintln(out)
		}
		return decision(r.line), nil
	}
}

// decision reads a line: yes, always, or no, with what stands behind the no for
// the model. Nothing but a clear yes is one.
func decision(line string) skills.Answer {
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "y", "yes":
		return skills.Answer{Approved: true}
	case "a", "always":
		return skills.Answer{Approved: true, Remember: true}
	}
	reason := "the person at the terminal said no"
	word, why, _ := strings.Cut(line, " ")
	no := strings.ToLower(strings.TrimRight(word, ",.:;"))
	if why = strings.TrimSpace(why); why != "" && (no == "n" || no == "no") {
		reason += ": " + brief(terminal.Line(why), 1000)
	}
	return skills.Answer{Reason: reason}
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
