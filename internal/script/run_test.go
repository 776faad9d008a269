//go:build unix

package script

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// runner is a Runner without a sandbox, with the test's own environment, plus
// the given entries.
func runner(t *testing.T, env ...string) *Runner {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Dir: dir, Self: self, Sandbox: SandboxOff, Env: append(os.Environ(), env...)}
}

// run runs a script that has to start.
func run(t *testing.T, r *Runner, s Script, args ...string) Result {
	t.Helper()
	result, err := r.Run(t.Context(), s, args)
	if err != nil {
		t.Fatalf("Run(%s) = %v", s, err)
	}
	return result
}

const printArguments = "import json, sys\nprint(json.dumps(sys.argv[1:]))\n"

func TestRunArgumentsVerbatim(t *testing.T) {
	t.Parallel()
	r, s := runner(t), skill(t, "scripts/args.py", printArguments)
	want := []string{"--value", "26.2", "a b", "$(touch x)", "`touch x`", "; touch x", "&& touch x", "> x", "*", "~", "$HOME", "", "-", "'\"\\", "a\nb", "诗"}
	raw, _ := json.Marshal(want)
	args, err := Arguments(raw)
	if err != nil {
		t.Fatal(err)
	}
	result := run(t, r, s, args...)
	var got []string
	if err := json.Unmarshal([]byte(result.Stdout), &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("the script saw %q (%v), want %q", got, err, want)
	}
	if entries, _ := os.ReadDir(r.Dir); len(entries) > 0 {
		t.Errorf("an argument was carried out: %v", entries)
	}
	if !result.OK() || result.ExitCode != 0 || result.Signal != "" || result.Truncated || result.Sandbox != "none" || result.Limit != DefaultTimeout {
		t.Errorf("got %+v, want success without a sandbox", result)
	}
	if command, err := r.Command(s, args); err != nil || !slices.Equal(result.Command, command) {
		t.Errorf("started %q, announced %q (%v)", result.Command, command, err)
	}
}

