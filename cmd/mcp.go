package cmd

import (
	"github.com/spf13/cobra"

	"skills/internal/console"
	"skills/internal/run"
)

func mcpCommand(a *app) *cobra.Command {
	o := run.Options{Limits: run.Limits{Turns: 1}, Skills: run.Selection{NoBuiltin: true}} // run's other options do not apply
	c := &cobra.Command{
		Use:   "mcp [PATH...]",
		Short: "Serve skills to MCP clients over standard input and output",
		Long: `Serve skills to MCP clients over standard input and output: three tools that load skills,
read their files and run their scripts, and the extension io.modelcontextprotocol/skills.

PATH is a folder with skills. Without one, skills are searched where skills run does.

A script runs if --allow-script names it, or if the client asks its user and the user
agrees (elicitation). Scripts run in a sandbox, in the folder where the server was started.`,
		Example: `  skills mcp ./skills
  skills mcp --allow-script 'unit-converter/*'`,
		Annotations: note("mcp", "0    the client ended the session", "1    the session failed", "2    usage error, or no such folder", exitInterrupted),
		RunE: given(func(c *cobra.Command, args []string) error {
			return console.ServeMCP(c.Context(), a.Env, o, args)
		}),
	}
	a.choiceFlags(c, a.group(c, "Skills"), &o.Skills.Choice, a.runNames)
	fl := a.group(c, "Approval and sandbox")
	allowScriptFlag(a, c, fl, &o)
	sandboxFlags(a, c, fl, &o)
	return a.command(c)
}
