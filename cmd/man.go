package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// manCommand writes manual pages for a release.
func manCommand(a *app, root *cobra.Command) *cobra.Command {
	return a.command(&cobra.Command{
		Use:         "man DIR",
		Short:       "Write manual pages into a folder",
		Hidden:      true,
		Annotations: note("", "0  success", "2  usage error"),
		Args:        cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usageError("name a folder that you can write in", "creating %s: %w", args[0], err)
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
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(manPage(a, c)), 0o644); err != nil {
					return fmt.Errorf("writing %s: %w", name, err)
				}
			}
			return nil
		},
	})
}

// manWidth is the width of help in a manual page, whose text is indented by seven columns
// of 80.
const manWidth = 72

// manPage returns a command's help as a manual page with the same sections; the usage is
// the synopsis, before the description.
func manPage(a *app, c *cobra.Command) string {
	var help, b strings.Builder
	a.writeHelp(&help, c, manWidth)
	before, usage, _ := strings.Cut(help.String(), "Usage:\n")
	usage, after, _ := strings.Cut(usage, "\n\n")
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"skills %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n%s\n.fi\n.SH DESCRIPTION\n.nf\n",
		strings.ToUpper(name), version(), escape(name), escape(c.Short), escape(strings.ReplaceAll(usage, "\n  ", "\n")[min(2, len(usage)):]))
	lines := strings.SplitAfter(escape("\n" + before + after)[1:], "\n")
	for i, line := range lines {
		title, isTitle := strings.CutSuffix(line, ":\n")
		indented := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") // what a title is above
		if isTitle && indented && !strings.HasPrefix(line, " ") {
			line = ".fi\n.SH " + strings.ToUpper(title) + "\n.nf\n"
		}
		b.WriteString(line)
	}
	return b.String() + ".fi\n"
}
