package cmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skills/internal/agent"
	"skills/internal/redact"
	"skills/internal/runner"
	"skills/internal/script"
)

func (a *app) runCommand() *cobra.Command {
	var o runner.Options
	c := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Take a prompt through a model that sees the skills",
		Long: `Runs a one-shot agent over an OpenAI-compatible chat-completions server. It sees the
skills, the skill tools and a todo list, works until it has an answer, and prints
every message and tool call. Before a script runs it asks; without a terminal that
means no, unless --allow-script names the script, or -y.

Scripts run in a sandbox (bubblewrap or Landlock on Linux, sandbox-exec on macOS). They
read the system, their skill, your toolchains and the working folder, write in the
working folder and in TMPDIR, and have no network; --allow-read, --allow-write and
--allow-net grant more. Where no sandbox works, you are asked, and unattended scripts
need --sandbox off. In a home folder or / no script runs in a sandbox.

PROMPT may start with /skill-name, or several, which loads those skills at once; that is
also how the built-in skills are called, which the model does not see before. - or a pipe
without an argument reads it from standard input; a pipe beside an argument is appended to
it in a <stdin> block, and read to its end once something has come.

A hook reads a JSON object on its standard input (event, tool, arguments, and after the
call its result). With exit code 0 it may answer {"decision": "deny", "reason": "..."},
{"arguments": {...}} to change some, or {"result": "..."}; 2 denies, with standard error
as the reason. A hook that fails, or answers anything else, denies too. Hooks may also
stand in skills/config.yaml in the folder of your own configuration, never in a
repository.

The server is --base-url, else OPENAI_BASE_URL or OPENAI_URL; the key OPENAI_API_KEY or
API_KEY; the model -m, else OPENAI_MODEL or MODEL, else ` + runner.DefaultModel + `. A .env file here may
name them too, and never overrides the environment; a server named only there gets no
key that is not named there as well.`,
		Example: `  skills run --demo
  skills run "convert 1 kg to lb"
  skills run --base-url http://localhost:11434/v1 -m qwen3 "convert 1 kg to lb"
  git diff | skills run --skill code-review "review this change"
  skills run -q --allow-script 'unit-converter/*' "convert 1 kg to lb"
  skills run --finish-todos 3 "tidy up the examples"
  skills run --idle-timeout 20s --retries 5 "convert 1 kg to lb"
  skills run --hook before='./check.sh --strict' "convert 1 kg to lb"
  skills run --audit runs.jsonl "convert 1 kg to lb"
  skills run --session trip.jsonl "and now 5 kg"
  skills run --max-turns 5 --max-tool-calls 10 --timeout 2m "convert 1 kg to lb"
  skills run --allow-net --allow-write ../out "fetch the rates and store them"
  skills run "/skill-author write one that fills PDF forms"
  skills run --show-context`,
		Annotations: exits("0    the model gave its answer", "1    the run failed",
			"2    wrong usage, or something that is not there (no key, no such skill, an empty prompt)",
			"3    stopped at a limit (turns, time, tokens, tool calls, repeated calls)", "130  interrupted (143: by SIGTERM)"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrongUsage("put the prompt in quotes", "%d arguments given, one prompt wanted", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.StreamSet = c.Flags().Changed("stream")
			if err := emptyValue(c.Flags(), "system"); err != nil {
				return err
			}
			return a.newRunner(o).Run(c.Context(), args)
		},
	}
	fl := c.Flags()
	fl.StringArrayVar(&o.Skills, "skills", nil, "skills folder `PATH`; repeatable, earlier wins on equal names (default: ./skills, then .agents/skills and .claude/skills up to the repository's root and in the home folder)")
	fl.StringArrayVar(&o.Activate, "skill", nil, "load the skill `NAME` at once; repeatable")
	fl.StringVarP(&o.Model, "model", "m", "", "model `NAME`")
	fl.StringVar(&o.BaseURL, "base-url", "", "`URL` where the server is, such as http://localhost:11434/v1")
	fl.StringVar(&o.KeyEnv, "api-key-env", "", "`NAME` of the variable that holds the key")
	fl.StringVar(&o.EnvFile, "env-file", "", "`FILE` with variables to load (default .env here)")
	fl.StringVar(&o.System, "system", "", "instructions put before everything else, as `TEXT` or @FILE")
	fl.StringVar(&o.PromptTemplate, "prompt-template", "", "`FILE` that replaces the skills instructions; must hold {skills}")
	fl.StringVar(&o.Approve, "approve", "", "what happens before a script runs, `MODE`: ask, always or never; what --allow-script names runs all the same (default ask)")
	fl.BoolVarP(&o.Yes, "yes", "y", false, "approve every script; without a sandbox you must also pass --sandbox off")
	fl.StringArrayVar(&o.AllowScripts, "allow-script", nil, "run scripts that match `SKILL/SCRIPT` without asking, * and ? allowed; repeatable")
	fl.StringVar(&o.Sandbox, "sandbox", string(script.SandboxAuto), "sandbox for scripts: auto (the strongest available), require or off")
	fl.BoolVar(&o.AllowNet, "allow-net", false, "let sandboxed scripts use the network")
	fl.StringArrayVar(&o.AllowRead, "allow-read", nil, "let sandboxed scripts also read `PATH`; repeatable")
	fl.StringArrayVar(&o.AllowWrite, "allow-write", nil, "let sandboxed scripts also write in `DIR`; repeatable")
	fl.StringArrayVar(&o.PassEnv, "pass-env", nil, "hand the variable `NAME` on to scripts; repeatable")
	fl.IntVar(&o.MaxTurns, "max-turns", agent.DefaultTurns, "most requests to the model; one more, without tools, asks for a closing answer")
	fl.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "most time for the run; 0 for no limit")
	fl.DurationVar(&o.ScriptTimeout, "script-timeout", script.DefaultTimeout, "most time for one script")
	fl.Int64Var(&o.MaxTokens, "max-tokens", 0, "most tokens, in and out, of all turns together (default: no limit)")
	fl.DurationVar(&o.IdleTimeout, "idle-timeout", agent.DefaultIdle, "most time without a word from the server (a reply that is not streamed may take five times as long), then it is asked again; 0 for no limit")
	fl.IntVar(&o.Retries, "retries", agent.DefaultRetries, "how often a request that failed for the moment is sent again")
	fl.IntVar(&o.MaxToolCalls, "max-tool-calls", 0, "most tool calls; then a closing answer is asked for (default: no limit)")
	fl.IntVar(&o.MaxRepeats, "max-repeats", 5, "how often the same call may have the same result, before a closing answer is asked for; 0 for no limit")
	fl.IntVar(&o.MaxFailures, "max-failures", agent.DefaultFailures, "how many turns in a row may fail in all their calls; one more ends the run with the last error")
	fl.BoolVar(&o.Parallel, "parallel", false, "run the calls of one turn concurrently")
	fl.BoolVar(&o.Stream, "stream", false, "print text as it comes (default: at a terminal)")
	fl.StringVar(&o.Format, "format", "text", "output `NAME`: "+strings.Join(runner.Formats(), ", "))
	fl.BoolVarP(&o.Quiet, "quiet", "q", false, "print the final answer only")
	fl.BoolVarP(&o.Verbose, "verbose", "v", false, "print what the model saw as well: system text, tools, the end of each request, usage")
	fl.StringVar(&o.Audit, "audit", "", "record every script run and every approval in `FILE`, which only grows; what cannot be recorded is not run")
	fl.StringArrayVar(&o.Hooks, "hook", nil, "run a program around each tool call, `WHEN=COMMAND`: before=.. or after=..; repeatable, in order")
	fl.DurationVar(&o.HookTimeout, "hook-timeout", 30*time.Second, "most time for one hook")
	fl.StringVar(&o.Session, "session", "", "keep the conversation and the todo list in `FILE`; the same file again continues it")
	fl.StringVar(&o.Record, "record", "", "write the model's turns to `FILE`; a run that fails leaves an earlier recording as it is, and writes FILE.partial")
	fl.StringVar(&o.Replay, "replay", "", "play the model's turns back from `FILE`: no server and no key; tools still run")
	fl.BoolVar(&o.ShowContext, "show-context", false, "print the system text, the tools and their schemas, then stop: no server needed")
	fl.BoolVar(&o.NoTodo, "no-todo", false, "leave the todo list out")
	fl.IntVar(&o.FinishTodos, "finish-todos", 0, "when the model stops with open todo items, ask it to go on, at most `N` times")
	fl.BoolVar(&o.NoBuiltin, "no-builtin", false, "leave out the built-in skills, which the model sees only once --skill or /name calls one (skills list shows them)")
	fl.BoolVar(&o.Demo, "demo", false, "the built-in skill with its recorded conversation: works without a key")
	return a.command(c)
}

// newRunner returns a runner with the process's environment.
func (a *app) newRunner(o runner.Options) *runner.Runner {
	return runner.New(runner.Env{
		Stdin: a.Stdin, Stdout: a.Stdout, Stderr: a.Stderr, Environ: a.Environ, Dir: a.Dir, Home: a.Home, Config: a.Config, Self: a.Self,
		Version: version(), Settle: a.Settle, Notify: a.notice, Styled: a.colours,
		Warn:   func(text string) { a.warn("%s", text) },
		Masked: func(mask *redact.Masker) { a.mask = mask },
	}, o)
}
