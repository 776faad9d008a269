package cmd

// Help is formatted for the width of the terminal: a purpose, groups of flags, examples and
// exit codes. It replaces that of the library, which has no groups.

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/printable"
	"skills/internal/suggest"
	"skills/internal/terminal"
)

// Annotations of a command for its help.
const (
	exitNote = "exit" // exit codes of its own, one per line
	pageNote = "page" // its page in the repository, without .md

	metavarNote = "value" // of a flag: the placeholder of its value
)

// defaultExits are the exit codes of a command without a note.
const defaultExits = "0  success\n1  problems found\n2  usage error, invalid configuration, or missing input"

// exitInterrupted is the line of commands that handle signals.
const exitInterrupted = "130  interrupted (143 by SIGTERM, 129 by SIGHUP)"

// note annotates a command with its page in docs/, "" for the README, and its exit
// codes.
func note(name string, exits ...string) map[string]string {
	path := "README"
	if name != "" {
		path = "docs/" + name
	}
	return map[string]string{pageNote: path, exitNote: strings.Join(exits, "\n")}
}

// The width of help: it adapts to narrower terminals, but not to wider ones, because
// long lines are hard to read.
const (
	helpWidth    = 80
	maxHelpWidth = 100
)

// help prints a command's help: purpose, usage, flags in groups, exit codes, examples
// and further pages. It replaces cobra's template.
//
// cobra ignores its error, so [Run] returns the stored one.
func (a *app) help(c *cobra.Command, _ []string) {
	if !c.HasParent() && c.Flags().NArg() > 0 {
		a.helpErr = unknownCommand(c, c.Flags().Arg(0))
		return
	}
	width := helpWidth
	if terminal.Is(a.Stdout) {
		width = min(terminal.Width(a.Stdout), maxHelpWidth)
	}
	var b strings.Builder
	a.writeHelp(&b, c, width)
	_, a.helpErr = io.WriteString(a.Stdout, b.String())
}

func (a *app) writeHelp(w io.Writer, c *cobra.Command, width int) {
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		fmt.Fprintf(w, "%s\n\n", wrap(paragraph, width, 0))
	}
	fmt.Fprintln(w, "Usage:")
	if c.Runnable() {
		fmt.Fprintf(w, "  %s [flags]\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND [flags]\n", c.CommandPath())
	}
	fmt.Fprintln(w)
	for _, g := range c.Groups() {
		printCommands(w, g.Title, slices.DeleteFunc(slices.Clone(a.commands), func(sub *cobra.Command) bool { return sub.GroupID != g.ID }), width)
	}
	if c.HasParent() && c.HasAvailableSubCommands() {
		printCommands(w, "Commands", c.Commands(), width)
	}
	grouped := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, flags := range a.groups[c] {
		printFlags(w, flags, width)
		grouped.AddFlagSet(flags)
	}
	title := "Flags"
	if grouped.HasFlags() {
		title = "Other flags"
	}
	other := pflag.NewFlagSet(title, pflag.ContinueOnError)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if grouped.Lookup(f.Name) == nil {
			other.AddFlag(f)
		}
	})
	printFlags(w, other, width)
	fmt.Fprintln(w, "Exit codes:")
	for line := range strings.SplitSeq(cmp.Or(c.Annotations[exitNote], defaultExits), "\n") {
		code, meaning, _ := strings.Cut(line, " ")
		fmt.Fprintf(w, "  %-5s%s\n", code, wrap(strings.TrimSpace(meaning), width, 7))
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if path := c.Annotations[pageNote]; path != "" && page(path) != "" {
		fmt.Fprintf(w, "\nLearn more: %s\n", page(path+".md"))
	}
}

// wrap breaks text that starts at a column between words into lines that end before
// width, and start at the same column.
func wrap(text string, width, column int) string {
	return printable.Fold(strings.Join(strings.Fields(text), " "), column, width, strings.Repeat(" ", column))
}

// printFlags prints flags under the name of their set, in its order.
func printFlags(w io.Writer, flags *pflag.FlagSet, width int) {
	var rows [][2]string
	column := 0
	flags.VisitAll(func(f *pflag.Flag) {
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		if value := metavar(f); value != "" && value[0] != '[' { // else a value is optional, as in [=REASON]
			name += " "
		}
		name += metavar(f)
		text := f.Usage
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			text += " (default " + strings.Trim(strings.Replace(f.DefValue, "m0s", "m", 1), "[]") + ")"
		}
		rows = append(rows, [2]string{name, text})
		column = max(column, len(name)+2)
	})
	if len(rows) > 0 {
		printTable(w, flags.Name(), rows, column, width)
	}
}

// printCommands prints a titled list of commands.
func printCommands(w io.Writer, title string, commands []*cobra.Command, width int) {
	var rows [][2]string
	for _, c := range commands {
		rows = append(rows, [2]string{"  " + c.Name(), c.Short})
	}
	printTable(w, title, rows, 19, width)
}

// printTable prints names and their descriptions, which start at a column, or on lines of
// their own if the names take more than half of the width.
func printTable(w io.Writer, title string, rows [][2]string, column, width int) {
	fmt.Fprintf(w, "%s:\n", title)
	for _, row := range rows {
		if column > width/2 {
			fmt.Fprintf(w, "%s\n          %s\n", row[0], wrap(row[1], width, 10))
		} else {
			fmt.Fprintf(w, "%-*s%s\n", column, row[0], wrap(row[1], width, column))
		}
	}
	fmt.Fprintln(w)
}

// helpCommand replaces cobra's, which accepts unknown commands.
func helpCommand(a *app, root *cobra.Command) *cobra.Command {
	return a.command(&cobra.Command{
		Use:         "help [COMMAND]",
		Short:       "Print the help of a command",
		Example:     "  skills help validate",
		Annotations: note(""),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				names = printable.Map(a.commands, func(c *cobra.Command) string { return c.Name() + "\t" + c.Short })
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, append(rest, args...)[0])
			}
			return found.Help()
		},
	})
}

// otherNames maps commands of other programs to ours.
var otherNames = map[string]string{"fix": "validate --fix", "ls": "list", "scaffold": "new", "test": "validate", "verify": "validate"}

// unknownCommand returns the error for an unknown command and suggests the nearest one.
func unknownCommand(root *cobra.Command, word string) error {
	if name, ok := otherNames[word]; ok {
		return usageError("did you mean "+name+"?", "unknown command %q", word)
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(append(names, c.Name()), c.Aliases...)
	}
	return usageError(suggest.Hint(word, names, "list the commands with: skills --help"), "unknown command %q", word)
}