func TestRunObjectArguments(t *testing.T) {
	t.Parallel()
	args, err := Arguments([]byte(`{"value":26.2,"verbose":true,"quiet":false,"n":null,"tag":["a","b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	result := run(t, runner(t), skill(t, "a.sh", `printf '%s|' "$@"`), args...)
	if want := "--value|26.2|--verbose|--tag|a|--tag|b|"; result.Stdout != want {
		t.Errorf("the script saw %q, want %q", result.Stdout, want)
	}
}

func TestRunFormsOfScripts(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, content, want string }{
		{"python, not executable", "scripts/a.py", "print(6 * 7)\n", "42\n"},
		{"bash by extension", "a.sh", "[[ x == x ]] && echo $BASH | sed 's|.*/||'\n", "bash\n"},
		{"no extension, not executable", "tool", "#!/bin/sh\necho \"$0\" | sed 's|.*/||'\n", "tool\n"},
		{"option in the shebang", "a.sh", "#!/bin/sh -e\nfalse\necho not reached\n", ""},
		{"env", "tool", "#!/usr/bin/env bash\necho ok\n", "ok\n"},
		{"env -S", "tool", "#!/usr/bin/env -S bash -e\nfalse\necho not reached\n", ""},
		{"env with a variable", "tool", "#!/usr/bin/env -S GREETING=hello bash\necho $GREETING\n", "hello\n"},
		{"CR LF in the shebang", "tool", "#!/usr/bin/env bash\r\necho ok #\r\n", "ok\n"},
		{"path of another system", "tool", "#!/opt/local/none/bash\necho ok\n", "ok\n"},
		{"blank in the path", "my scripts/a b.sh", "echo ok\n", "ok\n"},
		{"dash in front", "-c.sh", "echo ok\n", "ok\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := run(t, runner(t), skill(t, test.file, test.content)); got.Stdout != test.want {
				t.Errorf("got %q, stderr %q, want %q", got.Stdout, got.Stderr, test.want)
			}
		})
	}
}

func TestCommandKeepsShebangPath(t *testing.T) {
	t.Parallel()
	r, s := runner(t), skill(t, "a.sh", "#!/opt/x/zsh -f\n")
	r.find = installed("/opt/x/zsh", "zsh", "bash")
	want := []string{"/opt/x/zsh", "-f", filepath.Join(s.Dir, "a.sh"), "y"}
	if got, err := r.Command(s, []string{"y"}); err != nil || !slices.Equal(got, want) {
		t.Errorf("Command() = %q, %v, want %q", got, err, want)
	}
}

// TestRunWithMetadata uses echo under the name of uv.
func TestRunWithMetadata(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	echo, err := executable("/bin/echo")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(echo, filepath.Join(bin, "uv")); err != nil {
		t.Fatal(err)
	}
	r := runner(t, "PATH="+bin+":relative:"+os.Getenv("PATH"))
	s := skill(t, "scripts/a.py", metadata+"print('python')\n")
	if got, want := run(t, r, s, "--x").Stdout, "run --script "+filepath.Join(s.Dir, "scripts/a.py")+" --x\n"; got != want {
		t.Errorf("with uv: got %q, want %q", got, want)
	}
	r = runner(t)
	if _, ok := r.Find("uv"); ok {
		return // it is really here, and would go to the network
	}
	if got := run(t, r, s).Stdout; got != "python\n" {
		t.Errorf("without uv: got %q, want python", got)
	}
}

func TestRunEnvironment(t *testing.T) {
	t.Parallel()
	r, s := runner(t, "OPENAI_API_KEY=sk-1", "MY_TOKEN=t-1", "HOME=/home/x"), skill(t, "scripts/a.sh", "pwd -P; echo $SKILL_DIR; env\n")
	r.PassEnv = []string{"MY_TOKEN"}
	result := run(t, r, s)
	lines := strings.Split(result.Stdout, "\n")
	if lines[0] != r.Dir || lines[1] != s.Dir {
		t.Errorf("working directory %q, SKILL_DIR %q, want %q and %q", lines[0], lines[1], r.Dir, s.Dir)
	}
	for _, entry := range []string{"HOME=/home/x", "MY_TOKEN=t-1", "PATH=" + os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1"} {
		if !slices.Contains(lines, entry) {
			t.Errorf("%q is not in the environment:\n%s", entry, result.Stdout)
		}
	}
	if strings.Contains(result.Stdout, "sk-1") {
		t.Errorf("the key is in the environment:\n%s", result.Stdout)
	}
}

func TestRunStandardInputIsEmpty(t *testing.T) {
	t.Parallel()
	result := run(t, runner(t), skill(t, "a.sh", "read line; echo \"$? [$line]\"; cat; (: </dev/tty) 2>/dev/null || echo no terminal\n"))
	if want := "1 []\nno terminal\n"; result.Stdout != want {
		t.Errorf("got %q, want %q", result.Stdout, want)
	}
	// No terminal can be reached from a session of its own, nor be taken.
	session, _ := unix.Getsid(0)
	own := "import os, sys\nprint(os.getsid(0) != int(sys.argv[1]), os.getpid() == os.getpgrp())\n"
	if result := run(t, runner(t), skill(t, "a.py", own), strconv.Itoa(session)); result.Stdout != "True True\n" {
		t.Errorf("in a session of its own: got %q, stderr %q, want True", result.Stdout, result.Stderr)
	}
}

func TestRunFailure(t *testing.T) {
	t.Parallel()
	result := run(t, runner(t), skill(t, "a.sh", "echo out; echo err >&2; exit 3\n"))
	if result.OK() || result.ExitCode != 3 || result.Stdout != "out\n" || result.Stderr != "err\n" {
		t.Errorf("got %+v, want both streams and code 3", result)
	}
	if got, want := result.Text(), "out\nStderr:\nerr\nScript exited with code 3"; got != want {
		t.Errorf("Text() = %q, want %q", got, want)
	}
	result = run(t, runner(t), skill(t, "a.sh", "kill -KILL $$\n"))
	if result.OK() || result.ExitCode != 137 || result.Signal != "SIGKILL" || result.TimedOut {
		t.Errorf("got %+v, want signal SIGKILL", result)
	}
	if got := run(t, runner(t), skill(t, "a.sh", ":\n")).Text(); got != "(no output)" {
		t.Errorf("Text() = %q, want (no output)", got)
	}
}

func TestRunCleansOutput(t *testing.T) {
	t.Parallel()
	result := run(t, runner(t), skill(t, "a.sh", `printf 'a\xff\033[31mred\033[0m\r\nb\007'; printf '\033]0;title\007e' >&2`))
	if result.Stdout != "a\uFFFDred\nb" || result.Stderr != "e" {
		t.Errorf("got %q and %q, want them clean", result.Stdout, result.Stderr)
	}
}

func TestRunFlood(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.OutputLimit = 1000
	result := run(t, r, skill(t, "a.sh", "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last; head -c 3000 /dev/zero | tr '\\0' y >&2\n"))
	if !result.Truncated || !result.OK() {
		t.Errorf("truncated %t, ok %t, want both", result.Truncated, result.OK())
	}
	if !strings.HasPrefix(result.Stdout, "first\nxxx") || !strings.HasSuffix(result.Stdout, "xxx\nlast\n") {
		t.Errorf("got %.20q … %q, want the beginning and the end", result.Stdout, result.Stdout[max(0, len(result.Stdout)-20):])
	}
	if want := "\n… 49,999,012 bytes omitted …\n"; !strings.Contains(result.Stdout, want) || len(result.Stdout) != 1000+len(want) {
		t.Errorf("%d bytes, want 1000 and %q in the middle", len(result.Stdout), want)
	}
	if want := "\n… 2,000 bytes omitted …\n"; !strings.Contains(result.Stderr, want) || len(result.Stderr) != 1000+len(want) {
		t.Errorf("%d bytes of standard error, want 1000 and %q in the middle", len(result.Stderr), want)
	}
}

func TestRunParallel(t *testing.T) {
	t.Parallel()
	r, s := runner(t), skill(t, "a.sh", "echo $1\n")
	results := make(chan string)
	for i := range 20 {
		go func() {
			result, err := r.Run(t.Context(), s, []string{strconv.Itoa(i)})
			results <- strconv.FormatBool(result.Stdout == strconv.Itoa(i)+"\n" && err == nil)
		}()
	}
	for range 20 {
		if got := <-results; got != "true" {
			t.Error("a script run beside others has not printed its own argument")
		}
	}
}

func TestRunSandboxModes(t *testing.T) {
	t.Parallel()
	s := skill(t, "a.sh", "echo ok\n")
	r := runner(t)
	if result := run(t, r, s); result.Sandbox != "none" || result.Stdout != "ok\n" {
		t.Errorf("off: got %+v, want it to run in sandbox none", result)
	}
	// Without Self there is no sandbox, and nothing runs without the user's consent.
	for _, mode := range []SandboxMode{"", SandboxAuto} {
		r := runner(t)
		r.Sandbox, r.Self = mode, ""
		if _, err := r.Run(t.Context(), s, nil); !errors.Is(err, ErrNoSandbox) {
			t.Errorf("%q: Run() = %v, want ErrNoSandbox", mode, err)
		}
		agreed := s
		agreed.Unsandboxed = true
		if result := run(t, r, agreed); result.Sandbox != "none" || result.Stdout != "ok\n" {
			t.Errorf("%q: got %+v, want it to run in sandbox none", mode, result)
		}
		if c, err := r.TrySandbox(t.Context()); err != nil || c.Name != "none" || len(c.NotEnforced) == 0 {
			t.Errorf("TrySandbox() = %+v, %v, want none and a reason", c, err)
		}
	}
	r = runner(t)
	r.Sandbox, r.Self = SandboxRequire, ""
	agreed := s
	agreed.Unsandboxed = true
	if _, err := r.Run(t.Context(), agreed, nil); !errors.Is(err, ErrNoSandbox) {
		t.Errorf("required: Run() = %v, want ErrNoSandbox", err)
	}
	r = runner(t)
	r.Sandbox = "maybe"
	if _, err := r.Run(t.Context(), s, nil); err == nil || !strings.Contains(err.Error(), `unknown sandbox mode "maybe"`) {
		t.Errorf("Run() = %v, want an unknown mode", err)
	}
}

func TestRunNotStarted(t *testing.T) {
	t.Parallel()
	r, s := runner(t), skill(t, "a.sh", "echo ok\n")
	r.Dir = filepath.Join(r.Dir, "gone")
	if _, err := r.Run(t.Context(), s, nil); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "starting test-skill/a.sh: ") {
		t.Errorf("no working directory: Run() = %v, want that it does not exist", err)
	}
	if _, err := runner(t).Run(t.Context(), s, []string{strings.Repeat("x", maxArguments)}); !errors.Is(err, ErrArguments) {
		t.Errorf("too much: Run() = %v, want ErrArguments", err)
	}
}
