package cmd

// The command run and its flags, by groups, which other commands share.

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/agent"
	"skills/internal/console"
	"skills/internal/hook"
	"skills/internal/printable"
	"skills/internal/run"
)

func runCommand(a *app) *cobra.Command {
	var o console.Options
	c := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run a prompt with a model that can use your skills",
		Long: `Run a prompt with a model that can use your skills, over an OpenAI-compatible server.
Every message and tool call is printed.

The model sees the skills in ./skills, .agents/skills and .claude/skills (from here up to
the repository root, and in the home folder), tools to use them, and a todo list.
/skill-name at the start of PROMPT loads that skill at once. With - or without PROMPT, the
prompt is read from standard input; otherwise, piped input is appended to PROMPT.

You are asked before a script runs. Without a terminal, scripts are denied unless
--allow-script names them or -y approves all. Scripts run in a sandbox: they read the
system, their skill and the working folder, write in the working folder, and have no
network.

Server: --base-url, OPENAI_BASE_URL or OPENAI_URL. Key: OPENAI_API_KEY or API_KEY. Model:
-m, OPENAI_MODEL or MODEL, else ` + run.DefaultModel + `. -m SERVER/MODEL names a server of your own
configuration, which may also have a default. A .env file in the working folder may set
them; if it names another server than the last run here, you are asked.`,
		Example: `  skills run --demo
  skills run "convert 1 kg to lb"
  skills run --base-url http://localhost:11434/v1 \
      -m qwen3 "convert 1 kg to lb"
  git diff | skills run --skill code-review "review this"
  skills run -q --allow-script 'conv/*' "1 kg in lb"
  skills run --session trip.jsonl "and now 5 kg"
  skills run "/skill-author write one that fills PDF forms"`,
		Annotations: note("run", "0    the model gave its answer", "1    the run failed",
			"2    usage error, invalid configuration, or missing input (key, skill, prompt)",
			"3    stopped at a limit (turns, time, tokens, cost, tool calls, repeated calls), or waiting for an approval", exitInterrupted),
		Args: arguments(0, 1, "PROMPT", "put the prompt in quotes"),
		RunE: given(func(c *cobra.Command, args []string) error {
			o.Output.StreamSet, o.Limits.WindowSet = c.Flags().Changed("stream"), c.Flags().Changed("context-window")
			return console.Run(c.Context(), a.Env, o, args)
		}, "system"),
	}
	fl := a.group(c, "Server")
	serverFlags(fl, &o.Options)

	fl = a.group(c, "Recordings")
	fl.StringVar(&o.Files.Record, "record", "", "record the model's turns")
	fl.StringVar(&o.Files.Replay, "replay", "", "replay recorded turns; tools still run")
	fl.BoolVar(&o.Demo, "demo", false, "play a recorded demo; no server or API key needed")
	promptFlags(a, c, &o)
	scriptFlags(a, c, &o.Options, "ask", append(approvalModes(), "later"))
	approvalFlags(a, c, &o.Options)

	toolFlags(a, c, &o.Options)

	runLimitFlags(a, c, &o.Options)
	loopFlags(a, c, &o.Options)
	outputFlags(a, c, &o)
	completeRun(a, c, &o)
	return a.command(c)
}

// approvalFlags defines the flags about approvals that outlive a run.
func approvalFlags(a *app, c *cobra.Command, o *run.Options) {
	fl := a.group(c, "Approvals and sessions")
	fl.BoolVar(&o.Approval.Load, "approve-load", false, "ask before the model loads a skill or reads its files")
	fl.StringArrayVar(&o.Approval.Calls, "approve-call", nil, "answer a call that waits: yes, no or always; repeatable")
}

// loopFlags defines the flags about what follows an answer.
func loopFlags(a *app, c *cobra.Command, o *run.Options) {
	fl := a.group(c, "Plan and loop")
	fl.BoolVar(&o.Prompt.Loop.Plan, "plan", false, "answer with a plan first; work once you approve it")
	fl.StringVar(&o.Prompt.Loop.Until, "until", "", "go on until this program succeeds; it runs in the sandbox")
	fl.StringVar(&o.Prompt.Loop.Judge, "until-judge", "", "go on until the model judges that this is true")
	fl.IntVar(&o.Prompt.Loop.Max, "max-loops", 10, "how often the model is asked to go on")
}

// runLimitFlags defines the flags that limit a run of this command.
func runLimitFlags(a *app, c *cobra.Command, o *run.Options) {
	fl := a.group(c, "Limits")
	limitFlags(fl, o)
	fl.StringVar(&o.Limits.Compact, "compact", "auto", "shorten requests near the context limit: auto, summary, off")
	fl.Int64Var(&o.Limits.Window, "context-window", 0, "size of the model's context in tokens (default: if known)")
	fl.BoolVar(&o.Limits.Parallel, "parallel", false, "run the tool calls of one turn in parallel")

	fl = a.group(c, "Budget")
	fl.Int64Var(&o.Limits.Tokens, "max-tokens", 0, "maximum input and output tokens of the run; 0: no limit")
	fl.Float64Var(&o.Limits.Cost, "max-cost", 0, "maximum cost of these tokens, by --price; 0: no limit")
	fl.Float64SliceVar(&o.Limits.Price, "price", nil, "price of a million tokens, as IN,OUT (default: configured)")
}

