// Package runner runs prompts and scripts, serves skills over MCP and lists them: it sets
// up skills, server, hooks, files and approval from plain options, so that commands only
// parse flags and print.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/audit"
	"skills/internal/loader"
	"skills/internal/mcp/client"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/safefile"
	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/terminal"
	"skills/internal/transcript"
)

// Env is the environment of a runner: the process, and how the command line prints.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // KEY=VALUE, as in os.Environ
	Dir            string   // working directory of the process, absolute
	Home           string   // home folder, or ""
	Config         string   // folder of the user's own configuration, or ""
	Cache          string   // folder of the user's caches, or ""
	Self           string   // path of this program, for supervising scripts; "" for no supervisor
	OnConversation func()   // called when a run's conversation starts; may be nil

	Version string
	Notify  loader.Notify                    // prints a notice
	Warn    func(format string, args ...any) // prints a warning
	Styled  func(stdout io.Writer) bool      // reports whether output is coloured
	Masked  func(mask *redact.Masker)        // receives the masker for keys in printed text

	Printer func(transcript.Printer) transcript.Printer // wraps the printer of Run; may be nil
}

// Getenv returns the last value of a variable, or "".
func (e Env) Getenv(name string) string {
	value, _ := sandbox.Lookup(e.Environ, name)
	return value
}

// Options are the flags of run and exec; the zero values are not their defaults.
type Options struct {
	Choice
	Skills, Activate                  []string
	Model, BaseURL, KeyEnv, EnvFile   string
	System, PromptTemplate            string
	Approve                           string
	Yes                               bool
	AllowScripts                      []string
	Sandbox                           string
	AllowNet                          bool
	AllowRead, AllowWrite, PassEnv    []string
	MaxTurns                          int
	Timeout, ScriptTimeout            time.Duration
	MaxTokens                         int64
	IdleTimeout                       time.Duration
	Retries, MaxToolCalls, MaxRepeats int
	MaxFailures                       int
	Parallel, Stream, StreamSet       bool
	Format                            string
	Quiet, Verbose                    bool
	Session, Audit, Record, Replay    string
	Hooks                             []string
	MCP, AllowTools                   []string
	HookTimeout                       time.Duration
	PipeTime                          time.Duration // for reading a pipe that a flag names; 0 is a minute
	Params                            []string
	JSONSchema                        string
	Images, Files                     []string
	ShowContext, NoTodo               bool
	TodoInstructions                  string
	NoTodoMessage                     bool
	FinishTodos                       int
	Compact                           string // auto or off; "" is auto
	ContextWindow                     int64
	WindowSet                         bool
	Demo, NoBuiltin, NoSlash          bool
	Source                            loader.Source // replaces the skills in folders if not nil
}

// Formats returns the output formats of Run.
func Formats() []string { return []string{"text", "json", "jsonl"} }

// Exit codes of an [Error].
const (
	ExitOK     = 0
	ExitFailed = 1 // the task was not completed
	ExitUsage  = 2 // usage error, invalid configuration, or missing input
	ExitLimit  = 3 // stopped at a limit
)

// Error is the error of a run that was rejected or failed.
type Error struct {
	Code int
	Err  error // nil if there is nothing to print
	Help string
	// Concluded means that the error is the run's result, even if the process's context
	// has ended meanwhile.
	Concluded bool
}

