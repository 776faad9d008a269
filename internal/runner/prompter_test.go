package runner

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"skills/internal/agent"
	"skills/internal/agent/skills"
)

// consoleOf is a console without a terminal.
func consoleOf(in io.Reader, out io.Writer) *console {
	return &console{in: in, out: out}
}

func somePrompt(int, int) approvalPrompt {
	return approvalPrompt{text: "text\n", choice: "now? ", columns: 80, req: skills.Request{Skill: "s", Script: "x"}}
}

// TestAskAgain shows only the choices again after an unclear answer.
func TestAskAgain(t *testing.T) {
	var out bytes.Buffer
	c := consoleOf(strings.NewReader("hm\n?\nhm\ny\n"), &out)
	if got, err := c.ask(t.Context(), somePrompt); err != nil || !got.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
	if want := "text\nnow? Please answer y, n, a or v.\nnow? " + answerHelp + "now? Please answer y, n, a or v.\nnow? "; out.String() != want {
		t.Errorf("shown was %q, want %q", out.String(), want)
	}
}

func TestAnswer(t *testing.T) {
	no := skills.Answer{Reason: "the user answered no"}
	for typed, want := range map[string]skills.Answer{
		"y\n": {Approved: true}, "YES\n": {Approved: true}, " a \n": {Approved: true, Remember: true}, "always\n": {Approved: true, Remember: true},
		"n\n": no, "No\n": no, "n \n": no, "never mind\n": no, "\n": no, "": no, "yes please\n": no, "y": {Approved: true},
		"yess\ny\n": {Approved: true}, "\n?\nA\n": {Approved: true, Remember: true}, "q\nn\ny\n": no, "yess\ny": {Approved: true},
		"\n\n\ny\n": {Reason: "no valid answer after three attempts"}, "v\nview\nV\nv\ny\n": {Approved: true}, "v\n": no,
		"n it writes\tto /etc \n": {Reason: no.Reason + ": it writes␉to /etc"}, "No, because I say so": {Reason: no.Reason + ": because I say so"},
		"n " + strings.Repeat("x", 1001) + "\n": {Reason: no.Reason + ": " + strings.Repeat("x", 666) + " …(2 characters omitted)… " + strings.Repeat("x", 333)},
	} {
		var out bytes.Buffer
		got, err := consoleOf(strings.NewReader(typed), &out).ask(t.Context(), somePrompt)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", typed, got, err, want)
		}
	}
}

// TestPaste checks that text which only begins with a key is no answer at a terminal.
func TestPaste(t *testing.T) {
	for pasted, want := range map[string]string{
		"y": "y", "A\n": "A", "yes\r\n": "y", "always": "a", "\n": "\n", "no, thanks\n": "no, thanks\n",
		"apt-get update\n": "", "your script is wrong, do not run it": "", "y\nrm -r x\n": "", "r m": "", "a\ta": "", "\nyes": "\n", "vi\n": "", "xyes\n": "",
	} {
		c := &console{in: bufio.NewReader(strings.NewReader(pasted)), out: io.Discard, tty: os.Stdin}
		if got := c.read(answerKeys, func() {}); got.text != want {
			t.Errorf("%q is the answer %q, want %q", pasted, got.text, want)
		}
	}
}

// TestEndOfInput distinguishes a terminal that was closed from a typed Ctrl-D.
func TestEndOfInput(t *testing.T) {
	for input, want := range map[string]error{"": agent.ErrUnanswered, "x": agent.ErrUnanswered, "\x04": io.EOF} {
		c := &console{in: bufio.NewReader(strings.NewReader(input)), out: io.Discard, tty: os.Stdin}
		if got := c.read(answerKeys, func() {}); got.err != want {
			t.Errorf("%q: %v", input, got.err)
		}
	}
	if got, err := consoleOf(iotest.ErrReader(syscall.EIO), io.Discard).ask(t.Context(), somePrompt); err != agent.ErrUnanswered {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAnswerInterrupted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	var out bytes.Buffer
	if got, err := consoleOf(r, &out).ask(ctx, somePrompt); !errors.Is(err, stop) || got.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestPages checks that the pager shows one screen at a time, and that typing in it does
// not answer the prompt.
func TestPages(t *testing.T) {
	q := approvalPrompt{text: "text\n", choice: "now? ", columns: 80, req: skills.Request{
		Skill: "s", Script: "x", Command: []string{"/bin/sh", "x"},
		Source: func() (string, error) { return strings.Repeat("echo\n", 100), nil },
	}}
	for typed, want := range map[string]int{"v\ny\nq\nn\n": 2, "v\n\n\n\n\n\nn\n": 6, "v\n": 1} {
		var out bytes.Buffer
		got, err := consoleOf(strings.NewReader(typed), &out).ask(t.Context(), func(int, int) approvalPrompt { return q })
		if err != nil || got.Approved {
			t.Errorf("%q: got %+v, %v", typed, got, err)
		}
		if n := len(strings.Split(out.String(), " -- Enter: more, q: back ")); n-1 != min(want, 5) {
			t.Errorf("%q: %d pages, want %d\n%s", typed, n-1, want, out.String())
		}
	}
}

func TestNobodyToAsk(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if New(Env{Stdin: r, Stderr: w}, Options{}).asker() != nil {
		t.Error("a process without a terminal asks")
	}
}

// TestMaskedRequest checks that keys are masked before anything is truncated or quoted.
func TestMaskedRequest(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "key", "***") }
	q := newApprovalPrompt(masked(skills.Request{
		Skill: "s-key", Script: "key", Dir: "/key", Sandbox: "none", AllowedTools: "key", NotEnforced: []string{"key"},
		Command: []string{"key"}, Args: []string{"key"}, Source: func() (string, error) { return "key\n", nil },
	}, mask), false, 80, 24)
	if all := q.text + q.choice + strings.Join(q.view(), "\n"); strings.Contains(all, "key") || strings.Count(all, "***") != 13 {
		t.Errorf("%d masked in\n%s", strings.Count(all, "***"), all)
	}
}
