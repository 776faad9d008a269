package run

// The settings of a run, in groups. They have no flags: a command or an eval fills them, and
// [Options.Check] says which values and combinations are valid.

import (
	"context"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/choice"
	"skills/internal/fault"
	"skills/internal/lint/config"
	"skills/internal/loader"
	"skills/internal/suggest"
)

// Options say what to run, in groups. The zero value is not the default of the command
// line's flags.
type Options struct {
	Prompt   Prompt
	Server   ServerOptions
	Request  Request
	Skills   Selection
	Todo     Todo
	Approval Approval
	Scripts  Scripts
	Programs Programs
	Limits   Limits
	Files    Files
	// Demo plays the built-in skill with its recorded conversation.
	Demo bool
	// Valid returns what is wrong with the caller's own options; it is called with the
	// checks of the others. Nil checks nothing.
	Valid func() error
	// Serves means that the skills are offered to other programs. No person waits for the
	// end, so warnings are passed on at once.
	Serves bool
	// Discard means that the working folder is removed after the run, so that nothing is
	// remembered of it.
	Discard bool
	// Preview assembles the first request only: no server is needed, no file is opened
	// for writing.
	Preview bool
}

// Prompt is what the model is asked.
type Prompt struct {
	// Read returns the prompt; it is called once the server is known, because it may wait
	// for a person. Nil means no prompt.
	Read     func(ctx context.Context) (string, error)
	Next     []string // what the user says after each answer, see [agent.Replies]
	System   string   // text before all instructions, or @FILE
	Template string   // file that replaces the instructions on skills
	Activate []string // skills that are loaded at once
	NoSlash  bool     // /name at the start is text
	Loop     Loop     // what follows an answer
	Images   []string // files that are sent with the prompt
	Files    []string
}

// Loop says what follows an answer: the run goes on until checks pass, or after a plan.
type Loop struct {
	Until string // command that has to succeed
	Judge string // condition that the model judges
	Max   int    // how often the model is asked to go on
	Plan  bool   // the first answer is a plan, before which nothing is run or changed
	// Confirm shows the plan to a person, and returns the decision; nil if nobody can answer.
	Confirm func(ctx context.Context, plan string) (approve.PlanAnswer, error)
}

// ServerOptions choose the server and the model. What is empty comes from the environment
// or the file of variables.
type ServerOptions struct {
	Model, BaseURL string
	Name           string        // of a server in the user's own configuration, instead of that of Model
	KeyEnv         string        // environment variable with the key
	EnvFile        string        // file of variables; "" is .env, if it exists
	EnvFound       bool          // EnvFile was found, not named by the user
	Headers        []string      // NAME: VALUE of every request
	API            string        // auto, chat or responses; "" is that of the server, or auto
	Found          *Server       // the server that was already found, with Model in place of its model; or nil
	Retries        int           // of transient failures
	Idle           time.Duration // after which a silent server is asked again
	Stream         bool          // request server-sent events
}

// Request holds what is sent with every request.
type Request struct {
	Params     []string // KEY=VALUE
	JSONSchema string   // file with the schema of the answer
	ToolCalls  string   // auto, native or json; "" is auto
}

// Selection chooses the skills.
type Selection struct {
	Choice    choice.Options
	Roots     []string      // where to search; empty for the default places
	Source    loader.Source // replaces the skills in folders if not nil
	NoBuiltin bool
}

// Todo configures the todo list.
type Todo struct {
	Off          bool
	Instructions string // file that replaces the instructions on it
	NoMessage    bool   // do not show the list in each request
	Finish       int    // how often to ask for open items
}

// Approval says which actions run without asking.
type Approval struct {
	Mode           string // ask, always, never, later; "" is ask
	Yes            bool   // the same as always
	Scripts, Tools []string
	// Commands and Edits are patterns of command lines and of paths of files.
	Commands, Edits []string
	// Trusted are skills whose allowed-tools approve what they name by a pattern.
	Trusted []string
	// Load means that the model loads skills and reads their files only after an approval.
	Load bool
	// Calls are answers to calls that wait in the session, as ID=ANSWER.
	Calls []string
	// Ask returns the function that asks for approval, or nil if nobody can answer. It is
	// called once.
	Ask func(mask func(text string) string) approve.Asker
	// Confirm asks other questions; nil if nobody can answer.
	Confirm Confirm
}

// Scripts confine the scripts of skills.
type Scripts struct {
	Sandbox                        string // auto, require, off
	AllowNet                       bool
	AllowRead, AllowWrite, PassEnv []string
	Timeout                        time.Duration
	Runner                         string // command that runs the scripts, instead of this program
}

