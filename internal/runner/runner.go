// Package runner runs prompts and scripts, serves skills over MCP and lists them: it sets
// up skills, server, hooks, files and approval from plain options, so that commands only
// parse flags and print.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/choice"
	"skills/internal/files"
	"skills/internal/history/runlog"
	"skills/internal/loader"
	"skills/internal/mcp/client"
	"skills/internal/printable"
	"skills/internal/redact"
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
	Choice                            choice.Options
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

// Runner runs a prompt or a script of a skill, once. It must be closed.
type Runner struct {
	Env
	Options
	mask   *redact.Masker
	vars   *envFile         // the file of variables, once it was read
	status *terminal.Status // the status line; nil before a run

	prompt     string
	server     Server
	source     loader.Source   // all of them, as the provider sees them
	chooser    *choice.Chooser // nil for the demo
	provider   *skills.Provider
	policy     *skills.Policy
	session    *agent.Session
	runID      string
	audit      *runlog.Log    // or nil
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
	target     *files.Target
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
func (r *Runner) absolute(path string) string { return files.Absolute(r.Dir, path) }
