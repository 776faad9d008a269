package cmd

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/printable"
)

// completionCommand replaces cobra's, which has no examples and accepts an unknown
// shell.
func completionCommand(a *app, root *cobra.Command) *cobra.Command {
	shells := map[string]func(w io.Writer) error{
		"bash":       func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"fish":       func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": root.GenPowerShellCompletionWithDesc,
		"zsh":        root.GenZshCompletion,
	}
	all := slices.Sorted(maps.Keys(shells))
	return a.command(&cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a shell's completion script",
		Long: `Print a shell's completion script.

SHELL is bash (needs the package bash-completion),
fish, powershell or zsh. Packages install it. Otherwise add the lines of an example
to your shell's start-up file, and start a new shell.`,
		Example: `  # bash, in ~/.bashrc
  source <(skills completion bash)

  # zsh, in ~/.zshrc, after: autoload -U compinit; compinit
  source <(skills completion zsh)

  # fish, once
  mkdir -p ~/.config/fish/completions
  cd ~/.config/fish/completions
  skills completion fish > skills.fish

  # PowerShell, in the file that $PROFILE names
  skills completion powershell | Out-String | iex`,
		Annotations: note("", "0  success", "2  missing or unknown shell"),
		Args:        arguments(1, 1, "SHELL", nearestHint("", all)),
		ValidArgs:   all,
		RunE: func(_ *cobra.Command, args []string) error {
			if shells[args[0]] == nil {
				return usageError(nearestHint(args[0], all), "unknown shell %q", args[0])
			}
			return shells[args[0]](printable.Exact(a.Stdout))
		},
	})
}

// completeLevels completes rule ids, then their levels.
func completeLevels(_ []string, typed string) []string {
	if id, _, found := strings.Cut(typed, "="); found {
		return []string{id + "=off", id + "=info", id + "=warning", id + "=error"}
	}
	return printable.Map(ruleIDs(), func(id string) string { return id + "=" })
}
