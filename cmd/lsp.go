package cmd

import (
	"github.com/spf13/cobra"

	"skills/internal/lint"
	"skills/internal/lsp"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func lspCommand(a *app) *cobra.Command {
	f := validateFlags{Options: lint.Options{Dir: a.Dir, Environ: a.Environ}}
	stdio := false
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Check skills in an editor (language server)",
		Long: `Check skills in an editor (language server), while you type. An editor starts this command,
and speaks the Language Server Protocol with it on standard input and output.

The configuration is the nearest .skills.yaml above each skill, as for validate. Flags and
the settings of the editor override it.`,
		Example: `  skills lsp
  skills lsp --client claude-code --baseline known.json`,
		Annotations: note("editors", "0    the editor ended the session", "1    the session ended without shutdown, or failed", "2    usage error", exitInterrupted),
		Args:        arguments(0, 0, "", ""),
		RunE: given(func(c *cobra.Command, _ []string) error {
			if f.ConfigFile != "" && f.NoConfig {
				return usageError(configHint, configClash)
			}
			if err := f.resolveRules(c); err != nil {
				return err
			}
			if terminal.Is(a.Stdin) {
				return usageError("set it up in your editor as a language server for Markdown; to check skills here, use: skills validate --watch", "lsp is started by an editor, and standard input is a terminal")
			}
			f.Verdicts = false // of clients, which findings do not have
			return lsp.Serve(c.Context(), a.Stdin, printable.Exact(a.Stdout), lsp.Options{Version: version(), Lint: f.Options, Strict: f.strict, Page: rulePage})
		}),
	}
	fl := a.group(c, "Rules")
	f.addRules(a, c, fl)
	f.addBaseline(fl)
	c.Flags().BoolVar(&stdio, "stdio", false, "use standard input and output; the default, which some editors pass")
	return a.command(c)
}