// Error returns the reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Hint returns Help, or else the hint of the reason.
func (e *Error) Hint() string { return cmp.Or(e.Help, HintOf(e.Err)) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// UsageError returns a usage error with a hint.
func UsageError(hint, format string, args ...any) error {
	return &Error{Code: ExitUsage, Err: fmt.Errorf(format, args...), Help: hint}
}

// UsageErrorIf is like [UsageError] if wrong is true; else it returns nil.
func UsageErrorIf(wrong bool, hint, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return UsageError(hint, format, args...)
}

// failed returns the error of a task that failed.
func failed(hint string, err error) error { return &Error{Code: ExitFailed, Err: err, Help: hint} }

// AsUsageError returns a usage error for an error that has its own hint.
func AsUsageError(err error) error { return &Error{Code: ExitUsage, Err: err} }

// AsUsageErrorIfHinted is like [AsUsageError] for an error with a hint; others are
// returned unchanged.
func AsUsageErrorIfHinted(err error) error {
	if HintOf(err) != "" {
		return AsUsageError(err)
	}
	return err
}

// HintOf returns an error's hint, or "".
func HintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// LostOutput explains an error of writing to stdout; it returns nil for other errors.
func LostOutput(stdout io.Writer, err error) error {
	var path *fs.PathError
	out, ok := stdout.(interface{ Name() string })
	if !ok || !errors.As(err, &path) || path.Op != "write" || path.Path != out.Name() {
		return nil
	}
	return failed("the output is incomplete: free some space and run it again", fmt.Errorf("writing standard output: %w", path.Err))
}

// Runner runs a prompt or a script of a skill, once. It must be closed.
type Runner struct {
	Env
	Options
	mask   *redact.Masker
	vars   *envFile         // the file of variables, once it was read
	status *terminal.Status // the status line; nil before a run

	prompt     string
	server     Server
	source     loader.Source // all of them, as the provider sees them
	chooser    *Chooser      // nil for the demo
	provider   *skills.Provider
	policy     *skills.Policy
	session    *agent.Session
	runID      string
	audit      *audit.Log     // or nil
	unconfined []unconfined   // hooks and MCP servers
	hookFiles  []string       // code of hooks that scripts could write to
	mcp        *client.Client // nil without MCP servers
	serves     bool           // over MCP: approval is the client's matter
	named      bool           // the user, not a model, names the script
	announced  []agent.Event  // notes and warnings, printed after run.started
	config     agent.Config
	schema     *jsonschema.Resolved // of the answer; nil for any
	reasked    bool                 // whether the model was asked for an answer that matches it
	playback   *replay.Playback     // nil without a recording to play
	recorder   *replay.Recorder     // nil without one to write
	recording  *bytes.Buffer        // what the recorder wrote
	target     *safefile.Target
	scripts    *script.Runner // runs script files; nil if none may run
	cleanup    []func() error
	closed     bool

	printer       transcript.Printer
	started       transcript.Started
	startedPrint  bool // run.started has been printed
	sandboxWarned bool // the warning about the sandbox has been printed
	result        transcript.Result
	printFailed   error    // of the printer
	hints         []string // how to allow what was denied
	left          leftovers
	late          chan agent.Event // notes and warnings to be printed with the next event
	cancel        context.CancelCauseFunc
}

// New returns a runner.
func New(env Env, o Options) *Runner {
	return &Runner{Env: env, Options: o, session: agent.NewSession(), runID: fmt.Sprintf("%016x", rand.Uint64()), late: make(chan agent.Event, maxLate)}
}

// maxLate is how many notes and warnings wait for the next event; more are dropped.
const maxLate = 200

// queueEvent queues a note or a warning to be printed with the next event of the run.
func (r *Runner) queueEvent(e agent.Event) {
	select {
	case r.late <- e:
	default: // more than anybody reads
	}
}

// announceNote queues a note to be printed after run.started.
func (r *Runner) announceNote(text string) {
	r.announced = append(r.announced, agent.NoteEvent{Message: text})
}

// printAnnounced prints queued notes and warnings, for output without run.started.
func (r *Runner) printAnnounced() {
	for _, e := range r.announced {
		switch e := e.(type) {
		case agent.WarningEvent:
			r.Warn("%s", e.Message)
		case agent.NoteEvent:
			fmt.Fprintf(r.Stderr, "note: %s\n", printable.Line(e.Message))
		}
	}
}

// Close releases the run's resources and returns the first error.
func (r *Runner) Close() error {
	var first error
	for _, f := range r.cleanup {
		first = cmp.Or(first, f())
	}
	r.cleanup, r.closed = nil, true
	return first
}

// absolute returns path relative to the working directory as an absolute path.
func (r *Runner) absolute(path string) string { return safefile.Absolute(r.Dir, path) }

// shown returns a path for messages: relative to dir if it is below it.
func shown(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
