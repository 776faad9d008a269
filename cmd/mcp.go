package cmd

import (
	"github.com/spf13/cobra"

	"skills/internal/console"
	"skills/internal/run"
)

func mcpCommand(a *app) *cobra.Command {
	o := run.Options{Limits: run.Limits{Turns: 1}, Skills: run.Selection{NoBuiltin: true}} // run's other options do not apply
	var s console.Serving
	c := &cobra.Command{
		Use:   "mcp [PATH...]",
		Short: "Serve skills to MCP clients",
		Long: `Serve skills to MCP clients over standard input and output, or over HTTP: tools that load
skills, read their files and run their scripts, a prompt for each skill, and the files of the
skills as resources.

PATH is a folder with skills. Without one, skills are searched where skills run does.

A script runs if --allow-script names it, or if the client asks its user and the user
agrees (elicitation). Scripts run in a sandbox, in the folder where the server was started.`,
		Example: `  skills mcp ./skills
  skills mcp --allow-script 'unit-converter/*'
  skills mcp --http 127.0.0.1:8080 ./skills`,
		Annotations: note("mcp", "0    the client ended the session", "1    the session failed", "2    usage error, or no such folder", exitInterrupted),
		RunE: given(func(c *cobra.Command, args []string) error {
			return console.ServeMCP(c.Context(), a.Env, o, s, args)
		}),
	}
	a.choiceFlags(c, a.group(c, "Skills"), &o.Skills.Choice, a.runNames)
	fl := a.group(c, "HTTP")
	fl.StringVar(&s.HTTP, "http", "", "serve over HTTP at this address, such as 127.0.0.1:8080")
	fl.StringVar(&s.TokenEnv, "token-env", "", "environment variable with the bearer token of clients")
	fl = a.group(c, "Files and commands")
	workspaceFlags(a, c, fl, &o)
	fl = a.group(c, "Approval and sandbox")
	allowScriptFlag(a, c, fl, &o)
	sandboxFlags(a, c, fl, &o)
	return a.command(c)
}
