package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/spec"
)

type toPromptFlags struct {
	format     string
	noLocation bool
	keepGoing  bool
}

func (a *app) toPromptCommand() *cobra.Command {
	var f toPromptFlags
	c := &cobra.Command{
		Use:   "to-prompt PATH...",
		Short: "Print the skills as a block for a model's prompt",
		Long: `Prints the <available_skills> block. PATH is a skill's folder, its SKILL.md, or a
tree of skills. For skill folders the output is that of the reference library, byte
for byte. A skill that cannot be read is an error, and nothing is printed.`,
		Example: `  skills to-prompt ./skills
  skills to-prompt --format xml --no-location ./my-skill ./other-skill`,
		Annotations: exits("0  fine", "1  a skill could not be read", "2  wrong usage, or a path that does not exist"),
		Args:        atLeastOne("PATH"),
		RunE:        func(c *cobra.Command, args []string) error { return a.toPrompt(c.Context(), f, args) },
	}
	var help []string
	for _, p := range prompt.Formats() {
		help = append(help, p.Name+" ("+p.Help+")")
	}
	fl := c.Flags()
	fl.StringVar(&f.format, "format", prompt.Formats()[0].Name, "output `NAME`: "+strings.Join(help, ", "))
	fl.BoolVar(&f.noLocation, "no-location", false, "leave the location out, for agents with tools instead of files")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "print the skills that can be read, and report the others")
	return a.command(c)
}

func (a *app) toPrompt(ctx context.Context, f toPromptFlags, args []string) error {
	format, err := promptFormat(f.format)
	if err != nil {
		return err
	}
	found, err := lint.Find(ctx, loader.Search{Notify: a.notice}, args)
	if err != nil {
		return settled(err)
	}
	entries, failed := make([]prompt.Entry, len(found)), make([]error, len(found))
	err = loader.Parallel(ctx, len(found), func(i int) {
		doc := loader.OpenDocument(found[i])
		p, err := spec.UsableProperties(doc)
		if err != nil {
			failed[i] = unreadable(doc, err)
		}
		entries[i] = prompt.Entry{Name: p.Name, Description: p.Description, Location: location(found[i])}
	})
	if err != nil {
		return err
	}
	good, bad := entries[:0], 0
	for i, e := range entries {
		if failed[i] != nil {
			a.refuse(failed[i])
			bad++
			continue
		}
		good = append(good, e)
	}
	if bad > 0 && !f.keepGoing {
		return errReported(exitProblems)
	}
	var block strings.Builder
	if err := format.Write(&block, good, prompt.Options{NoLocation: f.noLocation}); err != nil {
		return err
	}
	text := block.String()
	// The first is the reference library's, byte for byte where a program reads it.
	if format.Name != prompt.Formats()[0].Name || isTerminal(a.Stdout) {
		text = printable.Text(text)
	}
	if _, err := io.WriteString(a.Stdout, text); err != nil {
		return err
	}
	if bad > 0 {
		return errReported(exitProblems)
	}
	return nil
}

func promptFormat(name string) (prompt.Format, error) {
	var names []string
	for _, f := range prompt.Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return prompt.Format{}, wrongUsage(nearestHint(name, names), "unknown format %q", name)
}

// location is the absolute path of a skill's file, links resolved, as the
// reference library prints it.
func location(f loader.Found) string { return filepath.Join(f.Real, f.File) }

// unreadable turns a document's fault into an error that names the place.
func unreadable(doc *spec.Document, err error) error {
	e, ok := spec.IsReadError(err)
	if !ok {
		return problem("", fmt.Errorf("%s: %w", doc.Path, err))
	}
	if doc.File == "" && e.Rule == "skill-file" {
		return problem("name a folder that holds a SKILL.md", fmt.Errorf("SKILL.md not found in %s", doc.Path))
	}
	place := spec.Diagnostic{Path: doc.Path, Span: e.Span}.Place()
	return problem(e.Help, fmt.Errorf("%s: %w", place, e))
}

// atLeastOne refuses a call without arguments, naming what is missing.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return wrongUsage("see "+c.CommandPath()+" --help", "no %s given", what)
		}
		return nil
	}
}
