package cmd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"skills/internal/choice"
	"skills/internal/fault"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
)

type toPromptFlags struct {
	format     string
	noLocation bool
	keepGoing  bool
	choice     choice.Options
}

func toPromptCommand(a *app) *cobra.Command {
	var f toPromptFlags
	c := &cobra.Command{
		Use:   "to-prompt PATH...",
		Short: "Print the <available_skills> block for a system prompt",
		Long: `Print the <available_skills> block for a system prompt.

PATH is a skill's folder, its SKILL.md, or a tree of skills. For skill folders the output is that of the reference library, byte
for byte. It does not escape < and > in the path of a folder, nor control characters that YAML escapes put into a name or description:
use --format xml for skills that you do not trust. If a skill cannot be read, nothing is printed.`,
		Example: `  skills to-prompt ./skills
  skills to-prompt --format xml --no-location ./my-skill`,
		Annotations: note("", "0  success", "1  a skill could not be read", "2  usage error, or a path that does not exist"),
		Args:        arguments(1, math.MaxInt, "PATH", ""),
		RunE:        func(c *cobra.Command, args []string) error { return runToPrompt(c.Context(), a, f, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.noLocation, "no-location", false, "omit the location, for agents with tools instead of files")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "print the skills that can be read, and report the others")
	a.choiceFlags(c, fl, &f.choice, a.listNames)
	return a.formatted(c, &f.format, printable.Map(prompt.Formats(), func(f prompt.Format) string { return f.Name })...)
}

func runToPrompt(ctx context.Context, a *app, f toPromptFlags, args []string) error {
	formats := prompt.Formats()
	format := formats[slices.IndexFunc(formats, func(known prompt.Format) bool { return known.Name == f.format })] // checked before
	found, err := lint.Find(ctx, loader.Search{Notify: a.noticeOthers}, args)
	if err != nil {
		return fault.AsUsage(err)
	}
	chooser, err := choice.New(a.Dir, f.choice, args)
	if err != nil {
		return err
	}
	entries, failed, err := format.Entries(ctx, found, func(f loader.Found, name string, metadata map[string]string) bool {
		_, use := chooser.Use(f.Dir, name, metadata)
		return use
	})
	ended := chooser.End(a.note)
	err = cmp.Or(err, ended)
	if err != nil {
		return err
	}
	for _, err := range failed {
		a.printError(err)
	}
	if f.noLocation {
		for i := range entries {
			entries[i].Location = ""
		}
	}
	entries, refused := format.Refuse(entries)
	for _, location := range refused {
		err := fmt.Errorf("the path %s has control characters, which the format %s does not escape", printable.Quote(location), format.Name)
		failed = append(failed, err)
		a.printError(&fault.Error{Code: fault.Failed, Err: err, Hint: "rename the folder, or pass --format xml or --no-location"})
	}
	if len(failed) > 0 && !f.keepGoing {
		return reported(true)
	}
	text := format.Text(entries)
	// The first format is the reference library's, and exact if not printed to a
	// terminal.
	if format.Name != formats[0].Name {
		text = printable.Text(text)
	}
	if err := a.printExactly(text); err != nil {
		return err
	}
	return reported(len(failed) > 0)
}
