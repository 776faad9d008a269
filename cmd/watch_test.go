package cmd

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"skills/internal/run"
	"skills/internal/testing/filetest"
)

// TestWatch checks again after a change, goes on after a mistake in the configuration, and
// ends with the exit code of the signal. Without a terminal, nothing clears a screen.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	good := "---\nname: a\ndescription: Does a. Use when b.\n---\nDo it.\n"
	filetest.Write(t, dir, map[string]string{"a/SKILL.md": good, ".git/HEAD": ""})
	ctx, cancel := context.WithCancelCause(t.Context())
	out, toOut := io.Pipe()
	code := make(chan int, 1)
	go func() {
		defer toOut.Close()
		env := Env{Env: run.Env{Environ: []string{"LC_ALL=C.UTF-8"}, Dir: dir}, Stdin: strings.NewReader(""), Stdout: toOut, Stderr: toOut}
		code <- Run(ctx, env, []string{"validate", "--watch", filepath.Join(dir, "a")})
	}()
	timeout := time.AfterFunc(time.Minute, func() { out.CloseWithError(context.DeadlineExceeded) })
	defer timeout.Stop()
	lines := bufio.NewReader(out)
	next := func(want string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v before %q", err, want)
			}
			if strings.Contains(line, "\x1b") {
				t.Errorf("%q has an escape sequence", line)
			}
			if strings.Contains(line, want) {
				return
			}
		}
	}
	replace := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		filetest.File(t, path+".new", text)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	next("Valid skill")
	replace("a/SKILL.md", strings.Replace(good, "name: a", "name: A", 1))
	next("name-lowercase")
	replace("a/.skills.yaml", "strikt: true\n")
	next("strikt")
	replace("a/.skills.yaml", "strict: true\n")
	next("name-lowercase")
	cancel(Interrupt{syscall.SIGINT})
	rest, err := io.ReadAll(lines)
	if got := <-code; err != nil || got != 130 || strings.Contains(string(rest), "interrupted") {
		t.Errorf("exit code %d, %v, then %s", got, err, rest)
	}
}

// TestWatchFlags refuses what --watch cannot be used with.
func TestWatchFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--format json":           "--watch cannot be used with --format json",
		"--format text=f":         "--watch cannot be used with --format",
		"--fix":                   "--watch cannot be used with --fix",
		"--diff":                  "--watch cannot be used with --diff",
		"--add-ignore":            "--watch cannot be used with --add-ignore",
		"--write-baseline f":      "--watch cannot be used with --write-baseline",
		"--config-schema":         "--watch cannot be used with --config-schema",
		"-":                       "--watch cannot check standard input",
		"/no/such/folder/at/all":  "does not exist",
		"--baseline /no/such/one": "no/such/one",
	} {
		var out, errs bytes.Buffer
		env := Env{Env: run.Env{Dir: t.TempDir()}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		code := Run(t.Context(), env, append([]string{"validate", "--watch"}, strings.Fields(args)...))
		if code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, errs.String())
		}
	}
}