// toolFlags defines the flags about tools besides those of skills.
func toolFlags(a *app, c *cobra.Command, o *run.Options) {
	fl := a.group(c, "Files and commands")
	workspaceFlags(a, c, fl, o)
	fl.StringArrayVar(&o.Approval.Trusted, "trust-allowed-tools", nil, "let a skill's allowed-tools with a pattern approve; repeatable")
	a.completes(c, "trust-allowed-tools", func([]string, string) []string { return a.completions(c, *o, "") })

	fl = a.group(c, "MCP servers")
	fl.StringArrayVar(&o.Programs.MCP, "mcp", nil, "offer the tools of an MCP server; repeatable")
	fl.StringVar(&o.Programs.MCPConfig, "mcp-config", "", "MCP servers from a file in the form of other clients")
	fl.StringArrayVar(&o.Approval.Tools, "allow-tool", nil, "approve tools of MCP servers that match (*, ?); repeatable")
}

// workspaceFlags adds the flags of the tools for files and commands.
func workspaceFlags(a *app, c *cobra.Command, fl *pflag.FlagSet, o *run.Options) {
	fl.StringSliceVar(&o.Programs.Tools, "tools", nil, "offer tools for files, commands or both: files, shell")
	fl.StringArrayVar(&o.Approval.Commands, "allow-command", nil, "approve commands (PATTERN, or SKILL:PATTERN there); repeatable")
	fl.StringArrayVar(&o.Approval.Edits, "allow-edit", nil, "approve changes of files that match (*, **); repeatable")
	a.values(c, "tools", "files", "shell", "files,shell")
}

// promptFlags defines the flags about what the model sees: skills, prompt and todo list.
func promptFlags(a *app, c *cobra.Command, o *console.Options) {
	fl := a.group(c, "Skills")
	fl.StringArrayVar(&o.Skills.Roots, "skills", nil, "search here for skills; repeatable, the first wins on equal names")
	a.choiceFlags(c, fl, &o.Skills.Choice, a.runNames)
	fileFlags(fl, &o.Skills.Choice)
	fl.BoolVar(&o.Skills.NoBuiltin, "no-builtin", false, "disable the built-in skills")

	fl = a.group(c, "Prompt and instructions")
	fl.StringArrayVar(&o.Prompt.Activate, "skill", nil, "load this skill at once; repeatable")
	fl.BoolVar(&o.Prompt.NoSlash, "no-slash", false, "send a prompt that starts with /name as text")
	fl.StringVar(&o.Prompt.System, "system", "", "prepend this text, or the content of a file, to the instructions")
	fl.StringVar(&o.Prompt.Template, "prompt-template", "", "skills instructions from a file, which must contain {skills}")

	fl = a.group(c, "Todo list")
	fl.BoolVar(&o.Todo.Off, "no-todo", false, "disable the todo list")
	fl.StringVar(&o.Todo.Instructions, "todo-instructions", "", "replace the todo instructions with the content of FILE")
	fl.BoolVar(&o.Todo.NoMessage, "no-todo-message", false, "do not show the model its list in each request")
	fl.IntVar(&o.Todo.Finish, "finish-todos", 0, "ask up to N times to continue with open todo items")
}

// outputFlags defines the flags about the answer, and about what a run prints and writes.
func outputFlags(a *app, c *cobra.Command, o *console.Options) {
	fl := a.group(c, "Request and answer")
	fl.StringArrayVar(&o.Request.Params, "param", nil, "request parameter, such as temperature=0; repeatable")
	fl.StringArrayVar(&o.Prompt.Images, "image", nil, "send an image with the prompt; repeatable")
	fl.StringArrayVar(&o.Prompt.Files, "file", nil, "send a text file or a PDF with the prompt; repeatable")
	toolCallsFlag(a, c, fl, &o.Options)
	fl.StringVar(&o.Request.JSONSchema, "json-schema", "", "answer with JSON that matches the schema in this file")

	fl = a.group(c, "Output")
	fl.StringVar(&o.Output.Format, "format", "text", "output format: "+strings.Join(console.Formats(), ", "))
	fl.BoolVarP(&o.Output.Quiet, "quiet", "q", false, "print the final answer only")
	fl.BoolVarP(&o.Output.Verbose, "verbose", "v", false, "print system text, JSON arguments, whole results and tokens too")
	fl.BoolVar(&o.Server.Stream, "stream", false, "print text as it arrives (default: at a terminal)")
	fl.BoolVar(&o.Preview, "show-context", false, "print what the model would see; sends nothing")

	fl = a.group(c, "Files and hooks")
	fl.StringVar(&o.Files.Session, "session", "", "save the conversation, or continue it if the file exists")
	fl.StringVar(&o.Files.History, "history", "", "save the conversation with what hooks added to it")
	fl.StringVar(&o.Files.Audit, "audit", "", "append approvals and script runs; if that fails, no script runs")
	hookFlags(fl, &o.Options)
}

