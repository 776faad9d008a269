package cmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skills/internal/agent"
	"skills/internal/redact"
	"skills/internal/runner"
)

func (a *app) runCommand() *cobra.Command {
	var o runner.Options
	c := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run a prompt with a model that can use your skills",
		Long: `Runs a one-shot agent over an OpenAI-compatible chat-completions server. The model sees
your skills, tools to use them and a todo list. Every message and tool call is printed.
You are asked before a script runs. Without a terminal scripts are denied, unless
--allow-script names them or -y approves all.

Scripts run in a sandbox (bubblewrap or Landlock on Linux, sandbox-exec on macOS). They
read the system, their skill, your toolchains and the working folder, write in the
working folder and in TMPDIR, and have no network; --allow-read, --allow-write and
--allow-net grant more. Where no sandbox works, you are asked, and unattended scripts
need --sandbox off. In a home folder or / no script runs in a sandbox.

PROMPT may start with one or more /skill-name, which loads those skills at once. Built-in
skills are hidden from the model until you name them this way. With - or without PROMPT,
the prompt is read from standard input. Piped input beside PROMPT is appended in a <stdin>
block.

A hook reads a JSON object on standard input: event, tool, arguments, and after the call
its result. With exit code 0 it may print {"decision": "deny", "reason": "..."},
{"arguments": {...}} to change arguments, or {"result": "..."} to replace the result. Exit
code 2 denies, with standard error as the reason. A hook that fails denies too. Hooks can
also be in skills/config.yaml in your user configuration folder, never in a repository.

Server: --base-url, OPENAI_BASE_URL or OPENAI_URL. Key: OPENAI_API_KEY or API_KEY. Model:
-m, OPENAI_MODEL or MODEL, else ` + runner.DefaultModel + `. A .env file in the working folder may set them;
the environment takes precedence. A server that only .env names gets no key from the
environment.`,
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
			"2    usage error, invalid configuration, or missing input (key, skill, prompt)",
			"3    stopped at a limit (turns, time, tokens, tool calls, repeated calls)", "130  interrupted (143 by SIGTERM, 129 by SIGHUP)"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrongUsage("put the prompt in quotes", "%d arguments given, one prompt expected", len(args))
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
	fl.StringArrayVar(&o.Skills, "skills", nil, "search `PATH` for skills; repeatable, the first wins on equal names (default: ./skills, and .agents/skills and .claude/skills from here to the repository root and in the home folder)")
	fl.StringArrayVar(&o.Activate, "skill", nil, "load this skill at once; repeatable")
	fl.StringVarP(&o.Model, "model", "m", "", "model to use")
	fl.StringVar(&o.BaseURL, "base-url", "", "`URL` of the server, such as http://localhost:11434/v1")
	fl.StringVar(&o.KeyEnv, "api-key-env", "", "environment variable that holds the key")
	fl.StringVar(&o.EnvFile, "env-file", "", "read variables from `FILE` (default .env)")
	fl.StringVar(&o.System, "system", "", "put `TEXT` or @FILE before all other instructions")
	fl.StringVar(&o.PromptTemplate, "prompt-template", "", "replace the skills instructions by `FILE`, which must contain {skills}")
	scriptFlags(fl, &o, "ask")
	fl.IntVar(&o.MaxTurns, "max-turns", agent.DefaultTurns, "maximum model requests; then one final request without tools")
	fl.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "time limit of the run; 0 for no limit")
	fl.Int64Var(&o.MaxTokens, "max-tokens", 0, "maximum input and output tokens of the run (default no limit)")
	fl.DurationVar(&o.IdleTimeout, "idle-timeout", agent.DefaultIdle, "retry when the server sends nothing for this long (five times as long without streaming); 0 for no limit")
	fl.IntVar(&o.Retries, "retries", agent.DefaultRetries, "retries for transient failures (429, 5xx, network)")
	fl.IntVar(&o.MaxToolCalls, "max-tool-calls", 0, "maximum tool calls; then one final request without tools (default no limit)")
	fl.IntVar(&o.MaxRepeats, "max-repeats", 5, "maximum equal calls with equal results; then one final request without tools; 0 for no limit")
	fl.IntVar(&o.MaxFailures, "max-failures", agent.DefaultFailures, "end the run after more than this many consecutive turns in which every tool call failed")
	fl.BoolVar(&o.Parallel, "parallel", false, "run the tool calls of one turn in parallel")
	fl.BoolVar(&o.Stream, "stream", false, "print text as it arrives (default: at a terminal)")
	fl.StringVar(&o.Format, "format", "text", "output format: "+strings.Join(runner.Formats(), ", "))
	fl.BoolVarP(&o.Quiet, "quiet", "q", false, "print the final answer only")
	fl.BoolVarP(&o.Verbose, "verbose", "v", false, "also print system text, tools, context messages and token usage")
	fl.StringVar(&o.Audit, "audit", "", "append approvals and script runs to `FILE`; scripts are refused if it cannot be written")
	fl.StringArrayVar(&o.Hooks, "hook", nil, "run a program around each tool call: `WHEN=COMMAND`, WHEN is before or after; repeatable")
	fl.DurationVar(&o.HookTimeout, "hook-timeout", 30*time.Second, "time limit of each hook")
	fl.StringVar(&o.Session, "session", "", "save the conversation in `FILE`, or continue it if FILE exists")
	fl.StringVar(&o.Record, "record", "", "record the model's turns to `FILE`; a failed run writes FILE.partial if FILE exists")
	fl.StringVar(&o.Replay, "replay", "", "replay the model's turns from `FILE` without a server; tools still run")
	fl.BoolVar(&o.ShowContext, "show-context", false, "print what the model would see, then stop; no server needed")
	fl.BoolVar(&o.NoTodo, "no-todo", false, "disable the todo list")
	fl.IntVar(&o.FinishTodos, "finish-todos", 0, "ask the model to continue with open todo items, at most `N` times")
	fl.BoolVar(&o.NoBuiltin, "no-builtin", false, "disable the built-in skills")
	fl.BoolVar(&o.Demo, "demo", false, "play a recorded demo; no server or API key needed")
	return a.command(c)
}

// newRunner returns a runner with the process's environment.
func (a *app) newRunner(o runner.Options) *runner.Runner {
	return runner.New(runner.Env{
		Process: a.Env, Version: version(), Notify: a.notice, Styled: a.colours,
		Warn:   func(text string) { a.warn("%s", text) },
		Masked: func(mask *redact.Masker) { a.mask = mask },
	}, o)
}
