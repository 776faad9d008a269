// Package script runs the scripts of skills as child processes: it selects the
// interpreter, the arguments, the environment, the limits and the sandbox. Apart
// from git, which package lint/git starts, only this package and its sub-packages
// start processes. Callers approve a script before they run it.
//
// On every system there is no shell, and a word of the model is never more than
// one argument. The file is a regular one inside its skill's folder with the
// given digest (someone who can write there at that moment can still replace
// it). The environment is built from an allow-list; standard input is empty,
// and there is no terminal. All processes started by a script end with it.
// Output is limited, valid UTF-8, and free of control characters.
//
// Package sandbox documents what a sandboxed script may read, write and connect
// to.
package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// Defaults of a [Runner].
const (
	DefaultTimeout     = 60 * time.Second
	DefaultOutputLimit = 64 << 10
)

// Script identifies a file of a skill to run.
type Script struct {
	Skill  string // the skill's name, for messages
	Name   string // the file relative to Dir, with slashes
	Dir    string // the skill's folder, absolute
	Digest string // expected SHA-256 of the file in hexadecimal; "" for any

	Folder fs.FileInfo // expected identity of Dir; nil for any

	// Files is what Dir contained when the script was approved; nil for anything.
	// Covers reports whether a change of a file matters; nil if each does.
	Files  files.Snapshot
	Covers func(name string) bool

	// Unsandboxed is true if the user agreed to run the script without a sandbox
	// if none works; see [SandboxAuto].
	Unsandboxed bool
	// History lets it write the history of Git repositories in the working folder, in a run
	// with command lines. The user agreed to that.
	History bool

	configured bool  // it is a program of the user's, see [Runner.RunProgram]
	line       *Line // it is a command line, see [Workspace.RunLine]
}

// String returns the script's name in messages: skill/file.
func (s Script) String() string {
	if s.Skill == "" {
		return s.Name
	}
	return s.Skill + "/" + s.Name
}

// SandboxMode specifies whether scripts need a sandbox.
type SandboxMode string

// The values of --sandbox.
const (
	// SandboxAuto uses the strongest sandbox that works. If there is none, only
	// scripts with [Script.Unsandboxed] are run. The empty string means the
	// same.
	SandboxAuto    SandboxMode = "auto"
	SandboxRequire SandboxMode = "require" // fails with [ErrNoSandbox] if there is none
	SandboxOff     SandboxMode = "off"     // no sandbox
)

// Runner runs scripts. It is safe for concurrent use, but its fields must not
// change after the first use. Close must be called after the last use.
type Runner struct {
	Dir string // working directory of scripts, absolute

	// Self is the path of a program that calls [supervisor.Main] first, normally
	// this program. It is required for a sandbox, and for the supervisor on
	// Linux.
	Self string

	Env     []string // environment of the parent, KEY=VALUE; scripts get the harmless part of it
	PassEnv []string // names of further variables for scripts, the only way to pass a key

	Timeout     time.Duration // time limit of one script; 0 for [DefaultTimeout], negative for none
	OutputLimit int           // bytes kept of each stream; 0 or less for [DefaultOutputLimit]

	Callbacks

	Sandbox    SandboxMode
	AllowNet   bool     // allows the network in the sandbox
	AllowRead  []string // additional readable paths, absolute
	AllowWrite []string // additional writable folders, absolute
	Protect    []string // paths that stay read-only, absolute
	Private    []string // paths that are hidden, absolute
	Shared

	state
}

// Shared is what the programs of a run share.
type Shared struct {
	Cache string // parent folder of compilers' caches kept between runs, one per script; "" for none
	Lines bool   // command lines are run, too: all programs share one /tmp, where the sandbox has its own
}

// Callbacks are functions of the caller that a runner calls; each may be nil.
type Callbacks struct {
	// Filter wraps each stream after escape sequences are removed and before it
	// is truncated, so that it can mask complete secrets. It gets complete
	// characters of clean text, and is closed at the end of the stream.
	Filter func(to io.Writer) io.WriteCloser
	// Around is called before each script, also without a sandbox, and returns what is
	// called after its end and before OnLeft.
	Around func() (end func())
	// OnLeft receives what a script left behind.
	OnLeft func(s Script, left []Leftover)
	// MoreProtect returns further paths for Protect when the sandbox is determined.
	MoreProtect func(ctx context.Context) []string
}

// state is the sandbox of a runner, and what tests replace; nil for what is real.
type state struct {
	active      activeSandbox
	find        func(name string) (string, bool) // the search on PATH
	beforeStart func(sandbox.Policy)             // called between the policy and the start
}