// completeRun sets the completions for the values of flags, and for skills in the prompt.
func completeRun(a *app, c *cobra.Command, o *console.Options) {
	a.values(c, "format", console.Formats()...)
	a.values(c, "compact", "auto", "summary", "off")
	a.values(c, "param", "temperature=", "reasoning_effort=", "max_completion_tokens=", "top_p=", "seed=", "stop=")
	a.values(c, "hook", run.HookKinds()...)
	a.values(c, "hook-protocol", hook.Protocols()...)
	completeServer(a, c)
	a.completes(c, "skill", func([]string, string) []string { return a.completions(c, o.Options, "") })
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || !strings.HasPrefix(typed, "/") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return printable.Map(a.completions(c, o.Options, ""), func(skill string) string { return "/" + skill }), cobra.ShellCompDirectiveNoFileComp
	}
}

// serverFlags defines the flags that choose a server and its model.
func serverFlags(fl *pflag.FlagSet, o *run.Options) {
	fl.StringVarP(&o.Server.Model, "model", "m", "", "model to use; SERVER/MODEL for one of your servers")
	fl.StringVar(&o.Server.BaseURL, "base-url", "", "server, such as http://localhost:11434/v1")
	fl.StringVar(&o.Server.KeyEnv, "api-key-env", "", "environment variable that holds the key")
	fl.StringArrayVar(&o.Server.Headers, "header", nil, "header of every request, with $VARIABLES; repeatable")
	fl.StringVar(&o.Server.API, "api", "auto", "protocol: auto, chat, responses")
	fl.StringVar(&o.Server.EnvFile, "env-file", "", "read variables from this file (default .env)")
	fl.IntVar(&o.Server.Retries, "retries", agent.DefaultRetries, "retries for transient failures (429, 5xx, network)")
	fl.DurationVar(&o.Server.Idle, "idle-timeout", agent.DefaultIdle, "retry when the server sends nothing for this long; 0: never")
	fl.Lookup("idle-timeout").DefValue = "5m, within a stream 2m"
}

// toolCallsFlag defines how the model calls tools.
func toolCallsFlag(a *app, c *cobra.Command, fl *pflag.FlagSet, o *run.Options) {
	fl.StringVar(&o.Request.ToolCalls, "tool-calls", agent.CallsAuto, "how the model calls tools: auto, native, json")
	a.values(c, "tool-calls", agent.CallsAuto, agent.CallsNative, agent.CallsJSON)
}

// limitFlags defines the flags that limit a run.
func limitFlags(fl *pflag.FlagSet, o *run.Options) {
	fl.DurationVar(&o.Limits.Timeout, "timeout", 10*time.Minute, "time limit of a run; 0: none")
	fl.IntVar(&o.Limits.Turns, "max-turns", agent.DefaultTurns, "maximum model requests of a run; then a final one without tools")
	fl.IntVar(&o.Limits.ToolCalls, "max-tool-calls", 0, "maximum tool calls; then a final request; 0: no limit")
	fl.IntVar(&o.Limits.Repeats, "max-repeats", 5, "maximum equal calls with equal results; 0: no limit")
	fl.IntVar(&o.Limits.Failures, "max-failures", agent.DefaultFailures, "maximum consecutive turns in which no tool call could be run")
}

// completeServer sets the completions for the values of the flags of a server.
func completeServer(a *app, c *cobra.Command) {
	a.completes(c, "model", func([]string, string) []string { return run.ModelNames(a.Env.Env) })
	a.values(c, "header", run.HeaderNames()...)
	a.values(c, "api", run.APIs()...)
}

// hookFlags defines the flags of hooks.
func hookFlags(fl *pflag.FlagSet, o *run.Options) {
	fl.StringArrayVar(&o.Programs.Hooks, "hook", nil, "run a program at a step of the run, such as before=PROGRAM; repeatable")
	fl.StringVar(&o.Programs.HookProtocol, "hook-protocol", hook.Skills, "protocol of hooks: skills, agent-hooks")
	fl.DurationVar(&o.Programs.HookTimeout, "hook-timeout", 30*time.Second, "time limit of each hook")
}

// findKeys finds the keys that output must not contain.
func findKeys(ctx context.Context, a *app, o run.Options) {
	run.ReadKeys(a.Env.Env, o.Server, o.Programs.MCP, run.ReadVariables(ctx, a.Env.Env, o.Server))
}
