package cmd

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"skills/internal/testing/openaitest"
)

// TestStatusLine waits for a slow model: the status line is visible while it waits, and
// nothing of it is left at the end.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	t.Run("answer", func(t *testing.T) {
		gate := make(chan struct{})
		server := openaitest.New(t, openaitest.Reply{Text: "All **done**.", Gate: gate})
		c := atConsole(t, server, nil, "run", "hello")
		c.until("waiting for the-model · ", 1)
		close(gate)
		screen, code := c.end()
		want := "the-model · " + server.URL + " · 1 skill · sandbox NAME\nuser\n  hello\nassistant\n  All **done**.\n1 turn · 0 tool calls · TIME\n\n"
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
	t.Run("reply in pieces", func(t *testing.T) {
		hold := make(chan struct{})
		reply := openaitest.Reply{Text: "some words arrive first and others later", Pacing: openaitest.Pacing{Pieces: []string{"some words arrive first ", "and others later"}, Hold: hold}}
		server := openaitest.New(t, reply)
		var out bytes.Buffer
		c := atConsole(t, server, &out, "run", "--format", "json", "hello")
		c.until("s · about 4 tokens received", 1)
		close(hold)
		screen, code := c.end()
		if code != 0 || screen != "\n" || !strings.Contains(out.String(), reply.Text) {
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
	t.Parallel()
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
