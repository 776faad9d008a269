// Package cmd is the command line: one file for each subcommand, which parses flags,
// calls a function and prints the result. Streams and environment are injected with
// [Env], and one function determines exit codes.
package cmd

import (
	"context"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/console"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/run"
	"skills/internal/script/supervisor"
	"skills/internal/terminal"
)

// Env is the environment of the process. [Run] sets what prints.
type Env = console.Env

// OS returns the environment of this process.
func OS() Env {
	dir, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	config, _ := os.UserConfigDir()
	cache, _ := os.UserCacheDir()
	return Env{
		Env:   run.Env{Environ: os.Environ(), Dir: dir, Home: home, Config: config, Cache: cache, Self: self()},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, OnConversation: tuneForRun,
	}
}

// tuneForRun tunes the process for a conversation. Its goroutines run one after
// another, and waking a second processor for each step costs up to a fifth of a run's
// time. A reply may be large, so garbage is collected as often as Go does by itself.
func tuneForRun() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	tuneGC(100)
}

// TuneGC makes garbage collection less frequent, which saves time: a command is short
// and keeps little in memory. From 128 MiB on memory is collected as often as needed to
// stay there. GOGC and GOMEMLIMIT in the environment override it.
func TuneGC() { tuneGC(400) }

func tuneGC(percent int) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(128 << 20)
	}
}

// self returns the path of this program. On Linux it is the running file, even if an
// update has replaced it.
func self() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable()
	return path
}

// app is one call of the program: its environment and the global flags.
type app struct {
	Env
	colour   terminal.Colour
	groups   map[*cobra.Command][]*pflag.FlagSet // of flags, with titles in the help
	commands []*cobra.Command                    // in the order of help
	helpErr  error                               // error of printing help
	started  bool                                // the command has started; earlier errors are usage errors
	mask     *redact.Masker                      // masks keys in output; may be nil
	readKeys func()                              // sets mask to one for the keys that a run would use
}

func newApp(env Env) *app {
	ascii := !terminal.UTF8(env.Getenv)
	stderr := env.Stderr
	if ascii {
		env.Stdout = printable.TextWriter(env.Stdout, ascii, func() int { return 0 })
	}
	if terminal.Is(stderr) || ascii {
		env.Stderr = printable.TextWriter(stderr, ascii, func() int { return terminal.Width(stderr) })
	}
	a := &app{Env: env, colour: terminal.ColourAuto, groups: map[*cobra.Command][]*pflag.FlagSet{}}
	a.Version, a.Notify, a.Warn, a.Env.Note, a.Styled = version(), a.notice, a.warn, a.note, a.colours
	a.Masked = func(mask *redact.Masker) { a.mask = mask }
	a.readKeys = func() { findKeys(context.Background(), a, run.Options{}) }
	return a
}

// colours reports whether output to w is styled.
func (a *app) colours(w io.Writer) bool { return a.colour.Enabled(a.Getenv, terminal.Is(w)) }

// Run executes the command line args (without the program's name) and returns the exit
// code.
func Run(ctx context.Context, env Env, args []string) int {
	a := newApp(env)
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.helpErr
	}
	return a.exit(ctx, err)
}

func (a *app) root() *cobra.Command {
	showVersion := false
	root := a.command(&cobra.Command{
		Use:   "skills",
		Short: "Check, list and run Agent Skills",
		Long: `Check, list and run Agent Skills: folders with a SKILL.md that an AI agent loads
on demand.`,
		Example: `  skills run --demo
  skills new my-skill
  skills validate skills/my-skill
  skills to-prompt ./skills
  skills run "convert 1 kg to lb"`,
		Annotations: note("", "0    success", "1    problems found, or the run did not finish its task",
			"2    usage error, invalid configuration, or missing input", "3    stopped at a limit", exitInterrupted),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(c, args[0])
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if showVersion {
				return printVersion(a)
			}
			return c.Help()
		},
	})
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpCommand(helpCommand(a, root))
	root.PersistentFlags().Var(&a.colour, "color", "colour output: auto, always or never")
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	a.values(root, "color", "auto", "always", "never")
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	add := func(group string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: group, Title: group})
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
		a.commands = append(a.commands, commands...)
	}
	add("Check skills", newCommand(a), validateCommand(a), lspCommand(a), auditCommand(a), listCommand(a), rulesCommand(a))
	add("Use skills", runCommand(a), execCommand(a), toPromptCommand(a), readPropertiesCommand(a), mcpCommand(a), approvalsCommand(a))
	add("Measure skills", newEvalCommand(a))
	add("Publish skills", packCommand(a), indexCommand(a))
	add("Set up", doctorCommand(a), completionCommand(a, root), versionCommand(a))
	root.AddCommand(manCommand(a, root))
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// command completes a command: cobra prints nothing itself, and RunE records that the
// command has started.
func (a *app) command(c *cobra.Command) *cobra.Command {
	c.SilenceErrors, c.SilenceUsage, c.DisableFlagsInUseLine = true, true, true
	c.SetHelpFunc(a.help)
	a.addGroups(c)
	c.SetUsageFunc(func(*cobra.Command) error { return nil })
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			a.started = true
			return run(c, args)
		}
	}
	return c
}

// Supervise must be called first. In a process started to supervise a script it does
// that and returns the exit code, and ok is true.
func Supervise(args []string) (code int, ok bool) { return supervisor.Main(args) }
