// Package script runs the scripts of skills as child processes: it chooses the
// interpreter, the arguments, the environment, the limits and the sandbox. It and
// its sub-packages are the only ones that start processes. It knows nothing of
// models or approvals: the caller has already decided that a script may run.
//
// On every system: no shell, and a word of the model's is never more than one
// argument; the file is a regular one inside its skill's folder, with the digest
// that was given (whoever can write there at that very moment can still exchange
// it); the environment is made from an allow-list; standard input is empty, and
// there is no terminal; everything that a script has started ends with it; output
// is bounded, valid UTF-8, free of control characters.
//
// What a sandboxed script may read, write and reach is in package sandbox.
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

	"skills/internal/safefile"
	"skills/internal/script/sandbox"
)

// Defaults of a [Runner].
const (
	DefaultTimeout   = 60 * time.Second
	DefaultOutputCap = 64 << 10
)

// Script names one file of a skill that is to be run.
type Script struct {
	Skill  string // the skill's name, for messages
	Name   string // the file, relative to Dir, with slashes
	Dir    string // the skill's folder, absolute
	Digest string // SHA-256 in hexadecimal that the file must still have; empty: any

	Folder fs.FileInfo // what Dir must still be; nil: any

	// Unsandboxed says that a person has agreed to run it without a sandbox if
	// none works; see [SandboxAuto].
	Unsandboxed bool
}

// String is the script as messages name it: skill/file.
func (s Script) String() string {
	if s.Skill == "" {
		return s.Name
	}
	return s.Skill + "/" + s.Name
}

// SandboxMode says whether scripts need a sandbox.
type SandboxMode string

// The modes of --sandbox.
const (
	// SandboxAuto uses the strongest sandbox that works here. If none does, only
	// scripts that a person has agreed to run without one are run, see
	// [Script.Unsandboxed]. It is also the empty string.
	SandboxAuto    SandboxMode = "auto"
	SandboxRequire SandboxMode = "require" // a sandbox, or [ErrNoSandbox]
	SandboxOff     SandboxMode = "off"     // none
)

// Runner runs scripts, also several at a time. Its fields are not changed once it is used. It
// must be closed after a run, or a trial of the sandbox.
type Runner struct {
	Dir string // the scripts' working folder, absolute

	// Self is the path of a program that calls [supervisor.Main] first, normally
	// this one. With it scripts run in a sandbox, and on Linux under a supervisor.
	Self string

	Env     []string // the parent's, KEY=VALUE; scripts get the harmless part of it
	PassEnv []string // further variables that scripts get, the only way for a key to reach one

	Timeout   time.Duration // the limit of one script; 0: [DefaultTimeout], below 0: none
	OutputCap int           // bytes kept of each stream; 0 or less: [DefaultOutputCap]

	// Filter, if not nil, wraps each stream after escape sequences are removed
	// and before the cap cuts it, so that it can mask whole secrets. It gets clean
	// text, whole characters at a time, and is closed at the stream's end.
	Filter func(to io.Writer) io.WriteCloser

	Sandbox    SandboxMode
	AllowNet   bool     // sandboxed scripts may use the network
	AllowRead  []string // what sandboxed scripts may read besides the policy's; absolute
	AllowWrite []string // folders that they may write to, besides Dir and the temporary folder; absolute
	Protect    []string // what they may not write to all the same; absolute
	Private    []string // files and folders that they may not read; absolute
	Cache      string   // where compilers' caches are kept between runs, one folder a script; "": nowhere

	MoreProtect func(ctx context.Context) []string // finds further paths for Protect when the sandbox is tried

	find   func(name string) (string, bool) // instead of the search, for tests
	active activeSandbox
}

// Run runs a script and waits for its end. args are passed as they are, see
// [Arguments].
//
// The error says why the script was not started. A started script never returns
// one: a failure, a timeout, a signal and a cancelled context are in the [Result].
// What the script leaves running in the background is ended when it ends.
func (r *Runner) Run(ctx context.Context, s Script, args []string) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("starting %s: %w", s, context.Cause(ctx))
	}
	command, err := r.Command(s, args)
	if err != nil {
		return Result{}, err
	}
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
	result, err := r.execute(ctx, r.wrap(r.active.backend, command, p, r.scriptEnvironment(p, filepath.Clean(s.Dir), caches)), cmp.Or(r.Timeout, DefaultTimeout))
	if err != nil {
		if line, _, _ := strings.Cut(result.Stderr, "\n"); line != "" { // what bubblewrap printed
			err = fmt.Errorf("%w: %s", err, line)
		}
		return Result{}, fmt.Errorf("starting %s: %w", s, err)
	}
	result.Sandbox, result.Command = status.Name, command
	if status.Name != sandbox.None && !result.OK() {
		result.Unseen = unseenBy(p, args, result.Stderr)
	}
	return result, nil
}

// Reasons why a script is not started, for [errors.Is]. An error that knows what
// to do also has a method Hint() string.
var (
	// ErrNoSandbox: no sandbox works here, and one is needed.
	ErrNoSandbox = errors.New("no sandbox works here")
	// ErrPolicy: what scripts may do here cannot be enforced, for example
	// because the working folder is a home folder.
	ErrPolicy = errors.New("scripts cannot be sandboxed in this folder")
	// ErrInterpreter: what would run the script is not installed, or unknown.
	ErrInterpreter = errors.New("no interpreter")
	// ErrChanged: the file is not the one whose digest was taken.
	ErrChanged = errors.New("the file has changed since the skill was loaded")
	// ErrNotScript: the name leads to something that is never run: a folder,
	// a named pipe, a device, a path outside the skill's folder.
	ErrNotScript = errors.New("not a script")
	// ErrArguments: the arguments cannot be passed to a program.
	ErrArguments = errors.New("unusable arguments")
)

// refusal is an error with its own text, one of the reasons above, and a hint.
type refusal = safefile.Error

func refuse(reason error, hint, format string, args ...any) error {
	return &refusal{Message: fmt.Sprintf(format, args...), Help: hint, Err: reason}
}

// Missing is the error for a script whose interpreter is not installed.
type Missing struct {
	refusal
	Programs []string // of which one would do
}

func missing(script, install string, programs ...string) error {
	text := strings.Join(programs, " or ") + " is not on PATH; " + script + " needs it"
	return &Missing{refusal{Message: text, Help: install, Err: ErrInterpreter}, programs}
}
