package cmd

import (
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// completionCommand replaces cobra's, which neither starts with examples nor
// refuses an unknown shell.
func (a *app) completionCommand(root *cobra.Command) *cobra.Command {
	plain := false
	shells := map[string]func(w io.Writer) error{
		"bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, !plain) },
		"fish": func(w io.Writer) error { return root.GenFishCompletion(w, !plain) },
		"powershell": func(w io.Writer) error {
			if plain {
				return root.GenPowerShellCompletion(w)
			}
			return root.GenPowerShellCompletionWithDesc(w)
		},
		"zsh": func(w io.Writer) error {
			if plain {
				return root.GenZshCompletionNoDesc(w)
			}
			return root.GenZshCompletion(w)
		},
	}
	names := []string{"bash", "fish", "powershell", "zsh"}
	c := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a shell's completion script",
		Long: `Print the completion script for SHELL: bash (needs the package bash-completion),
fish, powershell or zsh.`,
		Example: `  source <(skills completion bash)
  skills completion zsh > "${fpath[1]}/_skills"
  skills completion fish > ~/.config/fish/completions/skills.fish
  skills completion powershell | Out-String | Invoke-Expression`,
		Annotations: exits("0  success", "2  missing or unknown shell"),
		ValidArgs:   slices.Clone(names),
		RunE: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return wrongUsage(nearestHint("", names), "missing argument: SHELL")
			case 1:
			default:
				return wrongUsage(nearestHint("", names), "too many arguments: one SHELL expected")
			}
			script, ok := shells[args[0]]
			if !ok {
				return wrongUsage(nearestHint(args[0], names), "unknown shell %q", args[0])
			}
			return script(a.Stdout)
		},
	}
	c.Flags().BoolVar(&plain, "no-descriptions", false, "omit descriptions of commands and flags")
	return a.command(c)
}
