package cmd

import (
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// completionCommand is in the place of cobra's, which neither starts with
// examples nor refuses a shell that it does not know.
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
		Long: `Prints the script that completes commands and flags in SHELL: bash (with the package
bash-completion), fish, powershell or zsh.`,
		Example: `  source <(skills completion bash)
  skills completion zsh > "${fpath[1]}/_skills"
  skills completion fish > ~/.config/fish/completions/skills.fish
  skills completion powershell | Out-String | Invoke-Expression`,
		Annotations: exits("0  fine", "2  an unknown shell"),
		ValidArgs:   slices.Clone(names),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrongUsage(nearestHint("", names), "completion wants one shell, not %d", len(args))
			}
			script, ok := shells[args[0]]
			if !ok {
				return wrongUsage(nearestHint(args[0], names), "unknown shell %q", args[0])
			}
			return script(a.Stdout)
		},
	}
	c.Flags().BoolVar(&plain, "no-descriptions", false, "leave the descriptions of commands and flags out")
	return a.command(c)
}