// Programs are the user's own programs that take part in a run.
type Programs struct {
	// Tools are groups of workspace tools, as in [workspace.Groups]; nil for those of the
	// user's configuration.
	Tools       []string
	Hooks       []string // WHEN=COMMAND
	HookTimeout time.Duration
	// HookProtocol is the protocol of hooks, one of [hook.Protocols]; "" is skills.
	HookProtocol string
	MCP          []string // COMMAND or NAME=URL
	MCPConfig    string   // file with servers in the form of other clients
	// ServerOutput receives the standard error of MCP servers as notes.
	ServerOutput bool
}

// Limits bound a run.
type Limits struct {
	Turns, ToolCalls, Repeats, Failures int
	Timeout                             time.Duration
	Tokens                              int64
	Cost                                float64   // of these tokens; 0 for no limit
	Price                               []float64 // of a million input and output tokens; empty for that of the configuration
	Compact                             string    // auto, summary or off; "" is auto
	Window                              int64     // tokens of the model's context; 0 if unknown
	WindowSet                           bool
	Parallel                            bool // run the calls of one turn concurrently
}

// Files are written by a run, or played.
type Files struct{ Session, History, Audit, Record, Replay string }

// Check returns the errors of options that a run would find before it starts.
func (o Options) Check() error {
	for _, text := range o.Approval.Scripts {
		_, err := approve.ParsePattern(text, "skill", "script")
		if err != nil {
			return badScriptPattern(err)
		}
	}
	_, err := o.checked()
	if err != nil {
		return err
	}
	return o.Programs.parseHooks(ignoreHook)
}

// Check returns the errors of options that need no server.
func (o ServerOptions) Check() error {
	if o.API != "" && !slices.Contains(config.APIs(), o.API) {
		return fault.Usage(suggest.Hint(o.API, config.APIs(), ""), "unknown value %q of --api", o.API)
	}
	for _, text := range o.Headers {
		_, _, err := parseHeader(text)
		if err != nil {
			return err
		}
	}
	return variableName("--api-key-env", o.KeyEnv)
}

// checked returns the options with their defaults, or an error for an invalid
// combination.
func (o Options) checked() (Options, error) {
	passErr := variableName("--pass-env", o.Scripts.PassEnv...)
	if passErr != nil {
		return o, passErr
	}
	if o.Approval.Yes && o.Approval.Mode != "" && o.Approval.Mode != string(approve.Always) {
		return o, fault.Usage("use only one of them", "-y cannot be used with --approve %s", o.Approval.Mode)
	}
	switch {
	case o.Approval.Yes:
		o.Approval.Mode = string(approve.Always)
	case o.Approval.Mode == "":
		o.Approval.Mode = string(approve.Ask)
		if o.Demo { // its script is ours
			o.Approval.Scripts = append(slices.Clip(o.Approval.Scripts), "unit-converter/*")
		}
	}
	for _, c := range []struct{ flag, value, choices string }{
		{"--approve", o.Approval.Mode, "ask, always, never, later"},
		{"--sandbox", o.Scripts.Sandbox, "auto, require, off"},
		{"--compact", o.Limits.Compact, "auto, summary, off"},
		{"--tool-calls", o.Request.ToolCalls, "auto, native, json"},
	} {
		names := strings.Split(c.choices, ", ")
		mayBeEmpty := slices.Contains([]string{"--compact", "--tool-calls"}, c.flag)
		if !slices.Contains(names, c.value) && (!mayBeEmpty || c.value != "") {
			return o, fault.Usage(suggest.Hint(c.value, names, ""), "unknown value %q of %s", c.value, c.flag)
		}
	}
	_, err := groupsOf(o.Programs.Tools)
	if err != nil {
		return o, err
	}
	err = o.Server.Check()
	if err != nil {
		return o, err
	}
	for _, rule := range o.rules() {
		if rule.broken {
			return o, fault.Usage(rule.hint, rule.format, rule.args...)
		}
	}
	return o, nil
}

// rule is a condition of valid options.
type rule struct {
	broken       bool
	hint, format string
	args         []any
}

