// Package git determines the changed files of a repository.
//
// It runs the installed git in a way that git starts no other program: hooks,
// pagers, external diffs, filters, file system monitors and transports are
// disabled, because the repository may be untrusted.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/script/sandbox"
)

// Client runs git from PATH, but never a program inside the repository.
type Client struct {
	// Env is git's environment as in os.Environ; variables that select another
	// repository have no effect.
	Env []string
	// Untrusted lists more folders from which git is not started.
	Untrusted []string
}

const (
	maxOutput = 64 << 20 // bytes of output to read
	maxStderr = 4 << 10  // bytes of git's messages to keep
)

// noHooks is an empty folder of hooks.
const noHooks = "/dev/null"

// settings precede every command and override the repository's configuration.
var settings = []string{
	"--no-pager", "--no-optional-locks",
	"-c", "core.fsmonitor=false", // may name a program
	"-c", "core.hooksPath=" + noHooks,
	"-c", "core.quotepath=off",
	"-c", "color.ui=never",
}

// exitError is git's exit code and message.
type exitError struct {
	code   int
	stderr string
}

func (e *exitError) Error() string { return fmt.Sprintf("git exited with %d: %s", e.code, e.stderr) }

// run runs git in a folder without filters, which reading and comparing files would run,
// and returns its output. A filtered file with another time stamp may count as changed
// although its content is the same. Errors of git are *exitError.
func (c Client) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	top, _ := loader.Repository(dir)
	top = cmp.Or(top, dir)
	program, err := sandbox.FindTrusted("git", sandbox.SearchPath(c.Env), append(slices.Clone(c.Untrusted), top, sandbox.Real(top)))
	if err != nil {
		return nil, &fault.Error{Message: err.Error(), Hint: "install git", Err: err}
	}
	if args[0] == "config" { // it reads no file of the working tree
		return start(ctx, program, dir, c.Env, args...)
	}
	names, err := start(ctx, program, dir, c.Env, "config", "--name-only", "-z", "--get-regexp", `^filter\.`)
	if exit, ok := errors.AsType[*exitError](err); err != nil && !(ok && exit.code == 1) { // 1: there are none
		return nil, err
	}
	var off [][2]string
	for name := range strings.SplitSeq(string(names), "\x00") {
		switch name[strings.LastIndexByte(name, '.')+1:] {
		case "clean", "smudge", "process":
			off = append(off, [2]string{name, ""})
		case "required":
			off = append(off, [2]string{name, "false"})
		}
	}
	return start(ctx, program, dir, withSettings(c.Env, off), args...)
}

// start runs git. Only run calls it.
func start(ctx context.Context, program, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, slices.Concat(settings, args)...)
	cmd.Dir = dir
	cmd.Env = environment(env)
	stdout, stderr := &capped{most: maxOutput}, &capped{most: maxStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second // a child of git may keep the pipes open
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case stdout.over:
		return nil, &fault.Error{Message: fmt.Sprintf("git printed more than %d MiB", maxOutput>>20), Hint: "name a more recent revision, or a smaller folder"}
	case errors.As(err, &exit):
		return nil, &exitError{exit.ExitCode(), strings.TrimSpace(stderr.kept.String())}
	case err != nil:
		return nil, &fault.Error{Message: fmt.Sprintf("running git: %v", err), Hint: "check that git runs in this folder", Err: err}
	}
	return stdout.kept.Bytes(), nil
}

// capped keeps the start of what is written to it.
type capped struct {
	kept bytes.Buffer // not embedded: io.Copy would use its ReadFrom, which has no limit
	most int
	over bool // whether anything was dropped
}

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), c.most-c.kept.Len())
	c.over = c.over || keep < len(p)
	c.kept.Write(p[:keep])
	return len(p), nil
}

// kept lists git's variables that are passed on: those for its configuration,
// which mark folders as safe. In a hook, others may select another repository.
var kept = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH",
	"GIT_CONFIG_COUNT",
}

// environment returns git's environment.
func environment(env []string) []string {
	var out []string
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			key = strings.ToUpper(key)
		}
		setting := strings.HasPrefix(key, "GIT_CONFIG_KEY_") || strings.HasPrefix(key, "GIT_CONFIG_VALUE_")
		switch {
		case strings.HasPrefix(key, "GIT_") && !setting && !slices.Contains(kept, key):
		case key == "LC_ALL", key == "LANG", key == "LANGUAGE", key == "LC_MESSAGES":
		default:
			out = append(out, kv)
		}
	}
	return append(out,
		"LC_ALL=C",                // messages are parsed
		"GIT_TERMINAL_PROMPT=0",   // no prompts
		"GIT_OPTIONAL_LOCKS=0",    // no writes
		"GIT_NO_LAZY_FETCH=1",     // no missing objects of partial clones; older versions do not know it
		"GIT_ALLOW_PROTOCOL=none", // no network; overrides protocol.NAME.allow
	)
}

// withSettings adds settings to an environment's git configuration.
func withSettings(env []string, settings [][2]string) []string {
	n := 0
	for _, kv := range env {
		if text, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(text)
		}
	}
	out := slices.Clone(env)
	for i, s := range settings {
		at := strconv.Itoa(max(n, 0) + i)
		out = append(out, "GIT_CONFIG_KEY_"+at+"="+s[0], "GIT_CONFIG_VALUE_"+at+"="+s[1])
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(max(n, 0)+len(settings)))
}