// Run runs a script and waits for its end. args are passed unchanged, see
// [Arguments].
//
// The error is the reason why the script was not started. Failures of a started
// script, a timeout, a signal and a cancelled context are in the [Result].
// Background processes of the script end with it.
func (r *Runner) Run(ctx context.Context, s Script, args []string) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s, context.Cause(ctx))
	}
	command, err := r.Command(s, args)
	if err != nil {
		return Result{}, err
	}
	return r.runSandboxed(ctx, s, command, args)
}

// RunProgram runs a program in the sandbox that a script of the folder dir would get: it
// works in r.Dir and can also read dir, which SKILL_DIR names. A name with a slash is a
// file relative to r.Dir; any other is searched in the folders of TrustedPath. Errors are as for [Runner.Run].
func (r *Runner) RunProgram(ctx context.Context, dir string, command []string) (Result, error) {
	c, err := r.trusted(ctx, command)
	if err != nil {
		return Result{}, err
	}
	return r.runSandboxed(ctx, Script{Dir: dir, Name: command[0], configured: true}, c.Args, command[1:])
}

// runSandboxed runs the command of a script in its sandbox.
func (r *Runner) runSandboxed(ctx context.Context, s Script, command, args []string) (Result, error) {
	status, err := r.TrySandbox(ctx)
	if err != nil {
		return Result{}, err
	}
	if status.Name == sandbox.None && r.Sandbox != SandboxOff && !s.Unsandboxed {
		return Result{}, noSandbox("", status.Tried)
	}
	p, caches, err := r.policyFor(s, command)
	if err != nil {
		return Result{}, err
	}
	if r.beforeStart != nil {
		r.beforeStart(p)
	}
	if err := checkFiles(ctx, s); err != nil { // last, so that little time is left for a change
		return Result{}, err
	}
	dir := s.Dir
	if dir != "" {
		dir = filepath.Clean(dir)
	}
	env := r.scriptEnvironment(p, dir, caches)
	switch {
	case s.configured:
		env = withTrustedPath(r, env)
	case s.line != nil:
		env = append(env, Workspace{r}.environment()...)
	}
	limit, whole := cmp.Or(r.Timeout, DefaultTimeout), io.Writer(nil)
	if s.line != nil {
		limit, whole = cmp.Or(s.line.Timeout, limit), s.line.Output
	}
	look, err := watch(r, s, p)
	if err != nil {
		return Result{}, err
	}
	end := func() {}
	if r.Around != nil {
		end = r.Around()
	}
	result, err := r.execute(ctx, wrap(r, r.active.backend, command, p, env), limit, whole)
	end()
	left := look()
	if err != nil {
		if line, _, _ := strings.Cut(result.Stderr, "\n"); line != "" { // a message of bubblewrap
			err = fmt.Errorf("%w: %s", err, line)
		}
		return Result{}, fmt.Errorf("starting %s: %w", s, err)
	}
	result.Sandbox, result.Command, result.Left = status.Name, command, left
	if len(result.Left) > 0 && r.OnLeft != nil {
		r.OnLeft(s, result.Left)
	}
	if status.Name != sandbox.None && !result.OK() {
		result.Unseen = unseenBy(p, args, result.Stderr)
	}
	return result, nil
}

// Reasons why a script is not started, for [errors.Is]. An error with a known
// solution has a [fault.Hint].
var (
	// ErrNoSandbox: a sandbox is required, and none works.
	ErrNoSandbox = errors.New("no sandbox works here")
	// ErrPolicy: the policy cannot be enforced, for example because the working
	// directory is a home folder.
	ErrPolicy = errors.New("scripts cannot be sandboxed in this folder")
	// ErrInterpreter: the interpreter is unknown or not installed.
	ErrInterpreter = errors.New("no interpreter")
	// ErrChanged: the file does not have the expected digest.
	ErrChanged = errors.New("the file has changed since the skill was loaded")
	// ErrTooLarge: the skill has too many files to be compared before each start.
	ErrTooLarge = errors.New("the skill has too many files")
	// ErrNotScript: the name refers to something that is never run: a folder, a
	// named pipe, a device, a path outside the skill's folder.
	ErrNotScript = errors.New("not a script")
	// ErrArguments: the arguments cannot be passed to a program.
	ErrArguments = errors.New("unusable arguments")
)

func newError(reason error, hint, format string, args ...any) error {
	return &fault.Error{Message: fmt.Sprintf(format, args...), Hint: hint, Err: reason}
}

// Missing is the error for a script whose interpreter is not installed.
type Missing struct {
	Programs []string // alternatives, of which one is enough
	err      *fault.Error
}

// Error returns the reason.
func (m *Missing) Error() string { return m.err.Error() }

// Unwrap returns the reason with its hint.
func (m *Missing) Unwrap() error { return m.err }

func missing(script, install string, programs ...string) error {
	text := strings.Join(programs, " or ") + " is not on PATH; " + script + " needs it"
	return &Missing{programs, &fault.Error{Message: text, Hint: install, Err: ErrInterpreter}}
}
