package approve

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
	"time"

	"skills/internal/agent"
)

// consoleOf is a console without a terminal.
func consoleOf(in io.Reader, out io.Writer) *console {
	return &console{in: in, out: out}
}

func somePrompt(int, int) approvalPrompt {
	return approvalPrompt{text: "text\n", choice: "now? ", columns: 80, req: Request{Approval: &agent.Approval{
		Action: agent.Summary{Kind: agent.KindScript, Owner: "s", Name: "x"},
	}}}
}

// TestAskAgain shows only the choices again after an unclear answer.
func TestAskAgain(t *testing.T) {
	var out bytes.Buffer
	c := consoleOf(strings.NewReader("hm\n?\nhm\ny\n"), &out)
	if got, err := c.ask(t.Context(), somePrompt); err != nil || !got.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
	if want := "text\nnow? Please answer y, n, a or v.\nnow? " + somePrompt(80, 24).help() + "now? Please answer y, n, a or v.\nnow? "; out.String() != want {
		t.Errorf("shown was %q, want %q", out.String(), want)
	}
}

func TestAnswer(t *testing.T) {
	no := Answer{Reason: "the user answered no"}
	for typed, want := range map[string]Answer{
		"y\n": {Approved: true}, "YES\n": {Approved: true}, " a \n\n": {Approved: true, Scope: ScopeProgram}, "always\n2\n": {Approved: true, Scope: ScopeProgram},
		"a\n1\n": {Approved: true, Scope: ScopeArguments}, "a\n3\n": {Approved: true, Scope: ScopeOwner}, "a\nq\ny\n": {Approved: true}, "a\n": no, "a\n9\nx\n?\nn\n": no,
		"n\n": no, "No\n": no, "n \n": no, "never mind\n": no, "\n": no, "": no, "yes please\n": no, "y": {Approved: true},
		"yess\ny\n": {Approved: true}, "\n?\nA\n\n": {Approved: true, Scope: ScopeProgram}, "q\nn\ny\n": no, "yess\ny": {Approved: true},
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

// typist types keys, each after a pause.
type typist struct {
	keys   []string
	pauses []time.Duration
	time   time.Time
}

func (t *typist) Read(buffer []byte) (int, error) {
	if len(t.keys) == 0 {
		return 0, io.EOF
	}
	n := copy(buffer, t.keys[0])
	t.time = t.time.Add(t.pauses[0])
	t.keys, t.pauses = t.keys[1:], t.pauses[1:]
	return n, nil
}

// TestWord checks that keys which follow one without a meaning are a word, until a pause.
func TestWord(t *testing.T) {
	const short, long = wordPause - time.Millisecond, wordPause + time.Millisecond
	for _, test := range []struct {
		keys   []string
		pauses []time.Duration
		want   string
		bells  int
	}{
		{[]string{"y"}, []time.Duration{0}, "y", 0},
		{[]string{"q", "c", "a", "y"}, []time.Duration{0, short, short, long}, "y", 3},
		{[]string{"q", "a"}, []time.Duration{0, long}, "a", 1},
		{[]string{"xyes\n", "n\n"}, []time.Duration{0, long}, "n\n", 1},
		{[]string{"xyes\n", "y"}, []time.Duration{0, short}, "", 2},
	} {
		keys := &typist{keys: test.keys, pauses: test.pauses, time: time.Now()}
		var out bytes.Buffer
		c := &console{in: bufio.NewReader(keys), out: &out, tty: os.Stdin, clock: func() time.Time { return keys.time }}
		got := c.read(answerKeys, func() {})
		if bells := strings.Count(out.String(), "\a"); got.text != test.want || bells != test.bells {
			t.Errorf("%q after %v: the answer is %q after %d bells, want %q after %d", test.keys, test.pauses, got.text, bells, test.want, test.bells)
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
	q := approvalPrompt{text: "text\n", choice: "now? ", columns: 80, req: Request{Approval: &agent.Approval{
		Action: agent.Summary{Kind: agent.KindScript, Owner: "s", Name: "x", Command: []string{"/bin/sh", "x"}},
		Source: func() (string, error) { return strings.Repeat("echo\n", 100), nil },
	}}}
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
	none := Terminal{Stdin: r, Stderr: w}
	if none.Asker() != nil || none.Confirmer() != nil {
		t.Error("a process without a terminal asks")
	}
}

// TestConfirm checks that only a clear yes counts, and that an unclear answer is asked for
// again, at most twice.
func TestConfirm(t *testing.T) {
	for typed, want := range map[string]struct {
		yes     bool
		prompts int
	}{
		"y\n": {true, 1}, " YES \n": {true, 1}, "y": {true, 1}, "n\ny\n": {false, 1}, "No\n": {false, 1}, "": {false, 1}, "hm": {false, 1},
		"\ny\n": {true, 2}, "yes please\na\ny\n": {true, 3}, "a\n\nyess\ny\n": {false, 3},
	} {
		var out bytes.Buffer
		prompts := 0
		yes, err := consoleOf(strings.NewReader(typed), &out).confirm(t.Context(), func() string {
			prompts++
			return "Use it? "
		})
		if err != nil || yes != want.yes || prompts != want.prompts || strings.Count(out.String(), "Use it? ") != prompts {
			t.Errorf("%q: got %t, %v after %d prompts, want %+v; shown %q", typed, yes, err, prompts, want, out.String())
		}
	}
	if yes, err := consoleOf(iotest.ErrReader(syscall.EIO), io.Discard).confirm(t.Context(), func() string { return "" }); yes || err != agent.ErrUnanswered {
		t.Errorf("a closed terminal: got %t, %v", yes, err)
	}
	// At a terminal one key is an answer, and the rest of a paste is not.
	for pasted, want := range map[string]string{"y": "y", "N": "N", "\n": "\n", "a": "", "xn": "", "q\x04": ""} {
		c := &console{in: bufio.NewReader(strings.NewReader(pasted)), out: io.Discard, tty: os.Stdin}
		if got := c.read(confirmKeys, func() {}); got.text != want {
			t.Errorf("%q is the answer %q, want %q", pasted, got.text, want)
		}
	}
}

// TestMaskedRequest checks that keys are masked before anything is truncated or quoted.
func TestMaskedRequest(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "key", "***") }
	req := Request{Sandbox: "none", NotEnforced: []string{"key"}, Changed: true, ChangedFiles: []string{"key"}, Unseen: []string{"key"}, Approval: &agent.Approval{
		Action: agent.Summary{Kind: agent.KindScript, Owner: "s-key", Name: "key", Line: "key", Command: []string{"key"}},
		Dir:    "/key", Note: "key", Args: []string{"key"}, Source: func() (string, error) { return "key\n", nil },
	}}
	masked := Masked(req, mask)
	q := newApprovalPrompt(masked, false, 80, 24)
	if all := q.text + q.choice + strings.Join(q.view(), "\n"); strings.Contains(all, "key") || strings.Count(all, "***") != 17 {
		t.Errorf("%d masked in\n%s", strings.Count(all, "***"), all)
	}
	if masked.Action.Line != "***" || req.Action.Line != "key" || req.Args[0] != "key" || req.Unseen[0] != "key" {
		t.Errorf("got %+v of %+v", masked.Action, req)
	}
}
