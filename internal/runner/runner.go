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

	"github.com/santhosh-tekuri/jsonschema/v6"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/audit"
	"skills/internal/hook"
	"skills/internal/loader"
	"skills/internal/redact"
	"skills/internal/safefile"
	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/terminal"
	"skills/internal/transcript"
)

// Process is the environment of a process.
type Process struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // KEY=VALUE, as os.Environ has it
	Dir            string   // working folder, absolute
	Home           string   // home folder, "" for none
	Config         string   // folder of the user's own configuration, "" for none
	Self           string   // path of this program, which supervises scripts; "" for no supervisor
	OneProcessor   func()   // called when a run's conversation begins; nil does nothing
}

// Getenv returns the value of a variable, "" if it is not set; the last entry counts.
func (p Process) Getenv(name string) string {
	value, _ := sandbox.Lookup(p.Environ, name)
	return value
}

// Env is what a runner is given of the command line around it.
type Env struct {
	Process
	Version string
	Notify  loader.Notify               // prints a notice
	Warn    func(text string)           // prints a warning
	Styled  func(stdout io.Writer) bool // whether output is coloured
	Masked  func(mask *redact.Masker)   // receives what hides keys in printed text
}

// Options are the flags of run and exec; zero values are not their defaults.
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
	HookTimeout                       time.Duration
	Params                            []string
	JSONSchema                        string
	Images, Files                     []string
	ShowContext, NoTodo               bool
	TodoInstructions                  string
	NoTodoMessage                     bool
	FinishTodos                       int
	Demo, NoBuiltin, NoSlash          bool
}

// Formats are the output formats of Run.
func Formats() []string { return []string{"text", "json", "jsonl"} }

// Exit codes of an [Error].
const (
	ExitOK     = 0
	ExitFailed = 1 // the task was not done
	ExitUsage  = 2 // usage error, invalid configuration, or missing input
	ExitLimit  = 3 // stopped at a limit
)

// Error is a run that was refused or failed.
type Error struct {
	Code int
	Err  error // nil if there is nothing to print
	Help string
	// Concluded says that the error is the run's result, whatever ended the
	// process's context meanwhile.
	Concluded bool
}

// Error is the reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Hint says what to do about it; without a help of its own, what the reason says.
func (e *Error) Hint() string { return cmp.Or(e.Help, HintOf(e.Err)) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Refuse is a usage error with a hint.
func Refuse(hint, format string, args ...any) error {
	return &Error{Code: ExitUsage, Err: fmt.Errorf(format, args...), Help: hint}
}

// failed is a failure of the task itself.
func failed(hint string, err error) error { return &Error{Code: ExitFailed, Err: err, Help: hint} }

// Refused is a usage error made of one that brings its own hint.
func Refused(err error) error { return &Error{Code: ExitUsage, Err: err} }

// Hinted is [Refused] for an error that has a hint; others stay.
func Hinted(err error) error {
	if HintOf(err) != "" {
		return Refused(err)
	}
	return err
}

// HintOf returns what an error says to do, "" for nothing.
func HintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// LostOutput explains an error of writing to stdout, nil for another.
func LostOutput(stdout io.Writer, err error) error {
	var path *fs.PathError
	out, ok := stdout.(interface{ Name() string })
	if !ok || !errors.As(err, &path) || path.Op != "write" || path.Path != out.Name() {
		return nil
	}
	return failed("the output is incomplete: free some space and run it again", fmt.Errorf("writing standard output: %w", path.Err))
}

// Runner runs prompts or scripts of skills as its options say, once, and is then closed.
type Runner struct {
	Env
	Options
	mask   *redact.Masker
	vars   *envFile         // the file of variables, once it was read
	status *terminal.Status // the line that shows what is waited for; nil before a run

	prompt    string
	server    Server
	source    *loader.Cached // all of them, as the provider sees them
	chooser   *Chooser       // nil for the demo
	provider  *skills.Provider
	policy    *skills.Policy
	session   *agent.Session
	kept      agent.ContextProvider // the session's file, nil without one
	runID     string
	audit     *audit.Log         // nil without one
	hooks     []agent.Middleware // the user's programs around calls
	runHooks  *hook.Run          // those around the run; nil without hooks
	hookFiles []string           // those of them that scripts could write to
	config    agent.Config
	schema    *jsonschema.Schema // of the answer; nil for any
	mended    bool               // whether the model was asked for an answer that matches it
	playback  *replay.Playback   // nil without a recording to play
	recorder  *replay.Recorder   // nil without one to write
	recording *bytes.Buffer      // what the recorder wrote
	target    *safefile.Target
	scripts   *script.Runner // of script files; nil if nothing is run
	notes     []string       // printed after run.started
	cleanup   []func() error
	closed    bool

	begun         time.Time
	printer       transcript.Printer
	started       transcript.Started
	startedPrint  bool           // whether run.started has been printed
	sandboxWarned bool           // whether the warning about what the sandbox does not enforce was printed
	demonstrated  sandbox.Status // what the demo says of scripts on disk
	result        transcript.Result
	printFailed   error       // of the printer
	hints         []string    // how to allow what was denied
	late          chan string // warnings about skills, to be printed with the next event
	cancel        context.CancelCauseFunc
}

// New returns a runner.
func New(env Env, o Options) *Runner {
	return &Runner{Env: env, Options: o, session: agent.NewSession(), runID: fmt.Sprintf("%016x", rand.Uint64())}
}

// ReadKeys finds the keys that no output may show, in the environment and the
// file of variables, and passes them to Env.Masked.
func (r *Runner) ReadKeys(ctx context.Context) {
	r.mask = r.masker(ctx)
	r.Masked(r.mask)
}

// Close releases what belongs to this run alone; the first error is returned.
func (r *Runner) Close() error {
	var first error
	for _, f := range r.cleanup {
		first = cmp.Or(first, f())
	}
	r.cleanup, r.closed = nil, true
	return first
}

func (r *Runner) warnf(format string, args ...any) { r.Warn(fmt.Sprintf(format, args...)) }

// absolute returns path seen from the working folder.
func (r *Runner) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.Dir, path)
}
