package cmd

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTextAtTerminal checks that output that other programs get verbatim is
// sanitised at a terminal.
func TestTextAtTerminal(t *testing.T) {
	t.Parallel()
	const unsafe = "\x1b\a"
	root := t.TempDir()
	dir := filepath.Join(root, "a\x1b]0;b\ac")
	makeFile(t, filepath.Join(dir, "SKILL.md"), "---\nname: a\ndescription: \"Turns \\e[31m pages\"\nmetadata:\n  version: 1.0\n---\nSay \x1b[2J.\n")
	for _, args := range [][]string{{"to-prompt", "--no-location", "."}, {"to-prompt", "--no-location", dir}, {"validate", "--diff"}, {"list", "."}} {
		if out := atTerminal(t, root, args...); out == "" || strings.ContainsAny(out, unsafe) {
			t.Errorf("%q: got %q", args, out)
		}
	}
	if out, _, _ := call(t, root, "to-prompt", "--no-location", dir); !strings.ContainsAny(out, unsafe) {
		t.Errorf("into a pipe: got %q, want the bytes of the reference library", out)
	}
}

// atTerminal runs the program with its standard output at a terminal, and
// returns what is shown there, with plain line ends.
func atTerminal(t *testing.T, dir string, args ...string) string {
	t.Helper()
	master, slave := openTerminal(t, func(settings *unix.Termios) {
		settings.Oflag &^= unix.OPOST // no carriage returns of its own
	})
	defer slave.Close()

	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error once the other end is closed
		shown <- string(text)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), endLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "skills", args...)
	c.Dir, c.Stdout = dir, slave
	c.Env = append(os.Environ(), "NO_COLOR=1", "TERM=xterm")
	_ = c.Run() // for any exit code
	must(t, ctx.Err())
	must(t, slave.Close())
	return <-shown
}
