package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/pack"
	"skills/internal/printable"
)

func indexCommand(a *app) *cobra.Command {
	file := ""
	c := &cobra.Command{
		Use:   "index DIR",
		Short: "Write the index under which a web server offers skills",
		Long: `Write the index under which a web server offers skills.

This is /.well-known/agent-skills/index.json of Agent Skills Discovery 0.2.0. A skill of one file is
offered as NAME/SKILL.md, any other as NAME.zip, as skills pack --for well-known writes it. Addresses
are relative to the index. The skills are validated first; if one has errors, no index is written.`,
		Example: `  skills index ./skills
  skills index ./skills -o public/index.json`,
		Annotations: note("publish", "0  the index was written", "1  a skill has errors, or cannot be packed", "2  usage error, or a path that does not exist"),
		Args:        arguments(1, 1, "DIR", ""),
		RunE: given(func(c *cobra.Command, args []string) error {
			return runIndex(c.Context(), a, args[0], file)
		}),
	}
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: standard output)")
	return a.command(c)
}

func runIndex(ctx context.Context, a *app, dir, file string) error {
	found, err := publishable(ctx, a, dir)
	if err != nil {
		return err
	}
	index, err := pack.NewIndex(found)
	if err != nil {
		return unpackable("", err)
	}
	if file == "" || file == "-" {
		return printable.WriteJSON(a.Stdout, index)
	}
	if err := files.SaveJSON(ctx, file, index); err != nil {
		return fault.AsUsage(err)
	}
	fmt.Fprintf(a.Stderr, "Wrote %s: %s\n", printable.Line(file), printable.Plural(len(index.Skills), "skill"))
	return nil
}
