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
	"skills/internal/printable"
)

// errBackground says that the terminal is another job's now: whoever sits there
// is busy with that, and to read or write there would stop the run.
var errBackground = fmt.Errorf("%w: the run is in the background", skills.ErrNobody)

// asker returns the function that asks a person before a script runs, nil
// where nobody is there to ask: a process may belong to a terminal that nobody
// looks at, so one of its own streams has to be one, too. Its error is a
// [skills.ErrNobody] where the run is in the background of its terminal, which
// is looked at for each question: a shell may move it there and back.
func (a *app) asker() func(context.Context, skills.Request) (skills.Answer, error) {
	return a.askerOf(question)
}

// askerOf is asker with a question of its own.
func (a *app) askerOf(ask func(req skills.Request, whole bool) (text, choice string)) func(context.Context, skills.Request) (skills.Answer, error) {
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
		d := desk{in: a.Stdin, out: a.Stderr, there: func() bool { return true }, forget: func() {}}
		if tty, err := openTerminal(); err == nil {
			defer tty.Close()
			d = terminalDesk(tty)
		}
		resumed, over := asJob()
		defer over()
		d.resumed = resumed
		return d.ask(ctx, func(whole bool) (text, choice string) {
			text, choice = ask(req, whole)
			return a.mask.Text(text), a.mask.Text(choice)
		})
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

// desk is where a person is asked.
type desk struct {
	in      io.Reader
	out     io.Writer
	there   func() bool      // whether anybody is
	forget  func()           // what was typed so far
	resumed <-chan os.Signal // the process was stopped, and goes on
}

// terminalDesk is the desk at the terminal of the process.
func terminalDesk(tty *os.File) desk {
	return desk{in: tty, out: tty, forget: func() { dropTyped(tty) }, there: func() (is bool) {
		control(tty, func(fd uintptr) { is = inForeground(fd) })
		return is
	}}
}

// control does something with the descriptor of a file, which stays as it is:
// taking it out of the file would make its reads ones that nothing ends.
func control(f *os.File, do func(fd uintptr)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(do)
	}
}

// ask shows a question and reads its answer. What is no answer is asked about
// once more, in front of the choice alone; where the process was stopped
// meanwhile the whole question is shown again, for it is somewhere above what was
// done since. The end of the input is a no, and so is the third answer that is
// none. The error is errBackground, or why the context ended.
func (d desk) ask(ctx context.Context, question func(whole bool) (text, choice string)) (skills.Answer, error) {
	in := bufio.NewReaderSize(d.in, 256)
	got := make(chan typed, 1)
	reading := false
	text, choice := question(false)
	for said, tries := text+choice, 0; ; {
		if !d.there() {
			return skills.Answer{}, errBackground
		}
		d.forget()
		if _, err := io.WriteString(d.out, said); err != nil {
			return skills.Answer{}, err
		}
		if !reading {
			reading = true
			go func() {
				line, err := in.ReadString('\n')
				got <- typed{line, err}
			}()
		}
		var line typed
		select {
		case <-ctx.Done():
			fmt.Fprintln(d.out)
			return skills.Answer{}, context.Cause(ctx)
		case <-d.resumed:
			said = text + choice
			continue
		case line = <-got:
			reading = false
		}
		if line.err != nil && !d.there() {
			return skills.Answer{}, errBackground
		}
		if line.err != nil {
			fmt.Fprintln(d.out)
		}
		answer, what := decision(line.text)
		switch {
		case what == anAnswer:
			return answer, nil
		case line.err != nil:
			return skills.Answer{Reason: saidNo}, nil
		case what == aLook:
			text, choice = question(true)
			said = text + choice
			continue
		}
		if tries++; tries == 3 {
			return skills.Answer{Reason: "the person at the terminal gave no clear answer"}, nil
		}
		said = "That is not one of the answers.\n" + choice
	}
}

// typed is a line, or what there is of one at the end of the input.
type typed struct {
	text string
	err  error
}

// kind says what an answer is.
type kind int

const (
	noAnswer kind = iota
	anAnswer
	aLook // at all of it first
)

// saidNo is what the model is told of a no.
const saidNo = "the person at the terminal said no"

// decision reads a line: yes, always, or no, with what stands behind the no for
// the model. Nothing but a clear yes is one.
func decision(line string) (skills.Answer, kind) {
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "y", "yes":
		return skills.Answer{Approved: true}, anAnswer
	case "a", "always":
		return skills.Answer{Approved: true, Remember: true}, anAnswer
	case "v", "view":
		return skills.Answer{}, aLook
	}
	word, why, _ := strings.Cut(line, " ")
	if no := strings.ToLower(strings.TrimRight(word, ",.:;")); no != "n" && no != "no" {
		return skills.Answer{}, noAnswer
	}
	reason := saidNo
	if why = strings.TrimSpace(why); why != "" {
		reason += ": " + printable.TruncateMiddle(printable.Line(why), 1000)
	}
	return skills.Answer{Reason: reason}, anAnswer
}
