package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes manual pages for a release.
func (a *app) manCommand(root *cobra.Command) *cobra.Command {
	return a.command(&cobra.Command{
		Use:         "man DIR",
		Short:       "Write manual pages into a folder",
		Hidden:      true,
		Annotations: note("", "0  success", "2  usage error"),
		Args:        cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return wrongUsage("name a folder that you can write in", "creating %s: %w", args[0], err)
			}
			pages := []*cobra.Command{root}
			for _, c := range root.Commands() {
				pages = append(append(pages, c), c.Commands()...)
			}
			for _, c := range pages {
				if c.Hidden || c.Name() == "help" {
					continue
				}
				name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(a.manPage(c)), 0o644); err != nil {
					return fmt.Errorf("writing %s: %w", name, err)
				}
			}
			return nil
		},
	})
}

// manPage returns a command's help as a manual page.
func (a *app) manPage(c *cobra.Command) string {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"skills %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n.SH DESCRIPTION\n",
		strings.ToUpper(name), version(), escape(name), escape(c.Short), strings.ReplaceAll(escape(strings.TrimSpace(usage(c))), "\n  ", "\n.br\n"))
	for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
		fmt.Fprintf(&b, ".PP\n%s\n", escape(strings.Join(strings.Fields(paragraph), " ")))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.BR %s\\-%s (1)\n%s\n", escape(name), escape(sub.Name()), escape(sub.Short))
			}
		}
	}
	b.WriteString(".SH OPTIONS\n")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		flag := "--" + f.Name
		if f.Shorthand != "" {
			flag = "-" + f.Shorthand + ", " + flag
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escape(strings.TrimSpace(flag+" "+metavar(f))), escape(f.Usage))
	})
	b.WriteString(".SH EXIT STATUS\n")
	for line := range strings.SplitSeq(exitsOf(c), "\n") {
		code, meaning, _ := strings.Cut(line, " ")
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", code, escape(strings.TrimSpace(meaning)))
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", escape(c.Example))
	}
	return b.String()
}
