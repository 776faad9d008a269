package cmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/runner"
)

func (a *app) runCommand() *cobra.Command {
	var o runner.Options
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
-m, OPENAI_MODEL or MODEL, else ` + runner.DefaultModel + `. A .env file in the working folder may set
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
			"3    stopped at a limit (turns, time, tokens, tool calls, repeated calls)", exitInterrupted),
		Args: arguments(0, 1, "PROMPT", "put the prompt in quotes"),
		RunE: given(func(c *cobra.Command, args []string) error {
			o.StreamSet, o.WindowSet = c.Flags().Changed("stream"), c.Flags().Changed("context-window")
			return a.newRunner(o).Run(c.Context(), args)
		}, "system"),
	}
	fl := a.group(c, "Server")
	serverFlags(fl, &o)
	fl.StringVar(&o.Record, "record", "", "record the model's turns")
	fl.StringVar(&o.Replay, "replay", "", "replay recorded turns; tools still run")
	fl.BoolVar(&o.Demo, "demo", false, "play a recorded demo; no server or API key needed")

	fl = a.group(c, "Skills")
	fl.StringArrayVar(&o.Skills, "skills", nil, "search here for skills; repeatable, the first wins on equal names")
	a.choiceFlags(c, fl, &o.Choice, a.runNames)
	fileFlags(fl, &o.Choice)
	fl.BoolVar(&o.NoBuiltin, "no-builtin", false, "disable the built-in skills")

	fl = a.group(c, "Prompt and instructions")
	fl.StringArrayVar(&o.Activate, "skill", nil, "load this skill at once; repeatable")
	fl.BoolVar(&o.NoSlash, "no-slash", false, "send a prompt that starts with /name as text")
	fl.StringVar(&o.System, "system", "", "prepend this text, or the content of a file, to the instructions")
	fl.StringVar(&o.PromptTemplate, "prompt-template", "", "skills instructions from a file, which must contain {skills}")

	fl = a.group(c, "Todo list")
	fl.BoolVar(&o.NoTodo, "no-todo", false, "disable the todo list")
	fl.StringVar(&o.TodoInstructions, "todo-instructions", "", "replace the todo instructions with the content of FILE")
	fl.BoolVar(&o.NoTodoMessage, "no-todo-message", false, "do not show the model its list in each request")
	fl.IntVar(&o.FinishTodos, "finish-todos", 0, "ask up to N times to continue with open todo items")

	a.scriptFlags(c, &o, "ask")

	fl = a.group(c, "MCP servers")
	fl.StringArrayVar(&o.MCP, "mcp", nil, "offer the tools of an MCP server; repeatable")
	fl.StringArrayVar(&o.AllowTools, "allow-tool", nil, "approve tools of MCP servers that match (*, ?); repeatable")

	fl = a.group(c, "Limits")
	limitFlags(fl, &o)
	fl.Int64Var(&o.MaxTokens, "max-tokens", 0, "maximum input and output tokens of the run; 0: no limit")
	fl.StringVar(&o.Compact, "compact", "auto", "remove old results from requests near the context limit: auto, off")
	fl.Int64Var(&o.ContextWindow, "context-window", 0, "size of the model's context in tokens (default: if known)")
	fl.BoolVar(&o.Parallel, "parallel", false, "run the tool calls of one turn in parallel")

	fl = a.group(c, "Request and answer")
	fl.StringArrayVar(&o.Params, "param", nil, "request parameter, such as temperature=0; repeatable")
	fl.StringArrayVar(&o.Images, "image", nil, "send an image with the prompt; repeatable")
	fl.StringArrayVar(&o.Files, "file", nil, "send a text file or a PDF with the prompt; repeatable")
	fl.StringVar(&o.JSONSchema, "json-schema", "", "answer with JSON that matches the schema in this file")

	fl = a.group(c, "Output")
	fl.StringVar(&o.Format, "format", "text", "output format: "+strings.Join(runner.Formats(), ", "))
	fl.BoolVarP(&o.Quiet, "quiet", "q", false, "print the final answer only")
	fl.BoolVarP(&o.Verbose, "verbose", "v", false, "print system text, JSON arguments, whole results and tokens too")
	fl.BoolVar(&o.Stream, "stream", false, "print text as it arrives (default: at a terminal)")
	fl.BoolVar(&o.ShowContext, "show-context", false, "print what the model would see; sends nothing")

	fl = a.group(c, "Files and hooks")
	fl.StringVar(&o.Session, "session", "", "save the conversation, or continue it if the file exists")
	fl.StringVar(&o.Audit, "audit", "", "append approvals and script runs; if that fails, no script runs")
	hookFlags(fl, &o)
	a.values(c, "format", runner.Formats()...)
	a.values(c, "compact", "auto", "off")
	a.values(c, "param", "temperature=", "reasoning_effort=", "max_completion_tokens=", "top_p=", "seed=", "stop=")
	a.values(c, "hook", runner.HookKinds()...)
	a.completes(c, "skill", func([]string, string) []string { return a.completions(c, o, "") })
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || !strings.HasPrefix(typed, "/") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return printable.Map(a.completions(c, o, ""), func(skill string) string { return "/" + skill }), cobra.ShellCompDirectiveNoFileComp
	}
	return a.command(c)
}

// serverFlags defines the flags that choose a server and its model.
func serverFlags(fl *pflag.FlagSet, o *runner.Options) {
	fl.StringVarP(&o.Model, "model", "m", "", "model to use")
	fl.StringVar(&o.BaseURL, "base-url", "", "server, such as http://localhost:11434/v1")
	fl.StringVar(&o.KeyEnv, "api-key-env", "", "environment variable that holds the key")
	fl.StringVar(&o.EnvFile, "env-file", "", "read variables from this file (default .env)")
	fl.IntVar(&o.Retries, "retries", agent.DefaultRetries, "retries for transient failures (429, 5xx, network)")
	fl.DurationVar(&o.IdleTimeout, "idle-timeout", agent.DefaultIdle, "retry when the server sends nothing for this long; 0: never")
	fl.Lookup("idle-timeout").DefValue = "2m, not streamed 5m"
}

// limitFlags defines the flags that limit a run.
func limitFlags(fl *pflag.FlagSet, o *runner.Options) {
	fl.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "time limit of a run; 0: none")
	fl.IntVar(&o.MaxTurns, "max-turns", agent.DefaultTurns, "maximum model requests of a run; then a final one without tools")
	fl.IntVar(&o.MaxToolCalls, "max-tool-calls", 0, "maximum tool calls; then a final request; 0: no limit")
	fl.IntVar(&o.MaxRepeats, "max-repeats", 5, "maximum equal calls with equal results; 0: no limit")
	fl.IntVar(&o.MaxFailures, "max-failures", agent.DefaultFailures, "maximum consecutive turns in which no tool call could be run")
}

// hookFlags defines the flags of hooks.
func hookFlags(fl *pflag.FlagSet, o *runner.Options) {
	fl.StringArrayVar(&o.Hooks, "hook", nil, "run a program around each tool call, or around the run; repeatable")
	fl.DurationVar(&o.HookTimeout, "hook-timeout", 30*time.Second, "time limit of each hook")
}

// newRunner returns a runner for this process.
func (a *app) newRunner(o runner.Options) *runner.Runner { return runner.New(a.Env, o) }
