package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// exitNote is the annotation with a command's own exit codes.
const exitNote = "exit"

// exits annotates a command with its exit codes, one a line.
func exits(lines ...string) map[string]string {
	return map[string]string{exitNote: strings.Join(lines, "\n")}
}

// help prints a command's help, examples first because most people need no
// more. It replaces cobra's template, which would link text/template.
func (a *app) help(c *cobra.Command, _ []string) {
	w := a.Stdout
	if c.Example != "" {
		fmt.Fprintf(w, "Examples:\n%s\n\n", c.Example)
	}
	fmt.Fprintf(w, "Usage:\n  %s\n\n", usageLine(c))
	if text := c.Long; text != "" {
		fmt.Fprintf(w, "%s\n\n", strings.TrimSpace(text))
	} else {
		fmt.Fprintf(w, "%s.\n\n", c.Short)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w, "Commands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-16s %s\n", sub.Name(), sub.Short)
			}
		}
		fmt.Fprintln(w)
	}
	section(w, "Flags", c.LocalFlags().FlagUsagesWrapped(100))
	section(w, "Global flags", c.InheritedFlags().FlagUsagesWrapped(100))
	note := c.Annotations[exitNote]
	if note == "" {
		note = "0  success\n1  problems found\n2  usage error, invalid configuration, or missing input"
	}
	fmt.Fprintf(w, "Exit codes:\n  %s\n", strings.ReplaceAll(note, "\n", "\n  "))
}

func section(w io.Writer, title, text string) {
	if text = strings.TrimRight(text, "\n"); text != "" {
		fmt.Fprintf(w, "%s:\n%s\n\n", title, text)
	}
}

func usageLine(c *cobra.Command) string {
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line += " COMMAND"
	}
	if c.HasAvailableFlags() {
		line += " [flags]"
	}
	return line
}

// helpCommand replaces cobra's, which accepts unknown commands.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return a.command(&cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Print the help of a command",
		Example: "  skills help validate",
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, args[0])
			}
			return found.Help()
		},
	})
}

// unknownCommand refuses an unknown command and suggests the nearest one.
func unknownCommand(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return wrongUsage(nearestHint(word, names), "unknown command %q", word)
}