// rules returns what must hold for values and combinations, in the order in which it is
// reported.
func (o Options) rules() []rule {
	l, idleSet := o.Limits, o.Server.Idle != agent.DefaultIdle
	own := o.Files.Replay != "" || o.Files.Record != "" || len(o.Skills.Roots) > 0
	of := func(broken bool, hint, format string, args ...any) rule {
		return rule{broken: broken, hint: hint, format: format, args: args}
	}
	return []rule{
		of(l.Turns < 1, "pass at least 1", "--max-turns %v is less than 1", l.Turns),
		of(l.Timeout < 0, "pass a time such as 90s or 10m, or 0 for no limit", "--timeout %v is negative", l.Timeout),
		of(o.Scripts.Timeout <= 0, "pass a time such as 90s", "--script-timeout %v is not positive", o.Scripts.Timeout),
		of(l.Tokens < 0, "pass a number of tokens, or 0 for no limit", "--max-tokens %v is negative", l.Tokens),
		of(!(l.Cost >= 0 && l.Cost < 1e12), "pass an amount in the currency of the prices, or 0 for no limit", "--max-cost %v is not an amount", l.Cost),
		of(len(l.Price) > 0 && !validPrice(l.Price), "write it as --price 0.25,2", "--price is not a pair of prices"),
		of(l.WindowSet && l.Window < 1, "pass a number of tokens, such as 32768", "--context-window %v is less than 1", l.Window),
		of(o.Todo.Finish < 0, "pass a number, or 0 for never", "--finish-todos %v is negative", o.Todo.Finish),
		of(o.Todo.Finish > 0 && o.Todo.Off, "use only one of them", "--finish-todos cannot be used with --no-todo"),
		of((o.Todo.Instructions != "" || o.Todo.NoMessage) && o.Todo.Off, "omit --no-todo", "--todo-instructions and --no-todo-message cannot be used with --no-todo"),
		of(o.Server.Idle < 0 && idleSet, "pass a time such as 30s, or 0 for no limit", "--idle-timeout %v is negative", o.Server.Idle),
		of(o.Server.Retries < 0, "pass a number, 0 for never", "--retries %v is negative", o.Server.Retries),
		of(l.ToolCalls < 0, "pass a number of calls, or 0 for no limit", "--max-tool-calls %v is negative", l.ToolCalls),
		of(l.Repeats < 0 || l.Repeats == 1, "pass at least 2, or 0 for no limit", "--max-repeats %v is less than 2", l.Repeats),
		of(l.Failures < 0, "pass a number of turns, or 0 to end at the first that fails", "--max-failures %v is negative", l.Failures),
		of(o.Approval.Mode == string(approve.Later) && o.Files.Session == "", "add --session FILE, which keeps what waits", "--approve later needs a session"),
		of(o.Approval.Mode == string(approve.Later) && l.Parallel, "use only one of them", "--approve later cannot be used with --parallel"),
		of(len(o.Approval.Calls) > 0 && o.Files.Session == "", "add the --session FILE in which the call waits", "--approve-call needs a session"),
		of(o.Prompt.Loop.loops() && o.Prompt.Loop.Max < 1, "pass at least 1", "--max-loops %v is less than 1", o.Prompt.Loop.Max),
		of(o.Prompt.Loop.Judge != "" && (o.Files.Replay != "" || o.Files.Record != ""), "omit one of them; a recording has no judge", "--until-judge cannot be used with --record or --replay"),
		of(o.Demo && (o.Prompt.Loop.loops() || o.Prompt.Loop.Plan), "omit it; the demo is recorded", "--demo cannot be used with --until, --until-judge or --plan"),
		of(o.Files.Replay != "" && o.Files.Record != "", "record a run with a server, then play it back", "--record cannot be used with --replay"),
		of(o.Demo && o.Files.Session != "", "omit --session", "--demo cannot be used with --session"),
		of(o.Demo && len(o.Programs.MCP) > 0, "omit --mcp; the demo is recorded", "--demo cannot be used with --mcp"),
		of(o.Demo && o.Programs.MCPConfig != "", "omit --mcp-config; the demo is recorded", "--demo cannot be used with --mcp-config"),
		of(o.Demo && o.Skills.NoBuiltin, "omit --no-builtin", "--demo cannot be used with --no-builtin"),
		of(o.Demo && len(o.Skills.Choice.Only)+len(o.Skills.Choice.Without) > 0, "the demo has one skill, its own", "--demo cannot be used with --only or --without"),
		of(o.Demo && own, "the demo has its own skill and its own recording", "--demo cannot be used with --replay, --record or --skills"),
	}
}

// loops reports whether answers are checked.
func (l Loop) loops() bool { return l.Until != "" || l.Judge != "" }

// none reports whether no script may run, regardless of approval.
func (a Approval) none() bool {
	return approve.Mode(a.Mode) == approve.Never && len(a.Scripts) == 0
}

// validPrice reports whether a list holds the prices of input and output.
func validPrice(list []float64) bool {
	return len(list) == 2 && config.ValidPrice([2]float64(list))
}
